"""All that was asked and answered, winner first.

A choice among several points is kept as comparisons that are not independent: a person who ranks four looks at each
of them once. Rows of one choice name the looks they are about (`looks`), and share the noise of those looks:

    best of k      the best against each of the others
    ranking of k   each against the next
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from steelyard.dialogue import pairs_of
from steelyard.typing import Answers, Array


@dataclass(frozen=True, eq=False)
class AnswerLog:
    """Row i: `better[i]` was preferred to `worse[i]`, or they tied, said rater number `rater[i]`. Points of the box."""

    better: Array
    worse: Array
    tie: NDArray[np.bool_]
    rater: NDArray[np.intp]
    raters: tuple[str, ...] = ()
    looks: NDArray[np.intp] = field(default_factory=lambda: np.empty((0, 2), dtype=np.intp))
    """For rows of a choice the numbers of the looks at `better` and `worse`; -1 for a pair asked by itself."""
    in_front: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, dtype=bool))
    """Whether `better` was the first of the two that were shown."""

    def __len__(self) -> int:
        return len(self.tie)

    @property
    def points(self) -> Array:
        return np.concatenate([self.better, self.worse])

    @property
    def unbeaten(self) -> Array:
        """The points that won or tied at least once: the best asked about is among them."""
        return np.concatenate([self.better, self.worse[self.tie]])

    def add(self, a: Array, b: Array, signs: Answers, raters: tuple[str, ...] = ()) -> AnswerLog:
        """With the answers to a batch: rows of a against rows of b. Nobody named is a rater called ""."""
        second_wins = (signs < 0)[:, None]
        names = raters or ("",) * len(signs)
        known = tuple(dict.fromkeys((*self.raters, *names)))
        return AnswerLog(
            better=np.concatenate([self.better, np.where(second_wins, b, a)]),
            worse=np.concatenate([self.worse, np.where(second_wins, a, b)]),
            tie=np.concatenate([self.tie, signs == 0]),
            rater=np.concatenate([self.rater, [known.index(name) for name in names]]),
            raters=known,
            looks=np.concatenate([self.looks, np.full((len(signs), 2), -1)]),
            in_front=np.concatenate([self.in_front, signs >= 0]),
        )

    def add_choice(self, points: Array, ranks: Answers, ranking: bool, rater: str = "") -> AnswerLog:
        """With the answer to a choice: the rank of each of the points, 0 the best."""
        first, second, signs = pairs_of(ranks, ranking)
        added = self.add(points[first], points[second], signs, (rater,) * len(signs))
        added.looks[len(self) :] = self.looks.max(initial=-1) + 1 + np.column_stack([first, second])
        return added

    @property
    def shared_noise(self) -> Array | None:
        """Covariances of the noise of rows, of variance 1, that share looks; None if there are only pairs."""
        together = self.looks[:, 0] >= 0
        if not together.any():
            return None
        better, worse = self.looks.T
        same = [(u[:, None] == v).astype(float) for u, v in ((better, better), (worse, worse), (better, worse))]
        noise = 0.5 * (same[0] + same[1] - same[2] - same[2].T)
        return np.asarray(noise * np.outer(together, together))

    def first(self, count: int) -> AnswerLog:
        """The first `count` answers."""
        return self._only(slice(count))

    def last(self, most: int) -> AnswerLog:
        """The last `most` answers; those before are forgotten."""
        return self if len(self) <= most else self._only(slice(len(self) - most, None))

    def _only(self, part: slice) -> AnswerLog:
        rows = {name: getattr(self, name)[part] for name in ("better", "worse", "tie", "rater", "looks", "in_front")}
        return replace(self, **rows)


def no_answers(n: int, raters: tuple[str, ...] = ()) -> AnswerLog:
    """Nothing heard yet, of these raters."""
    return AnswerLog(np.empty((0, n)), np.empty((0, n)), np.empty(0, dtype=bool), np.empty(0, dtype=np.intp), raters)
