"""Broyden's tridiagonal and banded systems, as least squares, also stretched along the axes."""

import numpy as np

from steelyard.checks import check_range
from steelyard.problems.cutest.structure import least_squares, window_sums, with_stretched_axes
from steelyard.problems.definitions import Definition, problem
from steelyard.typing import Array


@problem("BROYDN3DLS", family="banded", source="a system with a solution")
def broydn3dls(N: int = 100, KAPPA1: float = 2.0, KAPPA2: float = 1.0) -> Definition:
    """Residuals (3 - KAPPA1 x_i) x_i - x_{i-1} - 2 x_{i+1} + KAPPA2, with x_0 = x_{N+1} = 0."""
    check_range("N", N, 2)

    def residuals(x: Array) -> Array:
        r = (3.0 - KAPPA1 * x) * x + KAPPA2
        r[:, 1:] -= x[:, :-1]
        r[:, :-1] -= 2.0 * x[:, 1:]
        return r

    def pullback(x: Array, w: Array) -> Array:
        g = (3.0 - 2.0 * KAPPA1 * x) * w
        g[:, :-1] -= w[:, 1:]
        g[:, 1:] -= 2.0 * w[:, :-1]
        return g

    return least_squares(np.full(N, -1.0), residuals, pullback)


@problem("BROYDNBDLS", family="banded", source="a system with a solution, x = 0", notes="The same function as BRYBND.")
@problem(
    "BRYBND",
    family="banded",
    source="a system with a solution, x = 0",
    notes="As the SIF has it: away from the ends the own term is a square and those before it are cubes, and there is "
    "no constant, unlike in the system of More, Garbow and Hillstrom.",
)
def brybnd(
    N: int = 100, KAPPA1: float = 2.0, KAPPA2: float = 5.0, KAPPA3: float = 1.0, LB: int = 5, UB: int = 1
) -> Definition:
    """Residuals KAPPA1 x_i + KAPPA2 q(x_i) - KAPPA3 sum (x_j + p(x_j)) over the LB before i and the UB after it.

    q is the square and p the cube for the earlier j in the middle rows; q is the cube and p the square otherwise.
    """
    check_range("LB", LB, 1)
    check_range("UB", UB, 1)
    check_range("N", N, LB + UB + 1)
    middle = slice(LB, N - UB - 1)

    def residuals(x: Array) -> Array:
        square = x * x
        cube = square * x
        after = x + square
        own, before = cube.copy(), window_sums(after, -LB, -1)
        own[:, middle] = square[:, middle]
        before[:, middle] = window_sums(x + cube, -LB, -1)[:, middle]
        return KAPPA1 * x + KAPPA2 * own - KAPPA3 * (before + window_sums(after, 1, UB))

    def pullback(x: Array, w: Array) -> Array:
        d_square, d_cube = 2.0 * x, 3.0 * x * x
        d_own = d_cube.copy()
        d_own[:, middle] = d_square[:, middle]
        w_middle = np.zeros_like(w)
        w_middle[:, middle] = w[:, middle]
        to_squares = window_sums(w - w_middle, 1, LB) + window_sums(w, -UB, -1)
        to_cubes = window_sums(w_middle, 1, LB)
        sums = (1.0 + d_square) * to_squares + (1.0 + d_cube) * to_cubes
        return (KAPPA1 + KAPPA2 * d_own) * w - KAPPA3 * sums

    # About a dozen arrays of this size are alive at once.
    return least_squares(np.ones(N), residuals, pullback, size=4 * N)


@problem("SBRYBND", family="ill-conditioned", source="a system with a solution, x = 0", notes="BRYBND at s x.")
def sbrybnd(N: int = 100) -> Definition:
    """BRYBND with its axes stretched by factors from 1 to exp(12)."""
    return with_stretched_axes(brybnd(N), 12.0)


@problem("SSBRYBND", family="ill-conditioned", source="a system with a solution, x = 0", notes="BRYBND at s x.")
def ssbrybnd(N: int = 100) -> Definition:
    """BRYBND with its axes stretched by factors from 1 to exp(6)."""
    return with_stretched_axes(brybnd(N), 6.0)
