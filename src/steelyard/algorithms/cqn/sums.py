"""The global minimum of a sum of rugged functions of one coordinate each: a search along all axes at once.

Where f is such a sum, what is better along one axis does not depend on the other coordinates. So every question is
asked for each axis by itself, all of them around the same point, in batches of one comparison per variable.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard.algorithms.cqn.lengths import ladder
from steelyard.algorithms.cqn.tuning import Tuning
from steelyard.dialogue import Compare, Question, Step, better
from steelyard.parts.questions import rows_in_a_batch
from steelyard.typing import Answers, Array, Indices

GOLDEN = 0.618
"""The part of an interval that a golden section keeps."""


class Valleys(NamedTuple):
    """Along each axis: a bottom, and the way between it and the next one."""

    t: Array
    way: Array


def search_axes(x: Array, scale: float, rng: np.random.Generator, tuning: Tuning) -> Question[Array]:
    """The best point found by a search for the best basin along each axis; at least as good as x.

    About 50 comparisons per variable to find its basin: the best of a few points far and near, the next bottoms on
    either side, then from bottom to bottom. 23 for the bottom itself, then 14 for bottoms that may have been passed
    over, again 23 for those that were better, and 19 at the end.
    """
    axes = np.arange(x.size)
    t = yield from _far(x, scale, rng, tuning)
    t = yield from _bottoms(x, axes, t, np.full(x.size, tuning.bottom_within * scale), tuning.bottom_steps)
    x = yield from _recommended(x, t)
    valleys, won = yield from _neighbours(x, t, scale, rng, tuning)
    valleys = yield from _best_bottoms(x, won, valleys, tuning)
    within = tuning.polish_from * np.abs(valleys.way)
    x, t = yield from _polished(x, axes, valleys.t, within, tuning.polish_steps)
    valleys = Valleys(t, tuning.passed_over * valleys.way)
    for side in (1.0, -1.0):
        still = np.flatnonzero(valleys.t == t)
        valleys = yield from _best_bottoms(x, still, Valleys(valleys.t, side * valleys.way), tuning)
    x, t = yield from _polished(x, np.flatnonzero(valleys.t != t), valleys.t, within, tuning.polish_steps)
    return (yield from _polished(x, axes, t, within * GOLDEN**tuning.polish_again, tuning.polish_last))[0]


def _polished(x: Array, axes: Indices, t: Array, h: Array, steps: int) -> Question[tuple[Array, Array]]:
    """What is recommended, and the bottoms within h of t along these axes: 1 comparison each per step, and 1 more."""
    t, low, high = t.copy(), (t - h)[axes], (t + h)[axes]
    for _ in range(steps if axes.size else 0):
        low, high = yield from _section(x, axes, low, high)
        t[axes] = 0.5 * (low + high)
        x = yield from _recommended(x, t.copy())
    return x, t


def _recommended(x: Array, t: Array) -> Question[Array]:
    """t if it is better than x: 1 comparison."""
    if not (yield from better(t, x)):
        return x
    yield Step(t)
    return t


def _along(x: Array, axes: Indices, first: Array, second: Array) -> Question[Answers]:
    """For each of these axes: x with its coordinate there as in `first`, against the same as in `second`."""
    answers, most = [np.zeros(0, dtype=np.int8)], rows_in_a_batch(x.size)
    for start in range(0, len(axes), most):
        part = axes[start : start + most]
        rows = np.arange(len(part))
        a, b = np.repeat(x[None], len(part), axis=0), np.repeat(x[None], len(part), axis=0)
        a[rows, part], b[rows, part] = first[start : start + most], second[start : start + most]
        answers.append((yield Compare(a, b)))
    return np.concatenate(answers)


def _far(x: Array, scale: float, rng: np.random.Generator, tuning: Tuning) -> Question[Array]:
    """Along each axis the best of points about so far away on either side, and x: 1 comparison each."""
    axes, t, ratio = np.arange(x.size), x.copy(), tuning.sum_reaches[2]
    for reach in ladder(scale, *tuning.sum_reaches):
        for side in (1.0, -1.0):
            candidates = x + side * reach * ratio ** rng.uniform(size=x.size)
            t = np.where((yield from _along(x, axes, candidates, t)) > 0, candidates, t)
    return t


def _bottoms(x: Array, axes: Indices, t: Array, h: Array, steps: int) -> Question[Array]:
    """The bottoms within h of t along these axes, by golden sections: 1 comparison per step and axis."""
    low, high = t - h, t + h
    for _ in range(steps):
        low, high = yield from _section(x, axes, low, high)
    return 0.5 * (low + high)


def _section(x: Array, axes: Indices, low: Array, high: Array) -> Question[tuple[Array, Array]]:
    """The part of each interval in which the bottom is, .618 of it: 1 comparison per axis."""
    near, far = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    left = (yield from _along(x, axes, near, far)) > 0
    return np.where(left, low, near), np.where(left, far, high)


def _neighbours(
    x: Array, t: Array, scale: float, rng: np.random.Generator, tuning: Tuning
) -> Question[tuple[Valleys, Indices]]:
    """The next bottom on one side of t or, where it is worse, the one on the other; and along which axes one is better.

    Some 18 comparisons for each.
    """
    t, way = t.copy(), np.full(x.size, np.nan)
    going, won = np.arange(x.size), [np.zeros(0, dtype=np.intp)]
    side = rng.choice([-1.0, 1.0], x.size)
    for sides in (side, -side):
        found, bottom = yield from _next_bottoms(x, going, t[going], sides[going], scale, tuning)
        asked, bottom = going[found], bottom[found]
        wins = (yield from _along(x, asked, bottom, t[asked])) > 0
        way[asked] = bottom - t[asked]
        t[asked[wins]] = bottom[wins]
        won.append(asked[wins])
        going = np.setdiff1d(going, asked[wins])
    usual = tuning.bottom_within * scale if np.isnan(way).all() else float(np.nanmedian(np.abs(way)))
    return Valleys(t, np.where(np.isnan(way), usual, way)), np.concatenate(won)


def _next_bottoms(
    x: Array, axes: Indices, t: Array, side: Array, scale: float, tuning: Tuning
) -> Question[tuple[NDArray[np.bool_], Array]]:
    """Along which axes f rises, falls and rises again on this side of t, and the bottoms there."""
    risen, falling, found = (np.zeros(len(axes), dtype=bool) for _ in range(3))
    bottom, width = t.copy(), np.zeros(len(axes))
    going = np.arange(len(axes))
    for reach in ladder(scale, *tuning.near_reaches):
        here = t[going] + side[going] * reach
        falls = (yield from _along(x, axes[going], here, bottom[going])) > 0
        behind = risen[going] & falling[going] & ~falls
        found[going] = behind
        width[going] = np.abs(here - bottom[going])
        risen[going] |= ~falls
        falling[going] = falls
        going, here = going[~behind], here[~behind]
        bottom[going] = here
        if not going.size:
            break
    bottom[found] = yield from _bottoms(x, axes[found], bottom[found], width[found], tuning.near_steps)
    return found, bottom


def _best_bottoms(x: Array, axes: Indices, valleys: Valleys, tuning: Tuning) -> Question[Valleys]:
    """From bottom to better bottom along these axes, until the next one is worse: 7 comparisons each."""
    t, way = valleys.t.copy(), valleys.way.copy()
    for _ in range(tuning.near_moves):
        if not axes.size:
            break
        h = tuning.way_part * np.abs(way[axes])
        bottom = yield from _bottoms(x, axes, t[axes] + way[axes], h, tuning.move_steps)
        wins = (yield from _along(x, axes, bottom, t[axes])) > 0
        bottom, axes = bottom[wins], axes[wins]
        way[axes], t[axes] = bottom - t[axes], bottom
    return Valleys(t, way)
