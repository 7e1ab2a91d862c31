"""Least squares in which every residual sees every variable."""

import math

import numpy as np

from steelyard.checks import check_range
from steelyard.problems.cutest.structure import least_squares
from steelyard.problems.definitions import Definition, problem
from steelyard.problems.rows import in_chunks, row_matmul, sum_of_squares
from steelyard.typing import Array

BLOCK = 4000
"""How many pairs of variables MANCINO takes at a time."""


@problem("MANCINO", family="dense", source="a solution (found by L-BFGS-B: 1e-21)", notes="follows the SIF of May 2024")
def mancino(N: int = 100, ALPHA: int = 5, BETA: float = 14.0, GAMMA: int = 3) -> Definition:
    """Residuals BETA N x_i - (i - N/2)^GAMMA + sum_{j != i} v (sin^ALPHA(log v) + cos^ALPHA(log v)) with
    v = sqrt(x_j^2 + i/j): N^2 logarithms and sines per point."""
    check_range("N", N, 2)
    check_range("ALPHA", ALPHA, 3)
    i = np.arange(1.0, N + 1)
    ratio = i[:, None] / i
    off_diagonal = 1.0 - np.eye(N)
    constant = (i - 0.5 * N) ** GAMMA
    factor = BETA * N

    # A few i at a time: N^2 numbers in each temporary array would cost more in fresh memory than in arithmetic.
    some = max(1, BLOCK // N)
    blocks = [slice(start, start + some) for start in range(0, N, some)]

    def values(x: Array) -> Array:
        square, r = x * x, factor * x - constant
        for block in blocks:
            v = np.sqrt(square[:, None, :] + ratio[block])
            # sin a + cos a = sqrt 2 sin(a + pi / 4): one sine instead of two.
            sums = _power_sums(math.sqrt(2.0) * np.sin(np.log(v) + 0.25 * math.pi), ALPHA)
            r[:, block] += np.add.reduce(v * sums * off_diagonal[block], axis=2)
        return sum_of_squares(r)

    def gradients(x: Array) -> Array:
        square, r, slopes = x * x, factor * x - constant, np.zeros_like(x)
        for block in blocks:
            v = np.sqrt(square[:, None, :] + ratio[block])
            angle = np.log(v)
            s, c = np.sin(angle), np.cos(angle)
            sums = _power_sums(s + c, ALPHA)
            r[:, block] += np.add.reduce(v * sums * off_diagonal[block], axis=2)
            by_v = sums + ALPHA * s * c * (_power(s, ALPHA - 2) - _power(c, ALPHA - 2))
            slopes += np.add.reduce(r[:, block, None] * (by_v / v * off_diagonal[block]), axis=1)
        return 2.0 * (factor * r + x * slopes)

    # The start repeats the SIF's order of operations, which fixes its last bits.
    v = np.sqrt(i[:, None] * (1.0 / i))
    h = v * (_power(np.sin(np.log(v)), ALPHA) + _power(np.cos(np.log(v)), ALPHA)) * off_diagonal
    scale = -factor * (1.0 / (factor * factor - (ALPHA + 1.0) ** 2 * (N - 1.0) ** 2))
    x0 = (np.add.accumulate(h, axis=1)[:, -1] + constant) * scale
    return Definition(x0, in_chunks(values, 4 * some * N), in_chunks(gradients, 4 * some * N), f_best=0.0)


def _power_sums(p: Array, exponent: int) -> Array:
    """s^exponent + c^exponent for the sine and cosine whose sum is p, by Newton's identities."""
    q = p * p  # s c = (p^2 - 1) / 2, as s^2 + c^2 = 1
    q -= 1.0
    q *= 0.5
    # In place, as fresh memory costs more than the arithmetic.
    before, last, spare = p.copy(), np.ones_like(p), np.empty_like(p)
    for _ in range(exponent - 2):
        np.multiply(p, last, out=spare)
        before *= q
        spare -= before
        before, last, spare = last, spare, before
    return last


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

    def residuals(x: Array) -> Array:
        p = row_matmul(x, value)
        return row_matmul(x, slope) - p * p - target

    def pullback(x: Array, w: Array) -> Array:
        return row_matmul(w, slope.T) - row_matmul(2.0 * row_matmul(x, value) * w, value.T)

    return least_squares(np.zeros(N), residuals, pullback, f_best=None)


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

    def residuals(x: Array) -> Array:
        shifted = x[:, 1:-1] + (t + 1.0)
        r = x.copy()
        r[:, 1:-1] += kernel(shifted * shifted * shifted, t, below)
        return r

    def pullback(x: Array, w: Array) -> Array:
        shifted = x[:, 1:-1] + (t + 1.0)
        g = w.copy()
        # The kernel is symmetric, so its transpose is itself.
        g[:, 1:-1] += 3.0 * (shifted * shifted) * kernel(w[:, 1:-1], t, below)
        return g

    x0 = np.zeros(N + 2)
    x0[1:-1] = t * (t - 1.0)
    return least_squares(x0, residuals, pullback)
