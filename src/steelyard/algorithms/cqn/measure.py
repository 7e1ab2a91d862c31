"""What comparisons tell about a gradient: its signs, its direction, and how its length changes.

S(x, d) = C(x - d, x + d) is +1 where f ascends along d: one comparison, one bit, exact up to third order in d.
"""

from collections.abc import Callable
from math import pi, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from steelyard.algorithms.cqn.basis import Basis
from steelyard.algorithms.cqn.tie_skipping import TieSkipping
from steelyard.algorithms.cqn.tuning import DEFAULT, Tuning
from steelyard.dialogue import Compare, Question, compare
from steelyard.parts.questions import rows_in_a_batch
from steelyard.typing import Array, Indices

LINE_SEARCH = 12
"""Comparisons to keep at the end of a budget for the line search that makes use of a gradient."""

_SIGMA = sqrt(pi / 2.0)  # of the half-normal distribution whose mean is 1


class Signs(NamedTuple):
    """The columns asked about, S along each, and whether all were asked that should have been."""

    columns: Indices
    s: Array
    whole: bool


class Gradient(NamedTuple):
    """A gradient in the coordinates of a basis, and whether it was measured as finely as wanted."""

    g: Array
    whole: bool


def signs(x: Array, items: Indices, directions: Callable[[Indices], Array]) -> Question[Array]:
    """S(x, d) for the direction d of each item: one comparison each, all independent.

    `directions` makes the rows of a part of the items, so that in a high dimension they never exist all at once. At the
    end of a budget only the first items are asked, and the answer is as short as that.
    """
    most = rows_in_a_batch(x.size)
    found = []
    for start in range(0, len(items), most):
        d = directions(items[start : start + most])
        question = Compare(x - d, x + d, reserve=LINE_SEARCH)
        found.append((yield question)[: question.cut_to])
        if question.cut_to is not None:
            break
    return np.concatenate(found).astype(np.float64) if found else np.empty(0)


def awake_signs(
    x: Array, resting: TieSkipping, directions: Callable[[Indices], Array], among: Indices
) -> Question[Signs]:
    """Those of some columns that are awake and their signs; if most tie, what matters has changed: all of them."""
    asked = resting.awake(among)
    s = yield from signs(x, asked, directions)
    whole = len(s) == len(asked)
    if whole and 2 * np.count_nonzero(s) < len(asked) < len(among):
        others = np.setdiff1d(among, asked)
        s = np.concatenate([s, (yield from signs(x, others, directions))])
        asked = np.concatenate([asked, others])
        whole = len(s) == len(asked)
    asked = asked[: len(s)]
    resting.note(asked, s == 0.0, among)
    return Signs(asked, s, whole)


def ascends(x: Array, d: Array) -> Question[int]:
    """S(x, d) for one direction: 1 comparison."""
    return (yield from compare(x - d, x + d))


def measure(
    x: Array, B: Basis, delta: float, resting: TieSkipping, eps: float, tuning: Tuning = DEFAULT
) -> Question[Gradient]:
    """The gradient in the coordinates of B up to a common factor, from probes of radius delta along its columns.

    About 2.7 comparisons per column at eps = .38 for a cosine of .97: first the signs, then for each |g_i| an interval
    in units of the mean |g|, galloping and bisecting until it is no wider than eps asks. Tied columns count as 0.
    At the end of a budget it makes do with what could be asked.
    """
    g = np.zeros(B.n)
    columns, s, whole = yield from awake_signs(x, resting, lambda part: delta * B.columns(part), np.arange(B.n))
    seen = np.flatnonzero(s)
    k = len(seen)
    if k == 0:
        return Gradient(g, whole)
    columns, s = columns[seen], s[seen]
    g[columns] = s / k
    if not whole:
        return Gradient(g, whole)
    r = B.apply(g)
    tau = np.empty(k)

    def exceeds(which: Indices) -> Question[NDArray[np.bool_]]:
        """Is |g_i| > tau_i mean |g|? A tie counts as no."""

        def mixed(part: Indices) -> Array:
            return delta * (s[part, None] * B.columns(columns[part]) - tau[part, None] * r)

        return (yield from signs(x, which, mixed)) > 0.0

    low, high = np.zeros(k), np.full(k, np.inf)
    first_threshold, second_threshold = tuning.thresholds
    tau[:] = first_threshold
    open_ = np.arange(k)
    while open_.size and whole:
        above = yield from exceeds(open_)
        whole, open_ = len(above) == len(open_), open_[: len(above)]
        low[open_[above]] = tau[open_[above]]
        high[open_[~above]] = tau[open_[~above]]
        open_ = open_[above]
        first = tau[open_] == first_threshold
        tau[open_] = np.where(first, second_threshold, tuning.gallop * tau[open_])
        lost = tau[open_] > tuning.lost * k
        high[open_[lost]] = tau[open_[lost]]
        open_ = open_[~lost]
    for _ in range(tuning.bisections if whole else 0):
        middle = 0.5 * (low + high)
        open_ = np.flatnonzero(high - low > sqrt(12.0) * eps * sqrt(float(np.mean(middle**2))))
        if open_.size == 0:
            break
        tau[open_] = middle[open_]
        above = yield from exceeds(open_)
        whole, open_ = len(above) == len(open_), open_[: len(above)]
        low[open_[above]] = tau[open_[above]]
        high[open_[~above]] = tau[open_[~above]]
        if not whole:
            break
    g[columns] = s * _expected(low, high)
    return Gradient(g, whole)


