"""Row-wise sums whose order of addition never depends on how many rows there are.

BLAS picks another kernel, and so another rounding, for another number of rows, and einsum cuts long rows in pieces
that depend on the rows before. A run in a batch must equal the run alone bit for bit, so the definitions of problems
sum with these only.
"""

import numpy as np

from steelyard.typing import Array, Kernel

CHUNK = 16_000
"""The most numbers that a temporary array should have: above 128 kB malloc takes fresh pages each time."""


def row_sum(a: Array) -> Array:
    """The sum of each row."""
    result: Array = np.add.reduce(a, axis=1)
    return result


def row_dot(a: Array, b: Array) -> Array:
    """The inner product of each row of `a` with the same row of `b`, or with the vector `b`."""
    return row_sum(a * b)


def sum_of_squares(residuals: Array) -> Array:
    """The squared length of each row: the value of a least-squares problem."""
    return row_sum(residuals * residuals)


def staggered(*terms: Array) -> Array:
    """The sum of terms of one width, each a column further to the right than the one before."""
    width = terms[0].shape[1]
    total = np.zeros((len(terms[0]), width + len(terms) - 1))
    for k, term in enumerate(terms):
        total[:, k : k + width] += term
    return total


def row_matmul(a: Array, matrix: Array) -> Array:
    """`a @ matrix`, one row at a time inside NumPy: as fast as BLAS is for a vector."""
    result: Array = np.matmul(a[:, None, :], matrix)[:, 0, :]
    return result


def in_chunks(kernel: Kernel, numbers: int) -> Kernel:
    """The kernel, given few enough rows at a time for temporary arrays of `numbers` entries per row."""
    rows = max(1, CHUNK // numbers)

    def chunked(x: Array) -> Array:
        if len(x) <= rows:
            return kernel(x)
        return np.concatenate([kernel(x[start : start + rows]) for start in range(0, len(x), rows)])

    return chunked
