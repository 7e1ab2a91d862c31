"""Quadratics: the Hilbert matrix, whose condition number grows like exp(3.5 n)."""

import numpy as np

from steelyard.checks import check_range
from steelyard.problems.definitions import Definition, problem
from steelyard.problems.rows import row_dot, row_matmul
from steelyard.typing import Array


def _hilbert(N: int, D: float) -> Definition:
    """x'Ax / 2 with the Hilbert matrix A_ij = 1 / (i + j - 1), plus D ||x||^2."""
    check_range("N", N, 1)
    i = np.arange(1, N + 1)
    A = 1.0 / (i[:, None] + i - 1.0) + 2.0 * D * np.eye(N)

    def values(x: Array) -> Array:
        return 0.5 * row_dot(row_matmul(x, A), x)

    def gradients(x: Array) -> Array:
        return row_matmul(x, A)

    return Definition(np.full(N, -3.0), values, gradients, f_best=0.0)


@problem("HILBERTA", family="ill-conditioned", source="positive definite: 0 at the origin")
def hilberta(N: int = 2, D: float = 0.0) -> Definition:
    return _hilbert(N, D)


@problem("HILBERTB", family="dense", source="positive definite: 0 at the origin")
def hilbertb(N: int = 10, D: float = 5.0) -> Definition:
    return _hilbert(N, D)
