"""The global minimum of a sum of rugged functions of one coordinate each: a search along all axes at once.

Where f is such a sum, what is better along one axis does not depend on the other coordinates. So every question is
asked for each axis by itself, all of them around the same point, in batches of one comparison per variable.
"""

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


KEPT_HALF, SIDES_APART = 0.55, 0.05
"""The part of an interval that a bisection keeps, and how far apart in halves of it the two points lie that decide."""


class Valleys(NamedTuple):
    """Along each axis: a bottom, and the way between it and the next one."""

    t: Array
    way: Array


def search_axes(x: Array, scale: float, rng: np.random.Generator, tuning: Tuning) -> Question[Array]:
    """The best point found by a search for the best basin along each axis; at least as good as x.

    About 45 comparisons per variable to find its basin: the best of a few points far and near, the next bottoms on
    either side, then from bottom to bottom. 20 to see whether the next bottoms are worse indeed, 19 for the bottom
    itself; then 10 more, 19 for those that were better, and 16 at the end.
    """
    axes = np.arange(x.size)
    t = yield from _far(x, scale, rng, tuning)
    t = yield from _bottoms(x, axes, t, np.full(x.size, tuning.bottom_within * scale), tuning.bottom_steps)
    x = yield from _recommended(x, t)
    valleys, won = yield from _first_neighbours(x, t, scale, rng, tuning)
    valleys = yield from _best_bottoms(x, won, valleys, tuning)
    valleys = yield from _confirmed(x, valleys, (1.0, -1.0), rng, tuning)
    within = tuning.polish_from * np.abs(valleys.way)
    x, t = yield from _polished(x, axes, valleys.t, within, tuning.polish_steps)
    valleys = yield from _confirmed(x, Valleys(t, valleys.way), (-1.0,), rng, tuning)
    x, t = yield from _polished(x, np.flatnonzero(valleys.t != t), valleys.t, within, tuning.polish_steps)
    return (yield from _polished(x, axes, t, within * KEPT_HALF**tuning.polish_again, tuning.polish_last))[0]


def _polished(x: Array, axes: Indices, t: Array, h: Array, steps: int) -> Question[tuple[Array, Array]]:
    """What is recommended, and the bottoms within h of t along these axes: 1 comparison each per step, and 1 more."""
    t, low, high = t.copy(), (t - h)[axes], (t + h)[axes]
    for _ in range(steps if axes.size else 0):
        low, high = yield from _halved(x, axes, low, high)
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


def _halved(x: Array, axes: Indices, low: Array, high: Array) -> Question[tuple[Array, Array]]:
    """About that half of each interval in which the bottom is, or the middle of it at a tie: 1 comparison per axis.

    Halves overlap, for a bottom that is very near to the middle may be taken to lie on the wrong side of it, if f is
    not alike on both sides. (A golden section needs no such allowance and 1.2 times as many comparisons.)
    """
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    side = yield from _along(x, axes, middle - 0.5 * SIDES_APART * half, middle + 0.5 * SIDES_APART * half)
    middle = middle - (1.0 - KEPT_HALF) * half * side
    return middle - KEPT_HALF * half, middle + KEPT_HALF * half


def _first_neighbours(
    x: Array, t: Array, scale: float, rng: np.random.Generator, tuning: Tuning
) -> Question[tuple[Valleys, Indices]]:
    """As `_neighbours`, where nothing is known yet of how far away they are."""
    reaches = ladder(scale, *tuning.near_reaches)[:, None] * rng.choice([-1.0, 1.0], x.size)
    unknown = Valleys(t, np.full(x.size, np.nan))
    (t, way), won = yield from _neighbours(x, unknown, (1.0, -1.0), reaches, tuning.near_steps, apart=False)
    usual = tuning.bottom_within * scale if np.isnan(way).all() else float(np.nanmedian(np.abs(way)))
    return Valleys(t, np.where(np.isnan(way), usual, way)), won


def _confirmed(
    x: Array, valleys: Valleys, sides: tuple[float, ...], rng: np.random.Generator, tuning: Tuning
) -> Question[Valleys]:
    """The same after another look for better bottoms, 1.0: on that side to which the way leads, -1.0: on the other.

    About 10 comparisons per variable and side. One search for the next bottom that ends on a slope would be enough to
    stop too early on the way to the best.
    """
    ratio = tuning.confirm_reaches[2]
    ways = valleys.way * ratio ** rng.uniform(-0.5, 0.5, x.size)
    reaches = ladder(1.0, *tuning.confirm_reaches)[:, None] * ways
    valleys, won = yield from _neighbours(x, valleys, sides, reaches, tuning.confirm_steps, apart=True)
    return (yield from _best_bottoms(x, won, valleys, tuning))


def _neighbours(
    x: Array, valleys: Valleys, sides: tuple[float, ...], reaches: Array, steps: int, apart: bool
) -> Question[tuple[Valleys, Indices]]:
    """The next bottom on the first side or, where it is worse, on the next; and along which axes one is better.

    `reaches` has a column per axis: how far away it is looked for; `apart` if they begin outside of the valley of t.
    Some 10 to 18 comparisons for each bottom.
    """
    t, way = valleys.t.copy(), valleys.way.copy()
    going, won = np.arange(x.size), [np.zeros(0, dtype=np.intp)]
    for side in sides:
        found, bottom = yield from _next_bottoms(x, going, t[going], side * reaches[:, going], steps, apart)
        asked, bottom = going[found], bottom[found]
        wins = (yield from _along(x, asked, bottom, t[asked])) > 0
        way[asked] = bottom - t[asked]
        t[asked[wins]] = bottom[wins]
        won.append(asked[wins])
        going = np.setdiff1d(going, asked[wins])
    return Valleys(t, way), np.concatenate(won)


def _next_bottoms(
    x: Array, axes: Indices, t: Array, reaches: Array, steps: int, apart: bool
) -> Question[tuple[NDArray[np.bool_], Array]]:
    """Along which axes f rises, falls and rises again within these reaches of t, and the bottoms there.

    If all reaches are `apart` from the valley of t, it is also enough that f falls.
    """
    risen, falling, found = np.full(len(axes), apart), np.zeros(len(axes), dtype=bool), np.zeros(len(axes), dtype=bool)
    bottom, width = t.copy(), np.zeros(len(axes))
    going = np.arange(len(axes))
    for reach in reaches:
        here = t[going] + reach[going]
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
    if apart:
        found[going] = falling[going]
    bottom[found] = yield from _bottoms(x, axes[found], bottom[found], width[found], steps)
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
