"""Powers of single variables and of their sums: separable, dense and badly scaled polynomials, and a penalty."""

import numpy as np

from steelyard.checks import check_range
from steelyard.problems.cutest.structure import least_squares, one_to
from steelyard.problems.definitions import Definition, problem
from steelyard.problems.rows import in_chunks, row_dot, row_sum, staggered, sum_of_squares
from steelyard.typing import Array


@problem("QUARTC", family="separable", source="0 where x_i = i")
def quartc(N: int = 100) -> Definition:
    """sum (x_i - i)^4."""
    check_range("N", N, 1)
    i = one_to(N)

    def values(x: Array) -> Array:
        d = x - i
        return sum_of_squares(d * d)

    def gradients(x: Array) -> Array:
        d = x - i
        return 4.0 * (d * d * d)

    return Definition(np.full(N, 2.0), values, gradients, f_best=0.0)


@problem("POWER", family="dense", source="0 at the origin")
def power(N: int = 100) -> Definition:
    """(sum i x_i^2)^2."""
    check_range("N", N, 1)
    i = one_to(N)

    def values(x: Array) -> Array:
        return row_dot(x * x, i) ** 2

    def gradients(x: Array) -> Array:
        return 4.0 * row_dot(x * x, i)[:, None] * (i * x)

    return Definition(np.ones(N), values, gradients, f_best=0.0)


@problem("POWERSUM", family="ill-conditioned", source="a system with a solution from N = 4 on: 1, 2, 3, 2, 0, 0, ...")
def powersum(N: int = 10) -> Definition:
    """Residuals sum_j x_j^i - (1 + 2^i + 3^i + 2^i) for i = 1, ..., N."""
    check_range("N", N, 1)
    i = one_to(N)
    data = 1.0 + 2.0 * 2.0**i + 3.0**i

    def table(x: Array) -> Array:
        """x_j^i at [i - 1, j], by repeated multiplication."""
        return np.multiply.accumulate(np.broadcast_to(x[:, None, :], (len(x), N, N)), axis=1)

    def residuals(x: Array) -> Array:
        return row_sum(table(x).reshape(-1, N)).reshape(-1, N) - data

    def pullback(x: Array, w: Array) -> Array:
        # Horner's scheme for sum_i i w_i x^(i-1).
        weights = i * w
        g = np.repeat(weights[:, -1:], N, axis=1)
        for k in range(N - 2, -1, -1):
            g = g * x + weights[:, k : k + 1]
        return g

    return least_squares(np.full(N, 2.0), in_chunks(residuals, N * N), pullback, f_best=0.0 if N >= 4 else None)


@problem("KSSLS", family="dense", source="a system with a solution: all x_i alike, a root of a quadratic")
def kssls(N: int = 100) -> Definition:
    """Residuals x_i^2 - 4 x_i + sum x_j - (N - 1)."""
    check_range("N", N, 2)

    def residuals(x: Array) -> Array:
        return x * x - 4.0 * x + (row_sum(x)[:, None] - (N - 1.0))

    def pullback(x: Array, w: Array) -> Array:
        return (2.0 * x - 4.0) * w + row_sum(w)[:, None]

    return least_squares(np.full(N, 1000.0), residuals, pullback)


@problem(
    "n10FOLDTRLS",
    family="unbounded",
    notes="Unbounded below: the SIF leaves out the square of all groups but the last two.",
)
def n10foldtrls(N: int = 4) -> Definition:
    """With e_i = x_1 + ... + x_i: e_1 + ... + e_{N-2} + e_{N-1}^4 + e_N^10."""
    check_range("N", N, 2)

    def values(x: Array) -> Array:
        e = np.cumsum(x, axis=1)
        fourth, square = (e[:, -2] ** 2) ** 2, e[:, -1] ** 2
        return row_sum(e[:, :-2]) + fourth + square * (square**2) ** 2

    def gradients(x: Array) -> Array:
        e = np.cumsum(x, axis=1)
        square = e[:, -1] ** 2
        to_e = np.ones_like(x)
        to_e[:, -2] = 4.0 * e[:, -2] * e[:, -2] ** 2
        to_e[:, -1] = 10.0 * e[:, -1] * (square**2) ** 2
        return np.ascontiguousarray(np.cumsum(to_e[:, ::-1], axis=1)[:, ::-1])

    return Definition(np.full(N, 10.0), values, gradients)


_PENALTY2_BEST = {4: 9.376293007e-6, 10: 2.936605374e-4, 50: 4.29609813386, 100: 97096.0839546}


@problem(
    "PENALTY2",
    family="ill-conditioned",
    source="for N = 4, 10, 50 and 100 our own L-BFGS-B, which agrees with the SIF's comments",
)
def penalty2(N: int = 100) -> Definition:
    """With e_i = exp(x_i / 10), y_i = exp(i / 10) + exp((i - 1) / 10) and a = 1e-5:

    (x_1 - 0.2)^2 + a sum (e_i + e_{i-1} - y_i)^2 + a sum (e_i - exp(-1/10))^2 + (sum (N - j + 1) x_j^2 - 1)^2,
    the two middle sums over i = 2, ..., N.
    """
    check_range("N", N, 2, 3500)  # exp(N/10)^2 leaves the range of floats beyond
    a = 1e-5
    i = one_to(N)
    y = np.exp(0.1 * i[1:]) + np.exp(0.1 * i[:-1])
    floor = np.exp(-0.1)
    weights = i[::-1].copy()

    def values(x: Array) -> Array:
        e = np.exp(0.1 * x)
        later = e[:, 1:]
        pairs = sum_of_squares(later + e[:, :-1] - y) + sum_of_squares(later - floor)
        return (x[:, 0] - 0.2) ** 2 + a * pairs + (row_dot(x * x, weights) - 1.0) ** 2

    def gradients(x: Array) -> Array:
        e = np.exp(0.1 * x)
        later = e[:, 1:]
        pair = later + e[:, :-1] - y
        to_e = staggered(pair, pair + (later - floor))
        g = 0.2 * a * e * to_e + 4.0 * (row_dot(x * x, weights) - 1.0)[:, None] * (weights * x)
        g[:, 0] += 2.0 * (x[:, 0] - 0.2)
        return g

    return Definition(np.full(N, 0.5), values, gradients, f_best=_PENALTY2_BEST.get(N))
