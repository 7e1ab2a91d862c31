"""Linear least squares of full rank and of rank one (problems 32 and 33 of More, Garbow and Hillstrom, 1981)."""

import numpy as np

from steelyard.checks import check_range
from steelyard.problems.cutest.structure import least_squares, one_to
from steelyard.problems.definitions import Definition, problem
from steelyard.problems.rows import row_dot, row_sum, sum_of_squares
from steelyard.typing import Array


@problem("ARGLINA", family="dense", source="M - N, the part of the right-hand side outside the range")
def arglina(N: int = 100, M: int = 200) -> Definition:
    """M residuals x_i - 2/M sum x - 1, where x_i counts as 0 beyond N."""
    check_range("N", N, 2)
    check_range("M", M, N)

    def parts(x: Array) -> tuple[Array, Array]:
        rest = -2.0 / M * row_sum(x)[:, None] - 1.0
        return x + rest, rest

    def values(x: Array) -> Array:
        residuals, rest = parts(x)
        return sum_of_squares(residuals) + (M - N) * rest[:, 0] ** 2

    def gradients(x: Array) -> Array:
        residuals, rest = parts(x)
        total = row_sum(residuals)[:, None] + (M - N) * rest
        return 2.0 * residuals - 4.0 / M * total

    return Definition(np.ones(N), values, gradients, f_best=float(M - N))


@problem("ARGLINB", family="ill-conditioned", source="M (M - 1) / (4 M + 2), at sum j x_j = 3 / (2 M + 1)")
def arglinb(N: int = 100, M: int = 200) -> Definition:
    """M residuals i (sum j x_j) - 1: flat in all directions but one."""
    check_range("N", N, 2)
    check_range("M", M, N)
    i, j = one_to(M), one_to(N)

    def residuals(x: Array) -> Array:
        return row_dot(x, j)[:, None] * i - 1.0

    def pullback(x: Array, w: Array) -> Array:
        return row_dot(w, i)[:, None] * j

    return least_squares(np.ones(N), residuals, pullback, f_best=M * (M - 1) / (4 * M + 2))
