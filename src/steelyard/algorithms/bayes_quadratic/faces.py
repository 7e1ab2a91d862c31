"""Is what is held at a bound of the box rightly held there? Asked as a run becomes sure of it, and before it ends."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from steelyard.algorithms.bayes_quadratic.mind import Mind
from steelyard.algorithms.bayes_quadratic.overheard import overheard
from steelyard.algorithms.bayes_quadratic.votes import PATIENCE, between, needed, vote
from steelyard.bounds import Box
from steelyard.dialogue import Compare, Question
from steelyard.parts.hearing import Heard
from steelyard.typing import Answers, Array

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


NEAR_BOUND, FAR_FROM_BOUND = 1e-4, 1e-1
"""How far from the bound is looked while the run goes on, in widths of the box, log-uniform between these."""


class Inward:
    """When it is time to look away from the bounds: when the minimiser comes to be known, each time twice as late."""

    def __init__(self) -> None:
        self._epochs = 0

    def due(self, mind: Mind) -> bool:
        """Is it time to look?"""
        return mind.epochs >= self._epochs and mind.is_known and bool(mind.view.held.any())

    def ask(self, mind: Mind, rng: np.random.Generator) -> Question[Heard]:
        """Is f lower a little way from the bounds? One comparison per variable held at one, asked at once."""
        self._epochs = 2 * mind.epochs + 1
        x, box = mind.best, mind.box
        assert box is not None
        held = np.flatnonzero(mind.view.held)
        middle = np.where(x[held] - box.low[held] < box.high[held] - x[held], 1.0, -1.0)
        ways = np.zeros((held.size, x.size))
        part = np.exp(rng.uniform(np.log(NEAR_BOUND), np.log(FAR_FROM_BOUND), held.size))
        ways[np.arange(held.size), held] = part * _width(x, box)[held] * middle
        _, seen = yield from overheard(_compared(np.broadcast_to(x, ways.shape), x + ways), rng)
        return seen


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
    width = _width(x, mind.box)
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


def _compared(a: Array, b: Array) -> Question[Answers]:
    return (yield Compare(a, b))


def _width(x: Array, box: Box) -> Array:
    """Of the box, or of x where a side is open."""
    width = box.high - box.low
    return np.where(np.isfinite(width), width, np.maximum(np.abs(x), 1.0))


def _varied(x: Array, way: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    return x + way * (1.0 + VARIED_WAY * rng.uniform(-1.0, 1.0)), x


def _wins(pair: Callable[[], tuple[Array, Array]], mind: Mind, rng: np.random.Generator) -> Question[bool]:
    """Does the first win by a lead that makes it as good as certain?"""
    lead = needed(mind.noise.rate, CERTAIN_ODDS)
    votes = yield from vote(pair, lead, (lead + 1) // 2, PATIENCE * lead, rng)
    return votes.lead >= lead
