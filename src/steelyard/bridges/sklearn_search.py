"""Hyper-parameters by comparison: two settings meet on the same folds, and only which of them is better counts."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from steelyard.checks import check_whole, is_number
from steelyard.dialogue import Compare
from steelyard.errors import BadType, BadValue
from steelyard.extras import need
from steelyard.kit.prepare import knowing_budget
from steelyard.registry import make_algorithm
from steelyard.session import Session
from steelyard.space import Parameter, Space
from steelyard.typing import Array

need("sklearn", "sklearn")

from sklearn.model_selection._search import BaseSearchCV  # noqa: E402  # the base of searches that go step by step
from sklearn.utils import check_random_state  # noqa: E402

MOST_KNOWN_SETTINGS = 1000
"""A search that asks this many questions in a row about settings that are known has nothing more to find."""


class ComparisonSearchCV(BaseSearchCV):  # type: ignore[misc]
    """A search over hyper-parameters by paired comparison of folds, with the interface of `RandomizedSearchCV`.

    Two settings meet on the same folds. The one with the better mean of the differences wins; if that mean is below
    `doubt` standard errors of the differences, nobody does. The method sees these answers only, so a score with
    outliers, or one of arbitrary scale, does not lead it astray. Attributes are those of `RandomizedSearchCV`; the
    best setting is, as there, the one with the best mean score.

    >>> search = ComparisonSearchCV(SVC(), {"C": (1e-2, 1e3, "log"), "kernel": ["rbf", "linear"]}, n_iter=30)
    >>> search.fit(X, y).best_params_
    """

    def __init__(
        self,
        estimator: Any,
        space: Any,
        *,
        n_iter: int = 30,
        method: str = "pattern-search",
        doubt: float = 0.0,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: int | str = "2*n_jobs",
        random_state: Any = None,
        error_score: Any = np.nan,
        return_train_score: bool = False,
    ) -> None:
        """
        Parameters
        ----------
        estimator : what is tuned.
        space : a `steelyard.Space`; or names, each with a pair (low, high) of numbers (integers if both are),
            with (low, high, "log"), with a list of choices, or with scipy's `uniform`, `loguniform` or `randint`.
        n_iter : settings that are tried; each costs one fit for every fold.
        method : the name of a method (`steelyard algorithms`), with options if wanted. The default asks about one new
            setting per comparison; most others ask about two.
        doubt : differences below this many standard errors are ties.
        scoring, n_jobs, refit, cv, verbose, pre_dispatch, error_score, return_train_score : as in RandomizedSearchCV.
            With several scores, `refit` names the one that is compared. Folds that are drawn at random are drawn once.
        random_state : of the method.
        """
        super().__init__(
            estimator=estimator, scoring=scoring, n_jobs=n_jobs, refit=refit, cv=cv, verbose=verbose,
            pre_dispatch=pre_dispatch, error_score=error_score, return_train_score=return_train_score,
        )  # fmt: skip
        self.space = space
        self.n_iter = n_iter
        self.method = method
        self.doubt = doubt
        self.random_state = random_state

    def _run_search(self, evaluate_candidates: Callable[..., Mapping[str, Any]]) -> None:
        count = check_whole("n_iter", self.n_iter, 1)
        space = as_space(self.space)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        algorithm = knowing_budget(make_algorithm(self.method), count)
        session = Session(algorithm, space, seed)
        folds = _SameFolds(self._checked_cv_orig)
        known: dict[tuple[Any, ...], int] = {}  # the place of a setting in the results
        results: Mapping[str, Any] = {}
        since = 0
        while session.question is not None and since < MOST_KNOWN_SETTINGS:
            question = session.question
            if not isinstance(question, Compare):
                raise BadType(f"method must be one that compares two at a time, got {self.method!r}")
            settings = [space.values(point) for point in np.concatenate([question.a, question.b])]
            new = {tuple(setting.values()): setting for setting in settings if tuple(setting.values()) not in known}
            since = 0 if new else since + 1
            few = dict(list(new.items())[: count - len(known)])
            if few:
                results = evaluate_candidates(list(few.values()), cv=folds)
                known |= {key: len(known) + i for i, key in enumerate(few)}
            if len(few) < len(new):
                return  # all is spent, and this question cannot be answered
            scores = self._fold_scores(results)
            places = [known[tuple(setting.values())] for setting in settings]
            pairs = zip(places[: len(question)], places[len(question) :], strict=True)
            session.tell([self._compare(scores[first], scores[second]) for first, second in pairs])

    def _fold_scores(self, results: Mapping[str, Any]) -> Array:
        """Scores by setting and fold, of the score that counts."""
        name = self.refit if isinstance(self.refit, str) and f"split0_test_{self.refit}" in results else "score"
        if f"split0_test_{name}" not in results:
            raise BadValue(f"refit must name one of several scores, the one that is compared, got {self.refit!r}")
        return np.column_stack([results[f"split{fold}_test_{name}"] for fold in range(self.n_splits_)])

    def _compare(self, first: Array, second: Array) -> int:
        failed = [bool(np.isnan(scores).any()) for scores in (first, second)]
        if any(failed):
            return int(failed[1]) - int(failed[0])
        differences = first - second
        mean = float(np.mean(differences))
        error = float(np.std(differences, ddof=1) / np.sqrt(differences.size)) if differences.size > 1 else 0.0
        return 0 if abs(mean) <= self.doubt * error else int(np.sign(mean))


def as_space(space: Any) -> Space:
    """A search space as people write it in scikit-learn, as ours."""
    if isinstance(space, Space):
        return space
    if not isinstance(space, Mapping) or not space:
        raise BadType(f"space must be a Space or a dictionary of names and ranges, got {space!r}")
    return Space(tuple(_parameter(name, wanted) for name, wanted in space.items()))


def _parameter(name: str, wanted: Any) -> Parameter:
    if isinstance(wanted, Parameter):
        return wanted
    if hasattr(wanted, "support"):
        kind = wanted.dist.name
        if kind not in ("uniform", "loguniform", "reciprocal", "randint"):
            raise BadValue(f"{name} must be uniform, loguniform or randint if it is a distribution, got {kind}")
        low, high = (int(end) if kind == "randint" else float(end) for end in wanted.support())
        return Parameter(name, low, high, scale="log" if "log" in kind or kind == "reciprocal" else "linear",
                         integer=kind == "randint")  # fmt: skip
    if isinstance(wanted, tuple) and len(wanted) in (2, 3) and all(is_number(end) for end in wanted[:2]):
        whole = all(isinstance(end, int | np.integer) for end in wanted[:2])
        scale: Any = wanted[2] if len(wanted) == 3 else "linear"
        return Parameter(name, wanted[0], wanted[1], scale=scale, integer=whole)
    if isinstance(wanted, list | np.ndarray):
        return Parameter(name, categories=tuple(wanted))
    raise BadValue(
        f"{name} must be (low, high), (low, high, 'log'), a list of choices or a distribution, got {wanted!r}"
    )


class _SameFolds:
    """A splitter that gives the folds of its first time again, also where they are drawn at random."""

    def __init__(self, splitter: Any) -> None:
        self._splitter = splitter
        self._folds: list[Any] | None = None

    def split(self, X: Any, y: Any = None, **arguments: Any) -> Iterator[Any]:
        if self._folds is None:
            self._folds = list(self._splitter.split(X, y, **arguments))
        return iter(self._folds)

    def get_n_splits(self, X: Any = None, y: Any = None, **arguments: Any) -> int:
        return int(self._splitter.get_n_splits(X, y, **arguments))
