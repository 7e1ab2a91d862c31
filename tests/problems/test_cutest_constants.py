"""Four problems have a constant that CUTEst rounds: plain transcriptions of its Fortran, with the rounded constant.

No reference values of CUTEst are kept for these; what was measured against it is how far f is off with the exact
constant, and that is checked here as well.
"""

import math
from itertools import pairwise

import numpy as np
import pytest

from steelyard import problems

TENTH, HUNDREDTH = float(np.float32(0.1)), float(np.float32(0.01))


def schmvett(x):
    total = 0.0
    for a, b, c in zip(x, x[1:], x[2:], strict=False):
        total -= 1.0 / (1.0 + (a - b) ** 2) + math.sin(0.5 * (3.14159 * b + c)) + math.exp(-(((a + c) / b - 2.0) ** 2))
    return total


def fletbv3m(x):
    n, p = len(x), 1e-8
    h2 = (n + 1.0) ** 2
    ends = [0.0, *x, 0.0]
    total = sum(0.5 * p * (a - b) ** 2 for a, b in pairwise(ends))
    return (
        total
        - sum(p * h2 * math.cos(v) for v in x)
        + p * (1 + 2 * h2) * sum(100.0 * math.sin(HUNDREDTH * v) for v in x)
    )


def indefm(x):
    inner = sum(0.5 * math.cos(2.0 * v - x[-1] - x[0]) for v in x[1:-1])
    return inner + sum(100.0 * math.sin(HUNDREDTH * v) for v in x)


def tointgss(x):
    floor, total = 10.0 / (len(x) - 2), 0.0
    for a, b, c in zip(x, x[1:], x[2:], strict=False):
        total += (floor + c * c) * (2.0 - math.exp(-((a - b) ** 2) / (TENTH + c * c)))
    return total


@pytest.mark.parametrize("n", [10, 100])
@pytest.mark.parametrize("plain", [schmvett, fletbv3m, indefm, tointgss])
def test_values_are_those_of_the_rounded_constant(plain, n):
    problem = problems.get(plain.__name__.upper(), N=n)
    rng = np.random.default_rng(0)
    for x in (problem.x0, *(problem.x0 + 0.1 * rng.standard_normal((5, n)))):
        assert problem.f(x) == pytest.approx(plain(x.tolist()), rel=1e-12)


@pytest.mark.parametrize(
    ("spec", "off"),
    [
        ("SCHMVETT?PI=3.14159265", 1e-7),
        ("FLETBV3M?OMEGA=0.01", 1e-7),
        ("INDEFM?OMEGA=0.01", 1e-8),
        ("TOINTGSS?ALPHA=0.1", 4e-11),
    ],
)
def test_the_exact_constant_is_a_parameter_and_as_far_off_as_was_measured(spec, off):
    name = spec.partition("?")[0]
    ours, exact = problems.get(name), problems.get(spec)
    assert exact.name == spec and ("single precision" in ours.notes or "six digits" in ours.notes)
    x = ours.x0 + np.random.default_rng(0).standard_normal((20, ours.n))
    apart = np.abs(exact.f(x) / ours.f(x) - 1.0).max()
    assert off / 10 < apart < 10 * off


@pytest.mark.parametrize(("name", "constant"), [("FLETBV3M", 0.01), ("INDEFM", 0.01)])
def test_with_the_exact_constant_the_gradient_is_the_slope_to_the_last_digits(name, constant):
    problem = problems.get(name, N=10, OMEGA=constant)
    x = problem.x0 + np.random.default_rng(1).standard_normal(10)
    step = 1e-4 * np.random.default_rng(2).standard_normal(10)
    f = [problem.f(x + k * step) for k in (-2, -1, 1, 2)]
    slope = (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / 12.0
    assert slope == pytest.approx(problem.gradient(x) @ step, rel=1e-9)
