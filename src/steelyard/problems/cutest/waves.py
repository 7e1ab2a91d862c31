"""Sines and cosines: waves along a valley, humps on a bowl, indefinite start points."""

import numpy as np

from steelyard.checks import check_range
from steelyard.problems.cutest.structure import one_to, with_stretched_axes
from steelyard.problems.cutest.trigonometric import trigon1
from steelyard.problems.definitions import Definition, problem
from steelyard.problems.rows import row_dot, row_sum, staggered, sum_of_squares
from steelyard.typing import Array, Kernel


@problem("ARGTRIGLS", family="dense", source="a system with a solution, x = 0")
def argtrigls(N: int = 100) -> Definition:
    """TRIGON1 from x_i = 1/N."""
    check_range("N", N, 2)
    return trigon1(N)._replace(x0=np.full(N, 1.0 / N))


def _cosines(N: int) -> Definition:
    """sum cos(x_i^2 - x_{i+1} / 2)."""
    check_range("N", N, 2)

    def values(x: Array) -> Array:
        return row_sum(np.cos(x[:, :-1] * x[:, :-1] - 0.5 * x[:, 1:]))

    def gradients(x: Array) -> Array:
        sine = np.sin(x[:, :-1] * x[:, :-1] - 0.5 * x[:, 1:])
        return staggered(-2.0 * x[:, :-1] * sine, 0.5 * sine)

    return Definition(np.ones(N), values, gradients, f_best=1.0 - N)


_COSINES = "every cosine can be -1: x_N = 0, then x_i^2 = pi + x_{i+1} / 2 backwards"


@problem("SCOSINE", family="ill-conditioned", source=_COSINES)
def scosine(N: int = 100) -> Definition:
    """The chain of cosines with its axes stretched by factors from 1 to exp(12)."""
    return with_stretched_axes(_cosines(N), 12.0)


@problem("SSCOSINE", family="ill-conditioned", source=_COSINES)
def sscosine(N: int = 100) -> Definition:
    """The chain of cosines with its axes stretched by factors from 1 to exp(6)."""
    return with_stretched_axes(_cosines(N), 6.0)


@problem("GENHUMPS", family="noisy-looking", source="0 at the origin")
def genhumps(N: int = 100, ZETA: float = 20.0) -> Definition:
    """sum (sin ZETA x_i sin ZETA x_{i+1})^2 + (x_i^2 + x_{i+1}^2) / 20: a bowl under many small humps."""
    check_range("N", N, 2)
    bowl = np.full(N, 0.1)
    bowl[[0, -1]] = 0.05

    def values(x: Array) -> Array:
        square = np.sin(ZETA * x) ** 2
        return row_dot(square[:, :-1], square[:, 1:]) + row_dot(x * x, bowl)

    def gradients(x: Array) -> Array:
        sine = np.sin(ZETA * x)
        square = sine * sine
        neighbours = staggered(square[:, 1:], square[:, :-1])
        return 2.0 * ZETA * sine * np.cos(ZETA * x) * neighbours + 2.0 * bowl * x

    x0 = np.full(N, -506.2)
    x0[0] = -506.0
    return Definition(x0, values, gradients, f_best=0.0)


def _with_waves(N: int, ALPHA: float, values: Kernel, gradients: Kernel) -> Definition:
    """A function, of which values and gradients are given, + ALPHA sum cos(2 x_i - x_1 - x_N) over the inner i."""
    check_range("N", N, 3)

    def waves(x: Array) -> Array:
        return 2.0 * x[:, 1:-1] - x[:, -1:] - x[:, :1]

    def all_values(x: Array) -> Array:
        return values(x) + ALPHA * row_sum(np.cos(waves(x)))

    def all_gradients(x: Array) -> Array:
        slopes = -ALPHA * np.sin(waves(x))
        g = gradients(x)
        g[:, 1:-1] += 2.0 * slopes
        g[:, [0, -1]] -= row_sum(slopes)[:, None]
        return g

    return Definition(one_to(N) / (N + 1.0), all_values, all_gradients)


