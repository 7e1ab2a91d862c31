"""Lukšan's chained least-squares problems (J. Optim. Theory Appl. 89, 1996): numbers 11 to 14, 21 and 22.

In 12, 13 and 14 a block of five consecutive variables a, b, c, d, e gives six or seven residuals, and the blocks
overlap: the next one starts three variables later.
"""

from collections.abc import Callable

import numpy as np

from steelyard.checks import check_range
from steelyard.errors import BadValue
from steelyard.problems.cutest.boundary_value import discrete_boundary_value
from steelyard.problems.cutest.structure import least_squares
from steelyard.problems.definitions import Definition, problem
from steelyard.problems.rows import row_sum, staggered, sum_of_squares
from steelyard.typing import Array


@problem("LUKSAN11LS", family="banded", source="a solution: all ones")
def luksan11ls(S: int = 99) -> Definition:
    """Chained serpentine: 20 x_i / (1 + x_i^2) - 10 x_{i+1} and x_i - 1 for i = 1..S, n = S + 1."""
    check_range("S", S, 1)

    def values(x: Array) -> Array:
        a, b = x[:, :-1], x[:, 1:]
        serpentine, end = 20.0 * a / (1.0 + a * a) - 10.0 * b, a - 1.0
        return row_sum(serpentine * serpentine + end * end)

    def gradients(x: Array) -> Array:
        a, b = x[:, :-1], x[:, 1:]
        square = a * a
        d = 1.0 + square
        serpentine = 2.0 * (20.0 * a / d - 10.0 * b)
        return staggered(serpentine * (20.0 * (1.0 - square) / (d * d)) + 2.0 * (a - 1.0), -10.0 * serpentine)

    return Definition(np.full(S + 1, -0.8), values, gradients, f_best=0.0)


Blocks = tuple[Array, Array, Array, Array, Array]
"""The first to the fifth variable of every block."""


def _blocks(x: Array) -> Blocks:
    """Views of `x` with n = 3 S + 2, each `(m, S)`."""
    return x[:, :-2:3], x[:, 1:-2:3], x[:, 2:-2:3], x[:, 3::3], x[:, 4::3]


def _chained(
    S: int, residuals: Callable[[Blocks, Array], None], slopes: Callable[[Blocks, Array], Blocks], k: int
) -> Definition:
    """The least-squares problem whose blocks have `k` residuals. `residuals` fills `(m, k, S)`;
    `slopes` turns twice the residuals into the derivatives by the five variables of each block."""
    check_range("S", S, 1)

    def filled(x: Array) -> Array:
        r = np.empty((len(x), k, S))
        residuals(_blocks(x), r)
        return r.reshape(len(x), -1)

    def pullback(x: Array, w: Array) -> Array:
        g = np.zeros_like(x)
        # The views of g overlap where blocks do, so each variable collects what its blocks contribute.
        for into, slope in zip(_blocks(g), slopes(_blocks(x), w.reshape(-1, k, S)), strict=True):
            into += slope
        return g

    return least_squares(np.full(3 * S + 2, -1.0), filled, pullback, f_best=None)


@problem("LUKSAN12LS", family="banded", f_best=1646.6864929207488, source="multistart on CUTEst")
def luksan12ls(S: int = 32) -> Definition:
    """Chained and modified HS47."""

    def residuals(blocks: Blocks, r: Array) -> None:
        a, b, c, d, e = blocks
        d1, e1, c2 = d - 1.0, e - 1.0, c * c
        r[:, 0] = 10.0 * (a * a - b)
        r[:, 1] = c - 1.0
        r[:, 2] = d1 * d1
        r[:, 3] = e1 * e1 * e1
        r[:, 4] = d * (a * a) + np.sin(d - e) - 10.0
        r[:, 5] = b + (c2 * c2) * (d * d) - 20.0

    def slopes(blocks: Blocks, r: Array) -> Blocks:
        a, _, c, d, e = blocks
        d1, e1, c2 = d - 1.0, e - 1.0, c * c
        wave = r[:, 4] * np.cos(d - e)
        by_a = r[:, 0] * (20.0 * a) + r[:, 4] * (2.0 * d * a)
        by_b = r[:, 5] - 10.0 * r[:, 0]
        by_c = r[:, 1] + r[:, 5] * (4.0 * c * c2 * (d * d))
        by_d = r[:, 2] * (2.0 * d1) + r[:, 4] * (a * a) + wave + r[:, 5] * (2.0 * d * (c2 * c2))
        by_e = r[:, 3] * (3.0 * (e1 * e1)) - wave
        return by_a, by_b, by_c, by_d, by_e

    return _chained(S, residuals, slopes, 6)


