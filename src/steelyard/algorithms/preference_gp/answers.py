"""All that was asked and answered, winner first."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from steelyard.typing import Answers, Array


@dataclass(frozen=True, eq=False)
class AnswerLog:
    """Row i: `better[i]` was preferred to `worse[i]`, or they tied, said rater number `rater[i]`. Points of the box."""

    better: Array
    worse: Array
    tie: NDArray[np.bool_]
    rater: NDArray[np.intp]
    raters: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.tie)

    @property
    def points(self) -> Array:
        return np.concatenate([self.better, self.worse])

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
        )

    def first(self, count: int) -> AnswerLog:
        """The first `count` answers."""
        return self._only(slice(count))

    def last(self, most: int) -> AnswerLog:
        """The last `most` answers; those before are forgotten."""
        return self if len(self) <= most else self._only(slice(len(self) - most, None))

    def _only(self, part: slice) -> AnswerLog:
        return replace(
            self, better=self.better[part], worse=self.worse[part], tie=self.tie[part], rater=self.rater[part]
        )


def no_answers(n: int) -> AnswerLog:
    return AnswerLog(np.empty((0, n)), np.empty((0, n)), np.empty(0, dtype=bool), np.empty(0, dtype=np.intp))
