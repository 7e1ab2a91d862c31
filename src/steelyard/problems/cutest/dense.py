"""Least squares in which every residual sees every variable."""

from __future__ import annotations

import numpy as np

from steelyard.problems.registry import Definition, check_range, problem
from steelyard.problems.rows import in_chunks, row_matmul, sum_of_squares
from steelyard.typing import Array


@problem("MANCINO", family="dense", source="a solution (found by L-BFGS-B: 1e-21)", notes="follows the SIF of May 2024")
def mancino(N: int = 100, ALPHA: int = 5, BETA: float = 14.0, GAMMA: int = 3) -> Definition:
    """Residuals BETA N x_i - (i - N/2)^GAMMA + sum_{j != i} v (sin^ALPHA(log v) + cos^ALPHA(log v)) with
    v = sqrt(x_j^2 + i/j): N^2 logarithms and sines a point."""
    check_range("N", N, 2)
    check_range("ALPHA", ALPHA, 3)
    i = np.arange(1.0, N + 1)
    ratio = i[:, None] * (1.0 / i)
    off_diagonal = 1.0 - np.eye(N)
    constant = (i - 0.5 * N) ** GAMMA
    factor = BETA * N

    def element(radicand: Array) -> tuple[Array, Array, Array, Array]:
        v = np.sqrt(radicand)
        angle = np.log(v)
        sines, cosines = np.sin(angle), np.cos(angle)
        return v, sines, cosines, v * (_power(sines, ALPHA) + _power(cosines, ALPHA)) * off_diagonal

    def residuals(x: Array) -> tuple[Array, Array, Array, Array]:
        v, sines, cosines, h = element((x * x)[:, None, :] + i[:, None] / i)
        return factor * x + np.add.reduce(h, axis=2) - constant, v, sines, cosines

    def values(x: Array) -> Array:
        return sum_of_squares(residuals(x)[0])

    def gradients(x: Array) -> Array:
        r, v, s, c = residuals(x)
        sums = _power(s, ALPHA) + _power(c, ALPHA) + ALPHA * s * c * (_power(s, ALPHA - 2) - _power(c, ALPHA - 2))
        slopes = np.add.reduce(r[:, :, None] * (sums / v * off_diagonal), axis=1)
        g: Array = 2.0 * (factor * r + x * slopes)
        return g

    scale = -factor * (1.0 / (factor * factor - (ALPHA + 1.0) ** 2 * (N - 1.0) ** 2))
    x0 = (np.add.accumulate(element(ratio)[3], axis=1)[:, -1] + constant) * scale
    return Definition(x0, in_chunks(values, N * N), in_chunks(gradients, N * N), f_best=0.0)


def _power(a: Array, exponent: int) -> Array:
    """a^exponent for a small whole exponent: many times faster than the general power."""
    result = a
    for _ in range(exponent - 1):
        result = result * a
    return result


@problem(
    "WATSON",
    family="ill-conditioned",
    f_best=4.730227613960625e-10,
    source="trust-exact on CUTEst",
    notes="follows the SIF, whose squared term has the first 12 variables only",
)
def watson(N: int = 12) -> Definition:
    """A polynomial p of degree N - 1 that should satisfy p' = p^2 + 1 at i / 29 and p(0) = 0."""
    check_range("N", N, 12, 31)
    log_t = np.log(np.arange(1.0, 30.0) * (1.0 / 29.0))[:, None]
    j = np.arange(1.0, N + 1)
    # Rows 30 and 31 are p(0) and p'(0) - p(0)^2 - 1.
    slope = np.vstack([np.exp((j - 2.0) * log_t) * (j - 1.0), np.eye(N)[:2]]).T.copy()
    value = np.vstack([np.exp((j - 1.0) * log_t), np.zeros(N), np.eye(N)[0]]).T.copy()
    value[12:] = 0.0
    target = np.ones(31)
    target[29] = 0.0

    def values(x: Array) -> Array:
        p = row_matmul(x, value)
        return sum_of_squares(row_matmul(x, slope) - p * p - target)

    def gradients(x: Array) -> Array:
        p = row_matmul(x, value)
        r = 2.0 * (row_matmul(x, slope) - p * p - target)
        return row_matmul(r, slope.T) - row_matmul(2.0 * p * r, value.T)

    return Definition(np.zeros(N), values, gradients)


@problem("INTEQNELS", family="dense", source="a solution of the discrete integral equation")
def inteqnels(N: int = 10) -> Definition:
    """The discrete integral equation of Moré, Garbow and Hillstrom with its two ends as variables: n = N + 2.

    Running sums make it O(N) though every residual sees every variable.
    """
    check_range("N", N, 1)
    h = 1.0 / (N + 1.0)
    t = np.arange(1.0, N + 1) * h
    below, above = 1.0 - t, t

    def kernel(cubes: Array, near: Array, far: Array) -> Array:
        """below_i sum_{j <= i} near_j + above_i sum_{j > i} far_j."""
        upto = np.add.accumulate(near * cubes, axis=1)
        after = np.zeros_like(cubes)
        after[:, :-1] = np.add.accumulate((far * cubes)[:, :0:-1], axis=1)[:, ::-1]
        return (0.5 * h) * (below * upto + above * after)

    def residuals(x: Array) -> tuple[Array, Array]:
        shifted = x[:, 1:-1] + (t + 1.0)
        r = x.copy()
        r[:, 1:-1] += kernel(shifted * shifted * shifted, t, below)
        return r, shifted

    def values(x: Array) -> Array:
        return sum_of_squares(residuals(x)[0])

    def gradients(x: Array) -> Array:
        r, shifted = residuals(x)
        # The kernel is symmetric, so its transpose is itself.
        g = 2.0 * r
        g[:, 1:-1] += 6.0 * (shifted * shifted) * kernel(r[:, 1:-1], t, below)
        return g

    x0 = np.zeros(N + 2)
    x0[1:-1] = t * (t - 1.0)
    return Definition(x0, values, gradients, f_best=0.0)