@problem("LUKSAN13LS", family="banded", f_best=25188.859589645148, source="multistart on CUTEst")
def luksan13ls(S: int = 32) -> Definition:
    """Chained and modified HS48."""

    def residuals(blocks: Blocks, r: Array) -> None:
        a, b, c, d, e = blocks
        cd, de, b2 = c - d, d - e, b * b
        r[:, 0] = 10.0 * (a * a - b)
        r[:, 1] = 10.0 * (b2 - c)
        r[:, 2] = cd * cd
        r[:, 3] = de * de
        r[:, 4] = a + c + b2 - 30.0
        r[:, 5] = b + d - c * c - 10.0
        r[:, 6] = a * e - 10.0

    def slopes(blocks: Blocks, r: Array) -> Blocks:
        a, b, c, d, e = blocks
        by_cd, by_de = r[:, 2] * (2.0 * (c - d)), r[:, 3] * (2.0 * (d - e))
        by_a = r[:, 0] * (20.0 * a) + r[:, 4] + r[:, 6] * e
        by_b = r[:, 1] * (20.0 * b) - 10.0 * r[:, 0] + r[:, 4] * (2.0 * b) + r[:, 5]
        by_c = by_cd - 10.0 * r[:, 1] + r[:, 4] - r[:, 5] * (2.0 * c)
        by_d = by_de - by_cd + r[:, 5]
        by_e = r[:, 6] * a - by_de
        return by_a, by_b, by_c, by_d, by_e

    return _chained(S, residuals, slopes, 7)


@problem("LUKSAN14LS", family="banded", f_best=123.92354076450312, source="trust-exact on CUTEst")
def luksan14ls(S: int = 32) -> Definition:
    """Chained and modified HS53."""

    def residuals(blocks: Blocks, r: Array) -> None:
        a, b, c, d, e = blocks
        r[:, 0] = 10.0 * (a * a - b)
        r[:, 1] = b + c - 2.0
        r[:, 2] = d - 1.0
        r[:, 3] = e - 1.0
        r[:, 4] = a + 3.0 * b
        r[:, 5] = c + d - 2.0 * e
        r[:, 6] = 10.0 * (b * b - e)

    def slopes(blocks: Blocks, r: Array) -> Blocks:
        a, b, _, _, _ = blocks
        by_a = r[:, 0] * (20.0 * a) + r[:, 4]
        by_b = r[:, 6] * (20.0 * b) - 10.0 * r[:, 0] + r[:, 1] + 3.0 * r[:, 4]
        return by_a, by_b, r[:, 1] + r[:, 5], r[:, 2] + r[:, 5], r[:, 3] - 2.0 * r[:, 5] - 10.0 * r[:, 6]

    return _chained(S, residuals, slopes, 7)


@problem("LUKSAN21LS", family="banded", source="a solution of the boundary value problem")
def luksan21ls(N: int = 100) -> Definition:
    """Modified discrete boundary value: 2 x_i - x_{i-1} - x_{i+1} + h^2 (x_i + t_i + 1)^3 / 2 + 1, t_i = i h."""
    return discrete_boundary_value(N, 1.0)


@problem(
    "LUKSAN22LS",
    family="banded",
    f_best=868.9145987353887,
    source="L-BFGS-B on CUTEst",
    notes="follows the SIF as CUTEst reads it: the last valley is 10 x_{N-1}^2, without its x_N (a misplaced column)",
)
def luksan22ls(N: int = 100) -> Definition:
    """Attracting-repelling: x_1 - 1, 10 (x_i^2 - x_{i+1}), and two bells in the neighbouring differences."""
    check_range("N", N, 4)
    if N % 2:
        raise BadValue(f"N must be even, got {N}")

    def bells(x: Array) -> tuple[Array, Array, Array]:
        gap = x[:, :-1] - x[:, 1:]
        square = gap * gap
        return gap, 2.0 * np.exp(-square[:, :-1]), np.exp(-2.0 * square[:, 1:])

    def valleys(x: Array) -> Array:
        a = x[:, :-1]
        r = 10.0 * (a * a)
        r[:, :-1] -= 10.0 * x[:, 1:-1]
        return r

    def values(x: Array) -> Array:
        _, left, right = bells(x)
        first = x[:, 0] - 1.0
        return first * first + sum_of_squares(valleys(x)) + sum_of_squares(left + right)

    def gradients(x: Array) -> Array:
        gap, left, right = bells(x)
        twice = 2.0 * (left + right)
        by_gap = staggered(-2.0 * gap[:, :-1] * left * twice, -4.0 * gap[:, 1:] * right * twice)
        valley = 20.0 * valleys(x)
        g = staggered(by_gap + 2.0 * x[:, :-1] * valley, -by_gap)
        g[:, 0] += 2.0 * (x[:, 0] - 1.0)
        g[:, 1:-1] -= valley[:, :-1]
        return g

    return Definition(np.tile([-1.2, 1.0], N // 2), values, gradients)
