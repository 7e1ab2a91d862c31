"""Rosenbrock's curved valley and its chains."""

from __future__ import annotations

import numpy as np

from steelyard.problems.registry import Definition, problem
from steelyard.typing import Array


@problem("ROSENBR", family="banded", source="a solution: (1, 1)")
def rosenbr() -> Definition:
    """100 (x_2 - x_1^2)^2 + (x_1 - 1)^2."""

    def values(x: Array) -> Array:
        a, b = x[:, 0], x[:, 1]
        return 100.0 * (b - a * a) ** 2 + (a - 1.0) ** 2

    def gradients(x: Array) -> Array:
        a, b = x[:, 0], x[:, 1]
        slope = 200.0 * (b - a * a)
        return np.stack([2.0 * (a - 1.0) - 2.0 * a * slope, slope], axis=1)

    return Definition(np.array([-1.2, 1.0]), values, gradients, f_best=0.0)
