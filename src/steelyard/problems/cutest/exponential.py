"""Ratios and Gaussian bells of three neighbours."""

import numpy as np

from steelyard.checks import check_range
from steelyard.problems.definitions import Definition, problem
from steelyard.problems.rows import row_sum, staggered
from steelyard.typing import Array


@problem(
    "SCHMVETT",
    family="banded",
    source="-3 (N - 2) at x_i = pi / (PI + 1), where each term is as small as it can be",
    notes="Undefined where an inner x_i is 0. CUTEst's decoder keeps six digits of the SIF's pi, and so does this; "
    "PI=3.14159265 has the SIF's nine (f differs by 1e-7), and PI=3.141593 is S2MPJ's translation.",
)
def schmvett(N: int = 100, PI: float = 3.14159) -> Definition:
    """-sum 1 / (1 + (x_i - x_{i+1})^2) + sin((PI x_{i+1} + x_{i+2}) / 2) + exp(-((x_i + x_{i+2}) / x_{i+1} - 2)^2)."""
    check_range("N", N, 3)

    def values(x: Array) -> Array:
        a, b, c = x[:, :-2], x[:, 1:-1], x[:, 2:]
        ratio = (a + c) / b - 2.0
        bells = np.exp(-(ratio * ratio))
        return -row_sum(1.0 / (1.0 + (a - b) ** 2) + np.sin(0.5 * (PI * b + c)) + bells)

    def gradients(x: Array) -> Array:
        a, b, c = x[:, :-2], x[:, 1:-1], x[:, 2:]
        gap = a - b
        fraction = 1.0 / (1.0 + gap * gap)
        to_gap = 2.0 * gap * (fraction * fraction)
        wave = 0.5 * np.cos(0.5 * (PI * b + c))
        ratio = (a + c) / b
        to_ratio = 2.0 * (ratio - 2.0) * np.exp(-((ratio - 2.0) ** 2)) / b
        return staggered(to_gap + to_ratio, -(to_gap + PI * wave + to_ratio * ratio), to_ratio - wave)

    return Definition(np.full(N, 0.5), values, gradients, f_best=-3.0 * (N - 2))


@problem(
    "TOINTGSS",
    family="banded",
    source="10 at the origin, where each term is as small as it can be",
    notes="CUTEst has its constant 0.1 in single precision, and so does this; ALPHA=0.1 is exact (f differs by 4e-11).",
)
def tointgss(N: int = 100, ALPHA: float = float(np.float32(0.1))) -> Definition:
    """sum (10 / (N - 2) + x_{i+2}^2) (2 - exp(-(x_i - x_{i+1})^2 / (ALPHA + x_{i+2}^2)))."""
    check_range("N", N, 3)
    floor = 10.0 / (N - 2.0)

    def values(x: Array) -> Array:
        gap, square = x[:, :-2] - x[:, 1:-1], x[:, 2:] * x[:, 2:]
        return row_sum((floor + square) * (2.0 - np.exp(-(gap * gap) / (ALPHA + square))))

    def gradients(x: Array) -> Array:
        gap, c = x[:, :-2] - x[:, 1:-1], x[:, 2:]
        square = c * c
        width = ALPHA + square
        steep = gap / width
        bell = np.exp(-(gap * steep))
        to_gap = 2.0 * (floor + square) * steep * bell
        return staggered(to_gap, -to_gap, 2.0 * c * (2.0 - bell) - to_gap * steep * c)

    return Definition(np.full(N, 3.0), values, gradients, f_best=10.0)
