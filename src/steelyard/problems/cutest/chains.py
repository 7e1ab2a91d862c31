"""Each variable coupled to the next (or all to the first) by a polynomial: valleys that turn many corners."""

import numpy as np

from steelyard.checks import check_range
from steelyard.problems.cutest.structure import least_squares
from steelyard.problems.definitions import Definition, problem
from steelyard.problems.rows import row_sum, staggered, sum_of_squares
from steelyard.typing import Array

_ONES = "0 where all x_i are 1"


@problem("LIARWHD", family="sparse", source=_ONES)
def liarwhd(N: int = 100) -> Definition:
    """sum 4 (x_i^2 - x_1)^2 + (x_i - 1)^2: an arrow-shaped Hessian."""
    check_range("N", N, 2)

    def values(x: Array) -> Array:
        return 4.0 * sum_of_squares(x * x - x[:, :1]) + sum_of_squares(x - 1.0)

    def gradients(x: Array) -> Array:
        slope = 8.0 * (x * x - x[:, :1])
        g = 2.0 * x * slope + 2.0 * (x - 1.0)
        g[:, 0] -= row_sum(slope)
        return g

    return Definition(np.full(N, 4.0), values, gradients, f_best=0.0)


@problem("DIXON3DQ", family="ill-conditioned", source=_ONES)
def dixon3dq(N: int = 100) -> Definition:
    """(x_1 - 1)^2 + sum (x_i - x_{i+1})^2 over i = 2, ..., N - 1, + (x_N - 1)^2: its condition grows like N^2."""
    check_range("N", N, 2)

    def residuals(x: Array) -> Array:
        r = x.copy()
        r[:, 1:-1] -= x[:, 2:]
        r[:, 0] -= 1.0
        r[:, -1] -= 1.0
        return r

    def pullback(x: Array, w: Array) -> Array:
        g = w.copy()
        g[:, 2:] -= w[:, 1:-1]
        return g

    return least_squares(np.full(N, -1.0), residuals, pullback)


@problem("OSCIGRAD", family="ill-conditioned", source=_ONES)
def oscigrad(N: int = 100, RHO: float = 500.0) -> Definition:
    """The squared length of the gradient of Nesterov's oscillating path,
    (x_1 - 1)^2 / 4 + RHO sum t_i^2 with t_i = x_{i+1} - 2 x_i^2 + 1."""
    check_range("N", N, 2)

    def residuals(x: Array) -> Array:
        a = x[:, :-1]
        t = 2.0 * RHO * (x[:, 1:] - 2.0 * a * a + 1.0)
        r = staggered(-2.0 * a * t, t)
        r[:, 0] += 0.5 * x[:, 0] - 0.5
        return r

    def pullback(x: Array, w: Array) -> Array:
        a = x[:, :-1]
        t = 2.0 * RHO * (x[:, 1:] - 2.0 * a * a + 1.0)
        to_t = 2.0 * RHO * (w[:, 1:] - 2.0 * a * w[:, :-1])
        g = staggered(-4.0 * a * to_t - 2.0 * t * w[:, :-1], to_t)
        g[:, 0] += 0.5 * w[:, 0]
        return g

    return least_squares(np.append(-2.0, np.ones(N - 1)), residuals, pullback)


@problem("CYCLIC3LS", family="banded", source="0 at the origin, a root of exponential multiplicity", notes="n = N + 2.")
def cyclic3ls(N: int = 100) -> Definition:
    """Residuals x_i^3 - x_{i+1} x_{i+2} for i up to N, and x_{N+1} - x_1, x_{N+2} - x_2."""
    check_range("N", N, 2)

    def residuals(x: Array) -> Array:
        a, b, c = x[:, :N], x[:, 1:-1], x[:, 2:]
        return np.concatenate([a * a * a - b * c, x[:, N:] - x[:, :2]], axis=1)

    def pullback(x: Array, w: Array) -> Array:
        a, b, c = x[:, :N], x[:, 1:-1], x[:, 2:]
        cyclic, ends = w[:, :N], w[:, N:]
        g = np.zeros_like(x)
        g[:, N:] = ends
        g[:, :2] -= ends
        g[:, :N] += 3.0 * a * a * cyclic
        g[:, 1:-1] -= c * cyclic
        g[:, 2:] -= b * cyclic
        return g

    return least_squares(np.full(N + 2, 1000.0), residuals, pullback)


@problem(
    "MODBEALE",
    family="least squares",
    source="0 where every pair is (3, 0.5), which the links between the pairs allow",
    notes="HALFN is the SIF's N/2; n = 2 HALFN.",
)
def modbeale(HALFN: int = 100, ALPHA: float = 50.0) -> Definition:
    """Beale's function of every pair (u, v), and ALPHA (6 v - next u)^2 between neighbouring pairs."""
    check_range("HALFN", HALFN, 1)

    def parts(x: Array) -> tuple[Array, Array, Array, Array, Array, Array]:
        u, v = np.ascontiguousarray(x[:, ::2]), np.ascontiguousarray(x[:, 1::2])
        v2 = v * v
        links = 6.0 * v[:, :-1] - u[:, 1:]
        return u, v, u * (1.0 - v) - 1.5, u * (1.0 - v2) - 2.25, u * (1.0 - v2 * v) - 2.625, links

    def values(x: Array) -> Array:
        _, _, a, b, c, links = parts(x)
        return sum_of_squares(a) + sum_of_squares(b) + sum_of_squares(c) + ALPHA * sum_of_squares(links)

    def gradients(x: Array) -> Array:
        u, v, a, b, c, links = parts(x)
        v2 = v * v
        g = np.empty_like(x)
        g[:, ::2] = 2.0 * (a * (1.0 - v) + b * (1.0 - v2) + c * (1.0 - v2 * v))
        g[:, 1::2] = -2.0 * u * (a + 2.0 * v * b + 3.0 * v2 * c)
        g[:, 1:-1:2] += 12.0 * ALPHA * links
        g[:, 2::2] -= 2.0 * ALPHA * links
        return g

    return Definition(np.ones(2 * HALFN), values, gradients, f_best=0.0)
