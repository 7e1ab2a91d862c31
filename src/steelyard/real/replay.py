"""Recorded answers as a judge: asked about a pair, it gives an answer that somebody gave to that very question."""

import numpy as np

from steelyard.real.recorded import Recorded
from steelyard.typing import Array


class ReplayedChoices:
    """A judge of items by number, for `best_of`, `rank` and `audit`: `replay(i, j)` draws a recorded answer.

    Each answer is drawn anew from all that were given about the pair, as if another person came in.
    """

    def __init__(self, answers: Recorded, rng: np.random.Generator) -> None:
        self._rng = rng
        self._given: dict[tuple[int, int], list[int]] = {}
        for i, j, y in zip(answers.first, answers.second, answers.answer, strict=True):
            self._given.setdefault((int(i), int(j)), []).append(int(y))
            self._given.setdefault((int(j), int(i)), []).append(-int(y))

    def __call__(self, i: int, j: int) -> int:
        given = self._given[int(i), int(j)]
        return given[int(self._rng.integers(len(given)))]


def shares(answers: Recorded) -> Array:
    """For each item its mean share of points over the others (win 1, tie 1/2): the order that all answers give."""
    n = len(answers.items)
    points, asked = np.zeros((n, n)), np.zeros((n, n))
    np.add.at(points, (answers.first, answers.second), 0.5 + 0.5 * answers.answer)
    np.add.at(points, (answers.second, answers.first), 0.5 - 0.5 * answers.answer)
    np.add.at(asked, (answers.first, answers.second), 1.0)
    np.add.at(asked, (answers.second, answers.first), 1.0)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.nanmean(points / asked, axis=1))
