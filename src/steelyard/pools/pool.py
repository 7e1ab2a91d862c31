"""A pool of candidates and what is believed about them: asks about pairs, hears answers, can grow."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from steelyard.checks import check_choice, check_whole, error_for, is_number
from steelyard.errors import BadType, BadValue
from steelyard.pools.bradley_terry import AnswerCounts, Strengths, fit
from steelyard.pools.choice import pairs_for_best, probabilities_of_best, unclear
from steelyard.pools.features import fit_features
from steelyard.seeds import Seed, seed_sequence
from steelyard.typing import Array

STRENGTH_DRAWS = 4000
GOALS = ("best", "rank")


class Pool:
    """A session about a finite set of candidates.

    >>> pool = Pool(prompts, rng=0)
    >>> i, j = pool.ask()[0]                # numbers of two candidates
    >>> pool.tell(i, j, +1)                 # the first is better
    >>> pool.best, pool.probability_best

    items : the candidates, of any kind; at least two.
    features : None, or what describes the candidates: an array with one row per candidate (the model of `preference-gp`
        learns what matters), or a kernel `k(x, y)` that says how much two of them resemble each other.
    goal : "best" asks to find the best one, "rank" to order all.
    """

    def __init__(self, items: Iterable[Any], *, rng: Seed = None, features: Any = None, goal: str = "best") -> None:
        self.items: list[Any] = _as_items(items)
        self.goal = check_choice("goal", goal, GOALS)
        self.reseed(seed_sequence(rng))
        self._kernel: Callable[[Any, Any], float] | None = features if callable(features) else None
        self._rows = None if features is None or callable(features) else _as_rows(features, len(self.items))
        self._i: list[int] = []
        self._j: list[int] = []
        self._answers: list[int] = []
        self._raters: list[str] = []
        self._beliefs: Strengths | None = None

    def __len__(self) -> int:
        return len(self.items)

    def __repr__(self) -> str:
        return f"<Pool of {len(self)} candidates: {self.queries} comparisons, {self.ties} ties>"

    def reseed(self, seed: np.random.SeedSequence) -> None:
        """Draw from another seed from now on: that of a run that is continued."""
        self.seed = seed
        self._salt = int(seed.generate_state(1)[0])

    # --- asking and telling

    def ask(self, count: int = 1) -> list[tuple[int, int]]:
        """`count` pairs worth asking about now, by the numbers of the candidates: for as many judges at once."""
        count = check_whole("count", count, 1)
        rng = np.random.default_rng([self._salt, self.queries, len(self)])
        if self.goal == "best":
            return pairs_for_best(self.beliefs, count, rng)
        return [unclear(self.beliefs, rng) for _ in range(count)]

    def tell(self, i: int, j: int, answer: int, rater: str = "") -> None:
        """Candidate i against candidate j: +1 if i is better, -1 if j is, 0 if it cannot be said."""
        for name, number in (("i", i), ("j", j)):
            whole = isinstance(number, int | np.integer)
            if not whole or not 0 <= number < len(self):
                raise error_for(whole)(
                    f"{name} must be the number of a candidate, from 0 to {len(self) - 1}, got {number!r}"
                )
        if i == j:
            raise BadValue(f"i and j must be two different candidates, got {i} twice")
        if not is_number(answer) or answer not in (-1, 0, 1):
            raise error_for(is_number(answer))(
                f"answer must be +1 (the first is better), -1 (the second) or 0 (a tie), got {answer!r}"
            )
        self._i.append(int(i))
        self._j.append(int(j))
        self._answers.append(int(answer))
        self._raters.append(rater)
        self._beliefs = None

    def add(self, items: Iterable[Any], features: Any = None) -> None:
        """More candidates, while the pool is being judged; with rows of features if the others have them."""
        more = list(items)
        if (self._rows is None) != (features is None):
            have = "no" if self._rows is None else "such"
            raise BadValue(f"features must be given as for the others, which have {have} rows, got {features!r}")
        if self._rows is not None:
            rows = _as_rows(features, len(more))
            if rows.shape[1] != self._rows.shape[1]:
                raise BadValue(f"features must have {self._rows.shape[1]} numbers per row, got {rows.shape[1]}")
            self._rows = np.concatenate([self._rows, rows])
        self.items += more
        self._beliefs = None

    # --- what is believed

    @property
    def queries(self) -> int:
        """The answers so far."""
        return len(self._answers)

    @property
    def ties(self) -> int:
        return self._answers.count(0)

    @property
    def beliefs(self) -> Strengths:
        """What is believed about the strengths, worked out when asked for."""
        if self._beliefs is None:
            i, j = np.array(self._i, dtype=np.intp), np.array(self._j, dtype=np.intp)
            answers = np.array(self._answers, dtype=np.int8)
            if self._rows is not None:
                raters = tuple(self._raters) if any(self._raters) else ()
                self._beliefs = fit_features(self._rows, i, j, answers, raters, self._salt)
            else:
                self._beliefs = fit(
                    AnswerCounts.of(i, j, answers), self._likeness()
                )  # from nothing, so that a resumed run is the same
        return self._beliefs

    @property
    def strengths(self) -> Array:
        """The expected strength of each candidate: with a difference of 1 the better one wins 73 % of the time."""
        return self.beliefs.average

    @property
    def best_number(self) -> int:
        """The number of the candidate with the highest expected strength."""
        return int(self.strengths.argmax())

    @property
    def best(self) -> Any:
        """The candidate with the highest expected strength."""
        return self.items[self.best_number]

    @property
    def probability_best(self) -> Array:
        """Of each candidate the probability that it is the best."""
        return probabilities_of_best(self._draws())

    def intervals(self, level: float = 0.9) -> tuple[Array, Array]:
        """Low and high ends of the intervals that hold each candidate's rank (0 the best) with this probability."""
        ranks = np.argsort(np.argsort(-self._draws(), axis=1), axis=1)
        low, high = np.quantile(ranks, [0.5 - level / 2.0, 0.5 + level / 2.0], axis=0, method="nearest")
        return np.asarray(low), np.asarray(high)

    def _likeness(self) -> Array | int:
        if self._kernel is None:
            return len(self)
        return np.array([[float(self._kernel(x, y)) for y in self.items] for x in self.items])

    def _draws(self) -> Array:
        return self.beliefs.draws(STRENGTH_DRAWS, np.random.default_rng([self._salt, self.queries]))


def _as_items(items: Iterable[Any]) -> list[Any]:
    try:
        listed = list(items)
    except TypeError:
        raise BadType(f"items must be a list of candidates, got {items!r}") from None
    if len(listed) < 2:
        raise BadValue(f"items must be at least two candidates, got {len(listed)}")
    return listed


def _as_rows(features: Any, count: int) -> Array:
    try:
        rows = np.asarray(features, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadType(f"features must be rows of numbers or a kernel k(x, y), got {features!r}") from None
    if rows.ndim != 2 or len(rows) != count or not np.isfinite(rows).all():
        raise BadValue(f"features must be {count} rows of finite numbers, one per item, got shape {rows.shape}")
    return rows
