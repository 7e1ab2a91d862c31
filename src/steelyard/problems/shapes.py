"""Plain shapes in any number of variables, each of one difficulty: ill-conditioning, kinks, plateaus, bounds.

Their minima are at no special place: neither at the origin nor where all variables are equal.
"""

import numpy as np

from steelyard.checks import check_positive, check_range
from steelyard.problems.definitions import Definition, problem
from steelyard.problems.rows import row_dot, row_matmul, row_sum
from steelyard.typing import Array


@problem("Ellipsoid", family="shapes", source="0 at its centre")
def ellipsoid(n: int = 20, condition: float = 100.0, near: float = 1.0) -> Definition:
    """A quadratic whose curvatures are in geometric progression from 1 to `condition`.

    The start lies `near` times as far from the minimum as usual: a small one is a start that is hard to improve.
    """
    check_positive("near", near)
    weights, centre = _curvatures(n, condition), _centre(n)
    start = np.full(n, 0.5) if near == 1.0 else centre + near * (0.5 - centre)

    def values(x: Array) -> Array:
        y = x - centre
        return row_dot(y * y, weights)

    def gradients(x: Array) -> Array:
        return 2.0 * weights * (x - centre)

    return Definition(start, values, gradients, f_best=0.0)


@problem("AbsoluteSum", family="shapes", source="0 at its centre")
def absolute_sum(n: int = 20) -> Definition:
    """sum of w_i |x_i - c_i| with weights from 1 to 3: a kink at the minimum, no curvature anywhere."""
    weights, centre = _kinked(n)

    def values(x: Array) -> Array:
        return row_dot(np.abs(x - centre), weights)

    def gradients(x: Array) -> Array:
        return weights * np.sign(x - centre)

    return Definition(np.full(n, 0.5), values, gradients, f_best=0.0)


@problem("SharpRidge", family="shapes", source="0 at its centre")
def sharp_ridge(n: int = 20, steep: float = 100.0) -> Definition:
    """(x_1 - c_1)^2 + steep |x - c| over the other variables: the crest of a ridge leads to the minimum."""
    check_range("n", n, 2)
    check_range("steep", steep, 0.0)
    centre = _centre(n)

    def values(x: Array) -> Array:
        y = x - centre
        return y[..., 0] ** 2 + steep * np.sqrt(row_sum(y[..., 1:] ** 2))

    def gradients(x: Array) -> Array:
        y = x - centre
        length = np.sqrt(row_sum(y[..., 1:] ** 2))[..., None]
        across = steep * np.divide(y[..., 1:], length, out=np.zeros_like(y[..., 1:]), where=length > 0.0)
        return np.concatenate([2.0 * y[..., :1], across], axis=-1)

    return Definition(np.full(n, 0.5), values, gradients, f_best=0.0)


@problem("Largest", family="shapes", source="0 at its centre")
def largest(n: int = 20) -> Definition:
    """The largest of w_i |x_i - c_i| with weights from 1 to 3: kinks wherever two of them are equal."""
    weights, centre = _kinked(n)

    def values(x: Array) -> Array:
        found: Array = (weights * np.abs(x - centre)).max(axis=-1)
        return found

    def gradients(x: Array) -> Array:
        y = x - centre
        first = (weights * np.abs(y)).argmax(axis=-1)[..., None]
        gradient = np.zeros_like(y)
        np.put_along_axis(gradient, first, np.take_along_axis(weights * np.sign(y), first, axis=-1), axis=-1)
        return gradient

    return Definition(np.full(n, 0.5), values, gradients, f_best=0.0)


@problem("Steps", family="shapes", source="0 around its centre")
def steps(n: int = 20, condition: float = 10.0, width: float = 0.1) -> Definition:
    """An ellipsoid of which each variable counts in whole steps of `width`: plateaus, on which everything ties."""
    check_range("width", width, 1e-6)
    weights, centre = _curvatures(n, condition), _centre(n)

    def values(x: Array) -> Array:
        y = width * np.round((x - centre) / width)
        return row_dot(y * y, weights)

    return Definition(np.full(n, 0.5), values, lambda x: np.zeros_like(x), f_best=0.0)


@problem("BoxedEllipsoid", family="shapes", source="0 at the point at which the optimality conditions hold")
def boxed_ellipsoid(
    n: int = 20, condition: float = 100.0, active: float = 0.0, seed: int = 0, inside: float = 0.0
) -> Definition:
    """A rotated quadratic in the box [-1, 1]^n; a part `active` of the variables is at a bound at the minimum.

    There the slope points out of the box in these variables and is 0 in the others, which for a convex function is
    enough for a minimum. With `inside` they are this far inside the box instead, and the slope is 0 in all.
    """
    check_range("active", active, 0.0, 1.0)
    check_range("inside", inside, 0.0, 1.0)
    check_range("seed", seed, 0)
    rng = np.random.default_rng([seed, n, 31])
    weights = _curvatures(n, condition) / np.sqrt(condition)
    rotation = np.linalg.qr(rng.standard_normal((n, n)))[0]
    matrix = np.ascontiguousarray((rotation * weights) @ rotation.T)
    best = rng.uniform(-0.7, 0.7, n)
    at_bound = rng.permutation(n)[: round(active * n)]
    best[at_bound] = rng.choice([-1.0, 1.0], at_bound.size)
    slope = np.zeros(n)
    slope[at_bound] = -best[at_bound] * rng.uniform(0.5, 1.5, at_bound.size)
    if inside > 0.0:
        best[at_bound] *= 1.0 - inside
        slope[:] = 0.0

    def values(x: Array) -> Array:
        y = x - best
        return row_sum(y * (slope + 0.5 * row_matmul(y, matrix)))

    def gradients(x: Array) -> Array:
        return slope + row_matmul(x - best, matrix)

    box = (np.full(n, -1.0), np.full(n, 1.0))
    return Definition(rng.uniform(-0.5, 0.5, n), values, gradients, f_best=0.0, bounds=box)


def _curvatures(n: int, condition: float) -> Array:
    check_range("n", n, 1)
    check_range("condition", condition, 1.0)
    weights: Array = condition ** np.linspace(0.0, 1.0, n)
    return weights


def _kinked(n: int) -> tuple[Array, Array]:
    """Weights from 1 to 3, and the centre."""
    check_range("n", n, 1)
    return np.linspace(1.0, 3.0, n), _centre(n)


def _centre(n: int) -> Array:
    centre: Array = 2.0 * np.cos(1.7 * np.arange(n))
    return centre