def length_ratio(
    x: Array, B: Basis, u: Array, v: Array, rho: float, guess: float, tuning: Tuning = DEFAULT
) -> Question[float | None]:
    """|g_v| / |g_u| where u and v are the directions of two gradients and x the middle of the two points.

    About 6 comparisons, one after another, for 10 %. At the middle the gradient is nearly proportional to
    |g_u| u + |g_v| v, so its sign along a mixture of the dual vectors says on which side of k the ratio lies.
    None where u and v are too nearly parallel, or the ratio is beyond all reason.
    """
    if abs(float(u @ v)) > tuning.parallel:
        return None

    def exceeds(k: float) -> Question[bool]:
        return (yield from _holds_more(x, B, u, v, rho, k))

    k, factor = guess, 2.0
    up = yield from exceeds(k)
    low = high = k
    for _ in range(tuning.ratio_gallops):
        k = k * factor if up else k / factor
        low, high = (high, k) if up else (k, low)
        if (yield from exceeds(k)) != up:
            break
        factor *= tuning.ratio_faster
    else:
        return None
    if not 1.0 / tuning.ratio_most < low < high < tuning.ratio_most:
        return None
    while high / low > tuning.ratio_to**2:
        k = sqrt(low * high)
        if (yield from exceeds(k)):
            low = k
        else:
            high = k
    return sqrt(low * high)


def remnant(
    x: Array, B: Basis, u: Array, v: Array, rho: float, ratio: float, tuning: Tuning = DEFAULT
) -> Question[float]:
    """How much of v the gradient at x holds besides u, its direction as it was measured: 1 comparison, or 3.

    A step along u leaves over what u has missed, so the next gradient, v, points to the error of the last one. Then
    `ratio`, found half-way, is too large by that error, and it would be taken for curvature. 0 if it is a small part
    of the ratio.
    """
    low, high = (part * ratio for part in tuning.remnants)
    if not (yield from _holds_more(x, B, u, v, rho, low)):
        return 0.0
    for _ in range(tuning.remnant_bits):
        k = 0.5 * (low + high)
        if (yield from _holds_more(x, B, u, v, rho, k)):
            low = k
        else:
            high = k
    return 0.5 * (low + high)


def _holds_more(x: Array, B: Basis, u: Array, v: Array, rho: float, k: float) -> Question[bool]:
    """Is the gradient at x, as a mixture of u and v, made of more than k times as much of v as of u? 1 comparison."""
    c = float(u @ v)
    du, dv = (u - c * v) / (1.0 - c * c), (v - c * u) / (1.0 - c * c)
    w = dv - k * du
    return (yield from ascends(x, B.apply(w * (rho / np.linalg.norm(w))))) > 0


def _expected(low: Array, high: Array) -> Array:
    """The mean of |g| in each interval under a half-normal with mean 1; the middle far out, where that underflows."""
    a, b = low / _SIGMA, high / _SIGMA
    mass = ndtr(b) - ndtr(a)
    density: Any = (np.exp(-0.5 * a * a) - np.exp(-0.5 * b * b)) / sqrt(2.0 * pi)
    return np.where(mass > 1e-6, _SIGMA * density / np.maximum(mass, 1e-6), 0.5 * (low + high))
