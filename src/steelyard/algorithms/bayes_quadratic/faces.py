"""Before a run ends in a box: is what is held at a bound rightly held there?"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from steelyard.algorithms.bayes_quadratic.mind import Mind
from steelyard.algorithms.bayes_quadratic.votes import PATIENCE, between, needed, vote
from steelyard.dialogue import Question
from steelyard.typing import Array

FREED_BY = (1e-3, 1e-2, 1e-1)
"""How far from the bound a better point is looked for, in widths of the box; or in units of x, and at least 1, where a
side is open."""
ON_BOUND = 1e-6
"""What counts as at a bound, in the same units."""
CERTAIN_ODDS = 95.0
"""How much more probable than not it must be that a point is better: much has been gained that may be lost. 1 vote if
the judge never errs, 3 if it errs in one answer of ten."""
VARIED_WAY = 0.3
"""By how much the way from the bound is varied, as a part, so that no question repeats."""


class Rest(NamedTuple):
    """Where a run had come to rest before it went on away from a bound, ..."""

    x: Array
    reason: str
    """... why, ..."""
    epochs: int
    """... and after how many epochs."""


def freed(x: Array, mind: Mind, rng: np.random.Generator) -> Question[Array | None]:
    """A better point away from one of the bounds; None if there is none. 3 comparisons per variable at a bound."""
    if mind.box is None:
        return None
    width = mind.box.high - mind.box.low
    width = np.where(np.isfinite(width), width, np.maximum(np.abs(x), 1.0))
    near = ON_BOUND * width
    for i in np.flatnonzero((x <= mind.box.low + near) | (x >= mind.box.high - near)):
        inward = width[i] * (1.0 if x[i] - mind.box.low[i] < mind.box.high[i] - x[i] else -1.0)
        for part in FREED_BY:
            way = np.zeros(x.size)
            way[i] = part * inward
            if (yield from _wins(partial(_varied, x, way, rng), mind, rng)):
                return x + way
    return None


def beats(x: Array, other: Array, mind: Mind, rng: np.random.Generator) -> Question[bool]:
    """Is x better than a point at which the run has been? One comparison if the judge never errs."""
    return (yield from _wins(between(x, other, rng), mind, rng))


def _varied(x: Array, way: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    return x + way * (1.0 + VARIED_WAY * rng.uniform(-1.0, 1.0)), x


def _wins(pair: Callable[[], tuple[Array, Array]], mind: Mind, rng: np.random.Generator) -> Question[bool]:
    """Does the first win by a lead that makes it as good as certain?"""
    lead = needed(mind.noise.rate, CERTAIN_ODDS)
    votes = yield from vote(pair, lead, (lead + 1) // 2, PATIENCE * lead, rng)
    return votes.lead >= lead
