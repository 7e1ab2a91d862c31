"""Sums over scattered index sets (multiples of i modulo N): sparse Hessians without a band."""

import numpy as np

from steelyard.checks import check_range
from steelyard.problems.cutest.structure import IndexSums, multiples_modulo, one_to
from steelyard.problems.definitions import Definition, problem
from steelyard.problems.rows import row_dot, row_sum
from steelyard.typing import AnyArray, Array, Kernel

# i, 2i, 3i, 5i, 7i and 11i.
_SIX = ((1, 1), (2, 1), (3, 1), (5, 1), (7, 1), (11, 1))


@problem("SPARSINE", family="multimodal", source="0 at the origin")
def sparsine(N: int = 100) -> Definition:
    """1/2 sum i (sum of sin x_j over the six multiples of i)^2."""
    return _sparse(N, np.sin, np.cos)


@problem("SPARSQUR", family="sparse", source="0 at the origin")
def sparsqur(N: int = 100) -> Definition:
    """1/2 sum i (sum of x_j^2 / 2 over the six multiples of i)^2."""
    return _sparse(N, lambda x: 0.5 * x * x, lambda x: x)


def _sparse(N: int, term: Kernel, slope: Kernel) -> Definition:
    """1/2 sum i (sum of term(x_j) over the six multiples of i)^2; `slope` is the derivative of `term`."""
    check_range("N", N, 2)
    sums, i = IndexSums(multiples_modulo(N, *_SIX)), one_to(N)

    def values(x: Array) -> Array:
        alpha = sums(term(x))
        return 0.5 * row_dot(alpha * alpha, i)

    def gradients(x: Array) -> Array:
        return slope(x) * sums.transpose(i * sums(term(x)))

    return Definition(np.full(N, 0.5), values, gradients, f_best=0.0)


# The minimum of v^2 + 4 cos v is at v = 2 sin v.
_LOWEST_V = 1.895494267033981
_NONCONVEX = "N times the minimum of v^2 + 4 cos v, which the constant point x_i = v/3 takes everywhere"


def _nonconvex(index: AnyArray) -> Definition:
    """sum v_i^2 + 4 cos v_i, where v_i is a sum of three variables."""
    sums = IndexSums(index)
    N = index.shape[1]

    def values(x: Array) -> Array:
        v = sums(x)
        return row_sum(v * v + 4.0 * np.cos(v))

    def gradients(x: Array) -> Array:
        v = sums(x)
        return sums.transpose(2.0 * v - 4.0 * np.sin(v))

    lowest = _LOWEST_V**2 + 4.0 * float(np.cos(_LOWEST_V))
    return Definition(one_to(N), values, gradients, f_best=N * lowest)


@problem("NONCVXU2", family="multimodal", source=_NONCONVEX)
def noncvxu2(N: int = 100) -> Definition:
    """Over i, 3i - 2 and 7i - 3."""
    check_range("N", N, 2)
    return _nonconvex(multiples_modulo(N, (1, 1), (3, 2), (7, 3)))


@problem("NONCVXUN", family="multimodal", source=_NONCONVEX)
def noncvxun(N: int = 100) -> Definition:
    """Over i, 2i and 3i."""
    check_range("N", N, 2)
    return _nonconvex(multiples_modulo(N, (1, 1), (2, 1), (3, 1)))
