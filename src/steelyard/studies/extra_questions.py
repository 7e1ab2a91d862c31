"""Questions that are not the method's: which pairs are asked again and when, and what the result is compared with."""

import numpy as np

from steelyard.space import Space
from steelyard.studies.events import Event
from steelyard.typing import Array

NEIGHBOURHOOD = 0.05
"""How far the neighbours of result and start in the closing comparison lie from them, as a share of the range."""
STILL_REMEMBERED = 3
"""How many of the last answers are not repeated: they may still be remembered."""
MORE_FAR = 8
"""Comparisons with something far from the result: at most this many more than comparisons with the start, for those of
whom it is not known before whether their answers follow a preference."""
FAR_ONES = 32
"""How many points far from the result there are to choose from: the farther half of those drawn."""
EXTRA_ROW = -1
"""The row of a question that is not the method's."""


def repeat_due(share: float, seed: int, number: int) -> int:
    """After how many answers repeat `number` (from 0) is asked: one in every stretch of 1 / share, late in it, and not
    always at the same place."""
    late = np.random.default_rng([seed, number]).uniform(0.0, 0.5)
    return int((number + 1 - late) / share)


def repeats_among(share: float, seed: int, answers: int) -> int:
    """How many repeats are asked in the course of a number of answers."""
    number = 0
    while share and repeat_due(share, seed, number) <= answers:
        number += 1
    return number


def repeated_question(event: Event) -> str:
    """The question that a repeat repeats."""
    return event.question.split("-", 3)[3]


def neighbour(space: Space, x: Array, key: list[int]) -> Array:
    """A point that differs from x by at most `NEIGHBOURHOOD` of each range; the same for the same key."""
    move = np.random.default_rng(key).uniform(-NEIGHBOURHOOD, NEIGHBOURHOOD, x.size)
    move[list(space.categorical)] = 0.0
    return space.snap(np.clip(x + move, 0.0, 1.0))


def far_points(x: Array, key: list[int]) -> Array:
    """Points far from x, one per row; the same for the same key."""
    t = np.random.default_rng(key).random((2 * FAR_ONES, x.size))
    return t[np.argsort(-np.abs(t - x).sum(axis=1), kind="stable")[:FAR_ONES]]
