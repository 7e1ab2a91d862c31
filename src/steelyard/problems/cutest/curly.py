"""Curly functions: a quartic with two valleys in every sum of neighbours, also stretched along the axes."""

from __future__ import annotations

import numpy as np

from steelyard.checks import check_range
from steelyard.problems.cutest.structure import exponential_scale, one_to, rescaled, window_sums
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
    scale = exponential_scale(N, 12.0)
    return rescaled(inner, scale, inner.x0 * scale)


@problem("CURLY10", family="multimodal", source=_SOURCE)
def curly10(N: int = 100) -> Definition:
    return _curly(N, 10)


@problem("CURLY20", family="multimodal", source=_SOURCE)
def curly20(N: int = 100) -> Definition:
    return _curly(N, 20)


@problem("CURLY30", family="multimodal", source=_SOURCE)
def curly30(N: int = 100) -> Definition:
    return _curly(N, 30)


@problem("SCURLY10", family="ill-conditioned", source=_SOURCE, notes=_START)
def scurly10(N: int = 100) -> Definition:
    return _stretched(N, 10)


@problem("SCURLY20", family="ill-conditioned", source=_SOURCE, notes=_START)
def scurly20(N: int = 100) -> Definition:
    return _stretched(N, 20)


@problem("SCURLY30", family="ill-conditioned", source=_SOURCE, notes=_START)
def scurly30(N: int = 100) -> Definition:
    return _stretched(N, 30)
