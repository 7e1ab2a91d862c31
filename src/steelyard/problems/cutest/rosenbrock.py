"""Rosenbrock's curved valley, its chains, and Nesterov's oscillating path."""

import numpy as np

from steelyard.checks import check_range
from steelyard.problems.definitions import Definition, problem
from steelyard.problems.rows import row_sum, staggered, sum_of_squares
from steelyard.typing import Array

# Toint's 50 coefficients (1978): why CHNROSNB and ERRINROS end at N = 50.
# fmt: off
ALPHA = np.array([
    1.25, 1.40, 2.40, 1.40, 1.75, 1.20, 2.25, 1.20, 1.00, 1.10, 1.50, 1.60, 1.25, 1.25, 1.20, 1.20, 1.40, 0.50,
    0.50, 1.25, 1.80, 0.75, 1.25, 1.40, 1.60, 2.00, 1.00, 1.60, 1.25, 2.75, 1.25, 1.25, 1.25, 3.00, 1.50, 2.00,
    1.25, 1.40, 1.80, 1.50, 2.20, 1.40, 1.50, 1.25, 2.00, 1.50, 1.25, 1.40, 0.60, 1.50,
])
# fmt: on


@problem("ROSENBR", family="banded", source="a solution: (1, 1)")
def rosenbr() -> Definition:
    """100 (x_2 - x_1^2)^2 + (x_1 - 1)^2: the shortest chain."""
    return fletchcr(2)._replace(x0=np.array([-1.2, 1.0]))


@problem("FLETCHCR", family="banded", source="0 where all x_i are 1")
def fletchcr(N: int = 100) -> Definition:
    """sum 100 (x_{i+1} - x_i^2)^2 + (x_i - 1)^2."""
    check_range("N", N, 2)

    def values(x: Array) -> Array:
        a, b = x[:, :-1], x[:, 1:]
        return 100.0 * sum_of_squares(b - a * a) + sum_of_squares(a - 1.0)

    def gradients(x: Array) -> Array:
        a, b = x[:, :-1], x[:, 1:]
        slope = 200.0 * (b - a * a)
        return staggered(2.0 * (a - 1.0) - 2.0 * a * slope, slope)

    return Definition(np.zeros(N), values, gradients, f_best=0.0)


def _chain(N: int, weight: Array | float, curvature: Array | float, f_best: float | None = None) -> Definition:
    """sum over i > 1 of w_i (x_{i-1} - c_i x_i^2)^2 + (x_i - 1)^2."""

    def values(x: Array) -> Array:
        a, b = x[:, :-1], x[:, 1:]
        valley = a - curvature * (b * b)
        end = b - 1.0
        return row_sum(weight * (valley * valley) + end * end)

    def gradients(x: Array) -> Array:
        a, b = x[:, :-1], x[:, 1:]
        slope = (2.0 * weight) * (a - curvature * (b * b))
        return staggered(slope, 2.0 * (b - 1.0) - (2.0 * curvature) * b * slope)

    return Definition(np.full(N, -1.0), values, gradients, f_best)


def _toint(N: int) -> Array:
    check_range("N", N, 2, ALPHA.size)
    return 16.0 * ALPHA[1:N] ** 2


def _luksan(N: int) -> Array:
    """Lukšan, Matonoha and Vlček's coefficients, which exist for every N."""
    check_range("N", N, 2)
    alpha: Array = np.sin(np.arange(2.0, N + 1)) + 1.5
    return 16.0 * (alpha * alpha)


@problem("CHNROSNB", family="banded", source="a solution: all ones")
def chnrosnb(N: int = 50) -> Definition:
    """The chained Rosenbrock function (Toint 1978)."""
    return _chain(N, _toint(N), 1.0, f_best=0.0)


@problem("CHNRSNBM", family="banded", source="a solution: all ones")
def chnrsnbm(N: int = 50) -> Definition:
    """The chained Rosenbrock function for every N (Lukšan, Matonoha and Vlček 2010)."""
    return _chain(N, _luksan(N), 1.0, f_best=0.0)


@problem("ERRINROS", family="banded", f_best=39.90415392012697, source="L-BFGS-B on CUTEst; the SIF says 39.904154")
def errinros(N: int = 50) -> Definition:
    """CHNROSNB with the weights inside the square, by an error that became a problem."""
    return _chain(N, 1.0, _toint(N))


@problem("ERRINRSM", family="banded", f_best=37.72990289659432, source="trust-exact on CUTEst")
def errinrsm(N: int = 50) -> Definition:
    """ERRINROS for every N (Lukšan, Matonoha and Vlček 2010)."""
    return _chain(N, 1.0, _luksan(N))


@problem("OSCIPATH", family="ill-conditioned", source="a solution: all ones")
def oscipath(N: int = 10, RHO: float = 500.0) -> Definition:
    """(x_1 - 1)^2 / 4 + RHO sum (x_i - T_2(x_{i-1}))^2 with the Chebyshev polynomial T_2: a path of length 2^N."""
    check_range("N", N, 2)

    def values(x: Array) -> Array:
        a, b = x[:, :-1], x[:, 1:]
        first = x[:, 0] - 1.0
        return 0.25 * (first * first) + RHO * sum_of_squares(b - (2.0 * (a * a) - 1.0))

    def gradients(x: Array) -> Array:
        a, b = x[:, :-1], x[:, 1:]
        slope = (2.0 * RHO) * (b - (2.0 * (a * a) - 1.0))
        g = staggered(-4.0 * a * slope, slope)
        g[:, 0] += 0.5 * (x[:, 0] - 1.0)
        return g

    x0 = np.ones(N)
    x0[0] = -1.0
    return Definition(x0, values, gradients, f_best=0.0)
