"""Discretised two-point boundary value problems: a stretched string in a force field, and More's least squares."""

import numpy as np

from steelyard.checks import check_range
from steelyard.problems.cutest.structure import least_squares, one_to, second_differences
from steelyard.problems.definitions import Definition, problem
from steelyard.problems.rows import row_dot, row_sum, sum_of_squares
from steelyard.typing import Array

_ROUNDED = "our own L-BFGS-B from the minimiser without waves, rounded to their crests, and moves by one wave"


@problem(
    "MOREBV", family="banded", source="a system with a solution", notes="Follows the SIF as corrected in May 2024."
)
def morebv(N: int = 100) -> Definition:
    """Residuals 2 x_i - x_{i-1} - x_{i+1} + h^2/2 (x_i + i h + 1)^3, with h = 1 / (N + 1)."""
    return discrete_boundary_value(N, 0.0)


def discrete_boundary_value(N: int, constant: float) -> Definition:
    """MOREBV with a constant added to every residual."""
    check_range("N", N, 2)
    h = 1.0 / (N + 1.0)
    t = one_to(N) * h

    def residuals(x: Array) -> Array:
        u = x + (t + 1.0)
        return second_differences(x) + 0.5 * h * h * (u * u * u) + constant

    def pullback(x: Array, w: Array) -> Array:
        u = x + (t + 1.0)
        return second_differences(w) + 1.5 * h * h * (u * u) * w

    return least_squares(t * (t - 1.0), residuals, pullback)


def _tension(x: Array) -> Array:
    """Half the squared differences of neighbours on a string that is held at 0 at both ends."""
    return 0.5 * (sum_of_squares(x[:, 1:] - x[:, :-1]) + x[:, 0] ** 2 + x[:, -1] ** 2)


def _string(N: int, tension: float, force: Array, wave: float) -> Definition:
    """tension * T(x) + sum force_i x_i - wave * sum cos x_i, from the straight line x_i = i h."""

    def values(x: Array) -> Array:
        return tension * _tension(x) + row_dot(x, force) - wave * row_sum(np.cos(x))

    def gradients(x: Array) -> Array:
        return tension * second_differences(x) + force + wave * np.sin(x)

    return Definition(one_to(N) / (N + 1.0), values, gradients)


@problem(
    "FLETCBV2", family="banded", f_best=-0.5140067861117, source="convex; found by our own L-BFGS-B and Newton steps"
)
def fletcbv2(N: int = 100, KAPPA: float = 1.0) -> Definition:
    """The string with forces -2 h^2 (and -1 more at the end) and waves KAPPA h^2: convex."""
    check_range("N", N, 2)
    h2 = (1.0 / (N + 1.0)) ** 2
    force = np.full(N, -2.0 * h2)
    force[-1] -= 1.0
    return _string(N, 1.0, force, KAPPA * h2)


@problem(
    "FLETCHBV",
    family="multimodal",
    f_best=-1.7826371952034e13,
    source=_ROUNDED,
    notes="The SIF multiplies where it means to add, so the last force is +2/h^2; kept, and superseded by FLETCBV2.",
)
def fletchbv(N: int = 100, KAPPA: float = 1.0) -> Definition:
    """The string with forces -2/h^2 (+2/h^2 at the end) and waves KAPPA/h^2."""
    check_range("N", N, 2)
    inverse_h2 = (N + 1.0) ** 2
    force = np.full(N, -2.0 * inverse_h2)
    force[-1] = 2.0 * inverse_h2
    return _string(N, 1.0, force, KAPPA * inverse_h2)


_OBJSCALE = 1e-8


@problem(
    "FLETCBV3",
    family="multimodal",
    f_best=-178689.2342624,
    source=_ROUNDED,
    notes="The force has the sign that the SIF gives it.",
)
def fletcbv3(N: int = 100, KAPPA: float = 1.0) -> Definition:
    """1e-8 times the string with forces 1 + 2/h^2 and waves KAPPA/h^2."""
    check_range("N", N, 2)
    inverse_h2 = (N + 1.0) ** 2
    force = np.full(N, _OBJSCALE * (1.0 + 2.0 * inverse_h2))
    return _string(N, _OBJSCALE, force, _OBJSCALE * KAPPA * inverse_h2)


@problem(
    "FLETBV3M",
    family="multimodal",
    f_best=-2.05025428359919,
    source=_ROUNDED,
    notes="Luksan, Matonoha and Vlcek's variant of FLETCBV3. CUTEst has its constant 0.01 in single precision, and so "
    "does this; OMEGA=0.01 is exact (f differs by 1e-7). The gradient is CUTEst's, which takes 100 OMEGA for 1.",
)
def fletbv3m(N: int = 100, KAPPA: float = 1.0, OMEGA: float = float(np.float32(0.01))) -> Definition:
    """FLETCBV3 with the force on 100 sin(OMEGA x_i) in place of x_i."""
    check_range("N", N, 2)
    inverse_h2 = (N + 1.0) ** 2
    force = _OBJSCALE * (1.0 + 2.0 * inverse_h2)
    waves = _string(N, _OBJSCALE, np.zeros(N), _OBJSCALE * KAPPA * inverse_h2)

    def values(x: Array) -> Array:
        return waves.values(x) + 100.0 * force * row_sum(np.sin(OMEGA * x))

    def gradients(x: Array) -> Array:
        return waves.gradients(x) + force * np.cos(OMEGA * x)

    return Definition(waves.x0, values, gradients)
