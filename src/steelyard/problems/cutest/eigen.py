"""Eigenvalues and eigenvectors of a symmetric matrix as least squares: A = Q'DQ and Q'Q = I."""

import numpy as np

from steelyard.checks import check_range
from steelyard.problems.definitions import Definition, problem
from steelyard.problems.rows import sum_of_squares
from steelyard.typing import Array

_SOURCE = "a system with a solution: the eigenvectors"
_NOTES = "N is the order of the matrix; n = N (N + 1)."


def _eigen(A: Array) -> Definition:
    """Variables, for each column j: the eigenvalue d_j, then column j of Q. Each pair i <= j counts once."""
    N = len(A)
    identity = np.eye(N)
    weight = 0.5 * (1.0 + identity)
    half = np.sqrt(weight)

    def parts(x: Array) -> tuple[Array, Array, Array, Array]:
        table = x.reshape(-1, N, N + 1)
        D, Q = np.ascontiguousarray(table[:, None, :, 0]), np.ascontiguousarray(table[:, :, 1:])
        transposed = Q.swapaxes(1, 2)
        # One product of two small matrices per row of x: the same rounding in any batch.
        return D, Q, np.matmul(Q * D, transposed) - A, np.matmul(Q, transposed) - identity

    def values(x: Array) -> Array:
        eigen, orthogonal = ((half * part).reshape(len(x), -1) for part in parts(x)[2:])
        return sum_of_squares(eigen) + sum_of_squares(orthogonal)

    def gradients(x: Array) -> Array:
        D, Q, eigen, orthogonal = parts(x)
        EQ = np.matmul(2.0 * weight * eigen, Q)
        g = np.empty((len(x), N, N + 1))
        g[:, :, 0] = np.add.reduce(Q * EQ, axis=1)
        g[:, :, 1:] = 2.0 * EQ * D + 2.0 * np.matmul(2.0 * weight * orthogonal, Q)
        return g.reshape(len(x), -1)

    x0 = np.zeros((N, N + 1))
    x0[:, 0] = 1.0
    x0[:, 1:] = identity
    return Definition(x0.ravel(), values, gradients, f_best=0.0)


@problem("EIGENALS", family="dense", source=_SOURCE, notes=_NOTES)
def eigenals(N: int = 10) -> Definition:
    """The diagonal matrix 1, 2, ..., N."""
    check_range("N", N, 2)
    return _eigen(np.diag(np.arange(1.0, N + 1.0)))


@problem("EIGENBLS", family="dense", source=_SOURCE, notes=_NOTES)
def eigenbls(N: int = 10) -> Definition:
    """The tridiagonal matrix with 2 on the diagonal and -1 next to it."""
    check_range("N", N, 2)
    return _eigen(2.0 * np.eye(N) - np.eye(N, k=1) - np.eye(N, k=-1))
