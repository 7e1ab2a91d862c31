"""Row-wise sums whose order of addition never depends on how many rows there are.

BLAS picks another kernel, and so another rounding, for another number of rows. A run in a batch must equal the run
alone bit for bit, so the definitions of problems sum with these only.
"""

from __future__ import annotations

import numpy as np

from steelyard.typing import Array

# einsum cuts its work into pieces of this size, and where they fall in a longer row depends on the rows before it.
_EINSUM_ROW = 8192


def row_sum(a: Array) -> Array:
    """The sum of each row."""
    result: Array = np.add.reduce(a, axis=1)
    return result


def row_dot(a: Array, b: Array) -> Array:
    """The inner product of each row of `a` with the same row of `b`, or with the vector `b`."""
    if a.shape[1] > _EINSUM_ROW:
        return row_sum(a * b)
    result: Array = np.einsum("ij,ij->i" if b.ndim == 2 else "ij,j->i", a, b)
    return result


def sum_of_squares(residuals: Array) -> Array:
    """The squared length of each row: the value of a least-squares problem."""
    return row_dot(residuals, residuals)


def row_matmul(a: Array, matrix: Array) -> Array:
    """`a @ matrix`, one row at a time inside NumPy: as fast as BLAS is for a vector."""
    result: Array = np.matmul(a[:, None, :], matrix)[:, 0, :]
    return result
