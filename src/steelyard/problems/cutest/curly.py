"""Curly functions: a quartic with two valleys in every sum of neighbours, also stretched along the axes."""

from collections.abc import Callable

import numpy as np

from steelyard.checks import check_range
from steelyard.problems.cutest.structure import one_to, window_sums, with_stretched_axes
from steelyard.problems.definitions import Definition, problem
from steelyard.problems.rows import row_sum
from steelyard.typing import Array

_SOURCE = "N times the quartic's minimum; the sums determine x, so all of them can take it"
_START = "x0 is s times CUTEst's start of the curly function, as in the SIF (not divided by s)."


def _quartic(q: Array) -> Array:
    return q * (q * (q * q - 20.0) - 0.1)


def _curly(N: int, K: int) -> Definition:
    """The sum over i of p(x_i + ... + x_{i+K}), cut off at N, with p(q) = q^4 - 20 q^2 - 0.1 q."""
    check_range("N", N, K)

    def values(x: Array) -> Array:
        return row_sum(_quartic(window_sums(x, 0, K)))

    def gradients(x: Array) -> Array:
        q = window_sums(x, 0, K)
        return window_sums(2.0 * q * (2.0 * q * q - 20.0) - 0.1, -K, 0)

    lowest = _quartic(np.roots([4.0, 0.0, -40.0, -0.1]).real.max())
    return Definition(1e-4 * (one_to(N) / (N + 1.0)), values, gradients, f_best=N * float(lowest))


def _stretched(N: int, K: int) -> Definition:
    inner = _curly(N, K)
    return with_stretched_axes(inner, 12.0, lambda scale: inner.x0 * scale)


def _of_width(make: Callable[[int, int], Definition], K: int) -> Callable[..., Definition]:
    def with_size(N: int = 100) -> Definition:
        return make(N, K)

    return with_size


for _K in (10, 20, 30):
    problem(f"CURLY{_K}", family="multimodal", source=_SOURCE)(_of_width(_curly, _K))
    problem(f"SCURLY{_K}", family="ill-conditioned", source=_SOURCE, notes=_START)(_of_width(_stretched, _K))
