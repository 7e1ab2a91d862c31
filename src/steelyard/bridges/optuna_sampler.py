"""An Optuna sampler that only compares: trials by their values, or by what people say of two of them.

The trials of the study are the log: nothing else is kept, so a study in a storage goes on in another process.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from steelyard.checks import check_answers, check_choice
from steelyard.dialogue import Compare
from steelyard.errors import BadType, BadValue
from steelyard.extras import need
from steelyard.registry import make_algorithm
from steelyard.session import Session
from steelyard.space import Parameter, Space
from steelyard.typing import Array

optuna = need("optuna", "optuna")
BaseSampler: Any = optuna.samplers.BaseSampler
TrialState = optuna.trial.TrialState

MOST_KNOWN_TRIALS = 1000
"""After this many questions in a row about trials that are there already, a random trial is made."""
PREFERENCE = "steelyard:{}:{}"
"""The study's attribute that keeps the answer about two trials, by their numbers."""


class ComparisonSampler(BaseSampler):  # type: ignore[misc]
    """Any method of steelyard as a sampler: it learns which of two trials is better, never by how much.

    With `answers="values"` it is used as any sampler is, in `study.optimize`; each new trial answers about one
    comparison. With `answers="preferences"` nobody has a value: `pair(study)` gives two trials to show, and
    `tell(study, first, second, +1)` takes what was said of them (+1 the first is better, -1 the second, 0 a tie).

    >>> study = optuna.create_study(sampler=ComparisonSampler(seed=0))
    >>> study.optimize(objective, n_trials=100)

    A trial that failed or was pruned loses against one that has a value. When the method has converged it begins
    again from a random point.
    """

    def __init__(
        self,
        space: Mapping[str, Any] | None = None,
        *,
        method: str | None = None,
        options: Mapping[str, Any] | None = None,
        answers: Literal["values", "preferences"] = "values",
        start: Mapping[str, Any] | None = None,
        seed: int | None = None,
    ) -> None:
        """
        Parameters
        ----------
        space : names and Optuna's distributions. By default those that all finished trials have in common, which
            takes one random trial to find out; then the method starts at that trial.
        method : the name of a method (`steelyard algorithms`). By default `pattern-search` for values, because it asks
            about one new trial per comparison, and `preference-gp` for preferences.
        options : its options.
        answers : who compares: "values" of the objective, or "preferences" told by `tell`.
        start : where to begin, a value for each name of `space`; its middle by default.
        seed : the same seed and answers give the same trials.
        """
        check_choice("answers", answers, ("values", "preferences"))
        method = method or ("pattern-search" if answers == "values" else "preference-gp")
        make_algorithm(method, options)  # a mistake is said now
        if space is None and (answers == "preferences" or start is not None):
            raise BadValue("space must be given for preferences, and with a start, got None")
        self.space, self.method, self.options, self.answers, self.start = space, method, options, answers, start
        self._seed = int(np.random.SeedSequence(seed).generate_state(1)[0])
        self._independent = optuna.samplers.RandomSampler(seed=self._seed)
        self._common = optuna.search_space.IntersectionSearchSpace()
        self._search: _Search | None = None

    def reseed_rng(self) -> None:
        self._independent.reseed_rng()

    # --- what Optuna calls

    def infer_relative_search_space(self, study: Any, trial: Any) -> dict[str, Any]:
        given = self.space if self.space is not None else self._common.calculate(study)
        return {name: distribution for name, distribution in given.items() if not distribution.single()}

    def sample_relative(self, study: Any, trial: Any, search_space: dict[str, Any]) -> dict[str, Any]:
        self._raise_error_if_multi_objective(study)
        if not search_space:
            return {}
        missing = self._advance(study, search_space)
        return missing if isinstance(missing, dict) else {}

    def sample_independent(self, study: Any, trial: Any, param_name: str, param_distribution: Any) -> Any:
        return self._independent.sample_independent(study, trial, param_name, param_distribution)

    # --- preferences

    def pair(self, study: Any) -> tuple[Any, Any]:
        """The two trials to compare next. Those that are not there yet are made, and end without a value (pruned)."""
        self._need_preferences()
        search_space = self.infer_relative_search_space(study, None)
        while True:
            found = self._advance(study, search_space)
            if isinstance(found, tuple):
                return found
            if found is None:
                raise BadValue(
                    f"the method has asked {MOST_KNOWN_TRIALS} questions about known trials: begin another study"
                )
            made = study.ask(dict(self.space or {}))
            study.tell(made, state=TrialState.PRUNED)

    def tell(self, study: Any, first: Any, second: Any, answer: int) -> None:
        """What was said of two trials (or of their numbers): +1 the first is better, -1 the second, 0 a tie."""
        self._need_preferences()
        check_answers([answer], None)
        numbers = [getattr(trial, "number", trial) for trial in (first, second)]
        study.set_user_attr(PREFERENCE.format(*numbers), int(answer))

    def recommend(self, study: Any) -> dict[str, Any]:
        """The parameters that the method recommends now: not the best trial, which nobody knows who only compares."""
        search_space = self.infer_relative_search_space(study, None)
        if not search_space:
            raise BadValue("the study must have a finished trial, or the sampler a space, before it can recommend")
        self._advance(study, search_space)
        assert self._search is not None
        return self._search.params(self._search.session.recommend())

    def _need_preferences(self) -> None:
        if self.answers != "preferences":
            raise BadValue(f"answers must be 'preferences' to compare trials by hand, got {self.answers!r}")

    # --- the search

    def _advance(self, study: Any, search_space: dict[str, Any]) -> dict[str, Any] | tuple[Any, Any] | None:
        """Answer what the trials can answer, up to a point without a trial, or to a pair without an answer.

        None if nothing new is wanted now, as when other workers are at it.
        """
        trials = [trial for trial in study.get_trials(deepcopy=False) if search_space.keys() <= trial.params.keys()]
        search = self._search
        if search is None or search.distributions != search_space:
            start = self.start if self.space is not None else trials[0].params if trials else None
            self._search = search = _Search(search_space, self.method, self.options, start, self._seed)
        known: dict[tuple[Any, ...], Any] = {}
        for trial in trials:
            key = tuple(trial.params[name] for name in search_space)
            if key not in known or (not known[key].state.is_finished() and trial.state.is_finished()):
                known[key] = trial
        for _ in range(MOST_KNOWN_TRIALS):
            answers, waiting = [], None
            for pair in search.pairs():
                for params in pair:
                    if tuple(params.values()) not in known:
                        return params
                first, second = (known[tuple(params.values())] for params in pair)
                answer = self._answer(study, first, second)
                if answer is None:
                    waiting = waiting or (first, second)
                else:
                    answers.append(answer)
            if waiting is not None:
                return waiting if self.answers == "preferences" else None
            search.tell(answers)
        return None

    def _answer(self, study: Any, first: Any, second: Any) -> int | None:
        if first.number == second.number:
            return 0
        if self.answers == "preferences":
            there, back = ((first, second), (second, first))
            for (a, b), sign in ((there, 1), (back, -1)):
                said = study.user_attrs.get(PREFERENCE.format(a.number, b.number))
                if said is not None:
                    return sign * int(said)
            return None
        if not (first.state.is_finished() and second.state.is_finished()):
            return None
        sign = 1 if study.direction == optuna.study.StudyDirection.MINIMIZE else -1
        a, b = (sign * trial.value if trial.state == TrialState.COMPLETE else math.inf for trial in (first, second))
        return int(a < b) - int(b < a)


