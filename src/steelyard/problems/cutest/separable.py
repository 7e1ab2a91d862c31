"""Sums of functions of one variable each."""

import numpy as np

from steelyard.checks import check_range
from steelyard.problems.definitions import Definition, problem
from steelyard.problems.rows import sum_of_squares
from steelyard.typing import Array


@problem("QING", family="separable", source="a solution: x_i^2 = i")
def qing(N: int = 100) -> Definition:
    """sum (x_i^2 - i)^2: 2^N minimisers, one in each orthant."""
    check_range("N", N, 1)
    i = np.arange(1.0, N + 1)

    def values(x: Array) -> Array:
        return sum_of_squares(x * x - i)

    def gradients(x: Array) -> Array:
        return 4.0 * x * (x * x - i)

    return Definition(np.ones(N), values, gradients, f_best=0.0)
