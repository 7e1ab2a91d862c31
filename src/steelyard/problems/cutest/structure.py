"""What many definitions share: least squares, diagonal scaling, sums over bands and over index sets."""

from collections.abc import Callable

import numpy as np

from steelyard.problems.definitions import Definition
from steelyard.problems.rows import in_chunks, sum_of_squares
from steelyard.typing import AnyArray, Array, Kernel


def one_to(n: int) -> Array:
    """1.0, 2.0, ..., n: the index of each variable, as the formulas count."""
    return np.arange(1.0, n + 1.0)


def least_squares(
    x0: Array, residuals: Kernel, pullback: Callable[[Array, Array], Array], f_best: float | None = 0.0, size: int = 1
) -> Definition:
    """The sum of squared residuals; `pullback(x, w)` is w'J, with J the residuals' Jacobian at x.

    Temporary arrays have `size` numbers per row."""

    def values(x: Array) -> Array:
        return sum_of_squares(residuals(x))

    def gradients(x: Array) -> Array:
        return pullback(x, 2.0 * residuals(x))

    if size == 1:
        return Definition(x0, values, gradients, f_best)
    return Definition(x0, in_chunks(values, size), in_chunks(gradients, size), f_best)


def rescaled(inner: Definition, scale: Array, x0: Array) -> Definition:
    """The function x -> inner(scale * x): the same landscape, stretched along the axes."""

    def values(x: Array) -> Array:
        return inner.values(scale * x)

    def gradients(x: Array) -> Array:
        return scale * inner.gradients(scale * x)

    return Definition(x0, values, gradients, inner.f_best)


def with_stretched_axes(inner: Definition, scal: float, x0: Callable[[Array], Array] = np.reciprocal) -> Definition:
    """`inner` at s x, with factors s that grow geometrically from 1 to exp(scal), from `x0(s)`, by default 1 / s."""
    N = inner.x0.size
    scale = np.exp(np.arange(N) / (N - 1.0) * scal)
    return rescaled(inner, scale, x0(scale))


def window_sums(x: Array, first: int, last: int) -> Array:
    """y_i = x_{i+first} + ... + x_{i+last}, with zeros beyond the ends, in O(n log(last - first)).

    Sums of 2, 4, 8, ... neighbours are put together; differences of running totals would lose digits.
    The transpose is `window_sums(w, -last, -first)`.
    """
    m, n = x.shape
    width = last - first + 1
    start, stop = max(0, first), min(n, n + last)
    sums = np.zeros((m, n + width - 1))
    sums[:, start - first : stop - first] = x[:, start:stop]
    total: Array | None = None
    offset, size = 0, 1
    while True:
        if width & size:
            part = sums[:, offset : offset + n]
            total = part if total is None else total + part
            offset += size
        if 2 * size > width:
            return np.ascontiguousarray(total)
        sums = sums[:, :-size] + sums[:, size:]
        size *= 2


def second_differences(x: Array) -> Array:
    """2 x_i - x_{i-1} - x_{i+1}, with zeros beyond the ends (a symmetric matrix times x)."""
    y = 2.0 * x
    y[:, 1:] -= x[:, :-1]
    y[:, :-1] -= x[:, 1:]
    return y


class IndexSums:
    """y_i = sum over k of x[index[k, i]], and its transpose; an index may occur more than once.

    Every variable must occur at least once.
    """

    def __init__(self, index: AnyArray) -> None:
        terms, self._n = index.shape
        self._index = index.ravel()
        self._slices = [slice(k * self._n, (k + 1) * self._n) for k in range(1, terms)]
        order = np.argsort(self._index, kind="stable")
        self._targets = order % self._n
        self._starts = np.searchsorted(self._index[order], np.arange(self._n))

    def __call__(self, x: Array) -> Array:
        terms = np.take(x, self._index, axis=1)
        total = terms[:, : self._n]
        for part in self._slices:
            total = total + terms[:, part]
        return total

    def transpose(self, w: Array) -> Array:
        return np.asarray(np.add.reduceat(np.take(w, self._targets, axis=1), self._starts, axis=1))


def multiples_modulo(N: int, *factors_and_shifts: tuple[int, int]) -> AnyArray:
    """One row of 0-based positions per (a, b): (a i - b) mod N for i = 1, ..., N."""
    i = np.arange(1, N + 1)
    return np.stack([(a * i - b) % N for a, b in factors_and_shifts])