class _Search:
    """One session after another over the same parameters; each but the first begins at a random point."""

    def __init__(
        self,
        distributions: dict[str, Any],
        method: str,
        options: Mapping[str, Any] | None,
        start: Mapping[str, Any] | None,
        seed: int,
    ) -> None:
        self.distributions = dict(distributions)
        self._codes = {name: _Code(name, distribution) for name, distribution in distributions.items()}
        space = Space(tuple(code.parameter for code in self._codes.values()))
        if start is not None:
            space = _starting(space, {name: code.encode(start[name]) for name, code in self._codes.items()})
        self._make = method, options
        self._seed, self._count = seed, 0
        self._begin(space)

    def _begin(self, space: Space) -> None:
        self.session = Session(make_algorithm(*self._make), space, np.random.SeedSequence([self._seed, self._count]))

    def pairs(self) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """The open question, as pairs of parameters."""
        while self.session.question is None:
            self._count += 1
            assert self.session.space is not None
            space = self.session.space
            point = np.random.default_rng([self._seed, self._count]).random(len(space))
            self._begin(_starting(space, space.values(point)))
        question = self.session.question
        if not isinstance(question, Compare):
            raise BadType(f"method must be one that compares two at a time, got {self._make[0]!r}")
        for a, b in zip(question.a, question.b, strict=True):
            yield self.params(a), self.params(b)

    def tell(self, answers: list[int]) -> None:
        self.session.tell(answers)

    def params(self, point: Array) -> dict[str, Any]:
        assert self.session.space is not None
        values = self.session.space.values(point)
        return {name: code.decode(values[name]) for name, code in self._codes.items()}


def _starting(space: Space, values: Mapping[str, Any]) -> Space:
    from dataclasses import replace

    return Space(tuple(replace(parameter, start=values[parameter.name]) for parameter in space.parameters))


@dataclass(frozen=True)
class _Code:
    """One of Optuna's distributions as one of our parameters: steps and choices are counted."""

    name: str
    distribution: Any

    @property
    def parameter(self) -> Parameter:
        kind = self.distribution
        if hasattr(kind, "choices"):
            return Parameter(self.name, categories=tuple(range(len(kind.choices))))
        if self._step:
            return Parameter(self.name, 0, round((kind.high - kind.low) / self._step), integer=True)
        whole = isinstance(kind, optuna.distributions.IntDistribution)
        return Parameter(self.name, kind.low, kind.high, scale="log" if kind.log else "linear", integer=whole)

    def decode(self, value: Any) -> Any:
        if hasattr(self.distribution, "choices"):
            return self.distribution.choices[value]
        return self.distribution.low + value * self._step if self._step else value

    def encode(self, value: Any) -> Any:
        kind = self.distribution
        if hasattr(kind, "choices"):
            return kind.choices.index(value)
        value = min(max(value, kind.low), kind.high)
        return round((value - kind.low) / self._step) if self._step else value

    @property
    def _step(self) -> float | None:
        """The step of a grid that is not simply that of the integers."""
        step = getattr(self.distribution, "step", None)
        whole = isinstance(self.distribution, optuna.distributions.IntDistribution)
        return None if whole and step == 1 else step
