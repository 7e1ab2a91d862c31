"""Problems made of sines and cosines: many local minima."""

import math

import numpy as np

from steelyard.checks import check_range
from steelyard.problems.cutest.structure import least_squares, one_to
from steelyard.problems.definitions import Definition, problem
from steelyard.problems.rows import row_dot, row_sum, staggered, sum_of_squares
from steelyard.typing import Array


@problem("TRIGON1", family="dense", source="a solution: the origin")
def trigon1(N: int = 10) -> Definition:
    """Residuals sum_j cos x_j + i (cos x_i + sin x_i) - (N + i)."""
    check_range("N", N, 1)
    i = one_to(N)

    def residuals(x: Array) -> Array:
        cosines: Array = np.cos(x)
        return row_sum(cosines)[:, None] + i * (cosines + np.sin(x)) - (N + i)

    def pullback(x: Array, w: Array) -> Array:
        sines: Array = np.sin(x)
        return i * w * (np.cos(x) - sines) - row_sum(w)[:, None] * sines

    return least_squares(np.full(N, 0.1), residuals, pullback)


@problem(
    "TRIGON2",
    family="multimodal",
    source="1 at x_i = 0.9, except for rounding in the SIF",
    notes="follows the SIF, which squares the sum of both sines (the textbook sums their squares) and takes 0.9 inside "
    "the sines in single precision; 0.05 f(x0) needs a move to another basin",
)
def trigon2(N: int = 10) -> Definition:
    """1 + sum (sqrt 8 sin 7 d_i^2 + sqrt 6 sin 14 d_i^2)^2 + (x_i - 0.9)^2, d_i = x_i - 0.9."""
    check_range("N", N, 1)
    centre = float(np.float32(0.9))
    root8, root6 = math.sqrt(8.0), math.sqrt(6.0)

    def values(x: Array) -> Array:
        d = x - centre
        square = d * d
        waves, end = root8 * np.sin(7.0 * square) + root6 * np.sin(14.0 * square), x - 0.9
        return 1.0 + row_sum(waves * waves + end * end)

    def gradients(x: Array) -> Array:
        d = x - centre
        seven, fourteen = 7.0 * (d * d), 14.0 * (d * d)
        r = root8 * np.sin(seven) + root6 * np.sin(fourteen)
        slope = 7.0 * root8 * np.cos(seven) + 14.0 * root6 * np.cos(fourteen)
        return 4.0 * r * slope * d + 2.0 * (x - 0.9)

    return Definition(np.arange(1.0, N + 1) / N, values, gradients, f_best=1.0)


@problem(
    "STRTCHDV",
    family="multimodal",
    source="a solution: the origin",
    notes="follows the SIF, which takes the exponent 0.1 in single precision; the gradient is unbounded at the origin, "
    "where it is given as 0",
)
def strtchdv(N: int = 10) -> Definition:
    """Stretched V: residuals y^(1/8) (sin(50 y^(1/10)) + 1) with y = x_i^2 + x_{i+1}^2."""
    check_range("N", N, 2)
    q = float(np.float32(0.1))

    def values(x: Array) -> Array:
        square = x * x
        y = square[:, :-1] + square[:, 1:]
        wave: Array = np.sin(50.0 * y**q) + 1.0
        return row_sum(np.sqrt(np.sqrt(y)) * (wave * wave))

    def gradients(x: Array) -> Array:
        square = x * x
        y = square[:, :-1] + square[:, 1:]
        angle = 50.0 * y**q
        wave = np.sin(angle) + 1.0
        # With r = y^(1/8) wave: d(r^2)/dy = 2 y^(1/4) / y * wave (wave / 8 + q angle cos(angle)).
        slope = 2.0 * np.sqrt(np.sqrt(y)) * wave * (0.125 * wave + q * angle * np.cos(angle))
        slope = 2.0 * np.divide(slope, y, out=np.zeros_like(y), where=y > 0.0)
        return staggered(slope, slope) * x

    x0 = np.full(N, -1.0)
    x0[0] = 1.0
    return Definition(x0, values, gradients, f_best=0.0)


@problem(
    "SENSORS",
    family="multimodal",
    source="-27 n^2 / 128 for even n: sin^2 = 3/4 with half the cosines of each sign",
    notes="f(x0) is negative, so f <= 0.05 f(x0) holds at x0 already",
)
def sensors(N: int = 100) -> Definition:
    """Optimal sensor placement: -sum_ij (sin a_i sin a_j sin(a_i - a_j))^2, here in O(N) operations.

    With s = sin a and c = cos a the sum is 2 (sum s^4 sum s^2 c^2 - (sum s^3 c)^2).
    """
    check_range("N", N, 2)

    def moments(s: Array, c: Array) -> tuple[Array, Array, Array, Array, Array]:
        ss, sc = s * s, s * c
        return ss, sc, sum_of_squares(ss), sum_of_squares(sc), row_dot(ss, sc)

    def values(x: Array) -> Array:
        _, _, A, B, C = moments(np.sin(x), np.cos(x))
        return -2.0 * (A * B - C * C)

    def gradients(x: Array) -> Array:
        s, c = np.sin(x), np.cos(x)
        ss, sc, A, B, C = moments(s, c)
        by_a, by_b, by_c = 4.0 * ss * sc, 2.0 * sc * (c * c - ss), ss * (3.0 * (c * c) - ss)
        return -2.0 * (B[:, None] * by_a + A[:, None] * by_b - 2.0 * C[:, None] * by_c)

    f_best = -27.0 * N * N / 128.0 if N % 2 == 0 else None
    return Definition(np.arange(1.0, N + 1) / N, values, gradients, f_best)