@problem(
    "INDEF",
    family="unbounded",
    notes="Unbounded below: the SIF leaves out the square of its first groups, which are x_i alone.",
)
def indef(N: int = 100, ALPHA: float = 0.5) -> Definition:
    """sum x_i + ALPHA sum cos(2 x_i - x_1 - x_N)."""
    return _with_waves(N, ALPHA, row_sum, np.ones_like)


@problem(
    "INDEFM",
    family="multimodal",
    f_best=-10048.9758223559,
    source="found by our own L-BFGS-B from x_i = -50 pi, x_1 and x_N next to it",
    notes="Luksan, Matonoha and Vlcek's bounded variant of INDEF. CUTEst has its constant 0.01 in single precision, "
    "and so does this; OMEGA=0.01 is exact (f differs by 1e-8). The gradient is CUTEst's, which takes 100 OMEGA for 1.",
)
def indefm(N: int = 100, ALPHA: float = 0.5, OMEGA: float = float(np.float32(0.01))) -> Definition:
    """sum 100 sin(OMEGA x_i) + ALPHA sum cos(2 x_i - x_1 - x_N)."""
    return _with_waves(N, ALPHA, lambda x: 100.0 * row_sum(np.sin(OMEGA * x)), lambda x: np.cos(OMEGA * x))


def _sine_quadratics(x: Array) -> Array:
    """x_i^2 - x_1^2 + sin(x_i - x_n) for i = 2, ..., n (the sine of the last is 0)."""
    return x[:, 1:] * x[:, 1:] - x[:, :1] * x[:, :1] + np.sin(x[:, 1:] - x[:, -1:])


def _sine_quadratic_slopes(x: Array, w: Array) -> Array:
    """The transpose of the Jacobian of `_sine_quadratics` times w, plus the slope of (x_1 - 1)^4."""
    waves = w * np.cos(x[:, 1:] - x[:, -1:])
    g = np.empty_like(x)
    g[:, 0] = 4.0 * (x[:, 0] - 1.0) ** 2 * (x[:, 0] - 1.0) - 2.0 * x[:, 0] * row_sum(w)
    g[:, 1:] = 2.0 * x[:, 1:] * w + waves
    g[:, -1] -= row_sum(waves)
    return g


@problem(
    "SINQUAD",
    family="sparse",
    f_best=-4005.5846706273,
    source="the lowest of 60 runs of our own L-BFGS-B",
    notes="As the SIF has it: the square is left out of all groups but the last; SINQUAD2 has it everywhere.",
)
def sinquad(N: int = 100) -> Definition:
    """(x_1 - 1)^4 + sum of x_i^2 - x_1^2 + sin(x_i - x_N) over the inner i + (x_N^2 - x_1^2)^2."""
    check_range("N", N, 3)

    def values(x: Array) -> Array:
        q = _sine_quadratics(x)
        return ((x[:, 0] - 1.0) ** 2) ** 2 + row_sum(q[:, :-1]) + q[:, -1] ** 2

    def gradients(x: Array) -> Array:
        w = np.ones((len(x), N - 1))
        w[:, -1] = 2.0 * _sine_quadratics(x)[:, -1]
        return _sine_quadratic_slopes(x, w)

    return Definition(np.full(N, 0.1), values, gradients)


@problem("SINQUAD2", family="least squares", source="0 where all x_i are 1")
def sinquad2(N: int = 100) -> Definition:
    """(x_1 - 1)^4 + sum (x_i^2 - x_1^2 + sin(x_i - x_N))^2 over i = 2, ..., N."""
    check_range("N", N, 3)

    def values(x: Array) -> Array:
        return ((x[:, 0] - 1.0) ** 2) ** 2 + sum_of_squares(_sine_quadratics(x))

    def gradients(x: Array) -> Array:
        return _sine_quadratic_slopes(x, 2.0 * _sine_quadratics(x))

    return Definition(np.full(N, 0.1), values, gradients, f_best=0.0)
