"""The problems beyond the paper's at other parameters than the defaults (those: test_problem.py), and their minima."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from cutest_cases import CASES, EACH_CASE, points
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from steelyard import problems
from steelyard.problems import Problem


@pytest.mark.parametrize(("name", "parameters"), EACH_CASE, ids=str)
def test_a_row_has_the_same_bits_alone_and_in_a_batch(name: str, parameters: dict[str, Any]) -> None:
    problem = problems.get(name, **parameters)
    x = points(problem, 17)
    values = np.array([problem.f(row) for row in x])
    gradients = np.array([problem.gradient(row) for row in x])
    for m in (1, 3, 17):
        for first in (0, 17 - m):
            rows = slice(first, first + m)
            for batch in (x[rows], np.asfortranarray(x[rows])):
                assert np.array_equal(problem.f(batch), values[rows])
                assert np.array_equal(problem.gradient(batch), gradients[rows])


@settings(max_examples=200, deadline=None, derandomize=True)
@given(case=st.sampled_from(EACH_CASE), seed=st.integers(0, 10_000), k=st.integers(0, 3))
def test_the_gradient_is_the_slope_along_a_random_direction(
    case: tuple[str, dict[str, Any]], seed: int, k: int
) -> None:
    problem = problems.get(case[0], **case[1])
    x = points(problem, 4, seed)[k]
    gradient = problem.gradient(x)
    # Short enough for the sharpest waves, along the steepest coordinates as along the flattest.
    step = 1e-5 * np.abs(points(problem, 8, seed + 1)[7])
    slope = (problem.f(x + step) - problem.f(x - step)) / 2.0
    rounding = 1e-14 * np.abs(problem.f(x)) + 1e-10 * np.abs(gradient) @ step
    assert abs(slope - gradient @ step) <= 1e-5 * np.abs(gradient) @ step + 10.0 * rounding


@pytest.mark.parametrize("name", CASES)
def test_ten_thousand_variables_need_little_memory_and_have_the_same_bits(name: str) -> None:
    sizes = {
        "ARGLINA": {"N": 10_000, "M": 20_000}, "ARGLINB": {"N": 10_000, "M": 20_000}, "CYCLOOCFLS": {"P": 3_334},
        "EIGENALS": {"N": 99}, "EIGENBLS": {"N": 99}, "FMINSRF2": {"P": 100}, "FMINSURF": {"P": 100},
        "MODBEALE": {"HALFN": 5_000}, "PENALTY2": {"N": 3_500}, "SPINLS": {"N": 138}, "SPIN2LS": {"N": 200},
        "POWERSUM": {"N": 100},
    }  # fmt: skip
    parameters = sizes.get(name, {"M": 3_333} if name.startswith("DIXMAAN") else {"N": 10_000})
    problem = problems.get(name, **parameters)
    tracemalloc.start()
    try:
        value, gradient = problem.f(problem.x0), problem.gradient(problem.x0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert gradient.shape == (problem.n,)
    assert np.isfinite(value)
    assert peak < 20e6
    # NumPy works in pieces of 8192 numbers: rows longer than that are where a batch could differ.
    x = points(problem, 3)
    assert np.array_equal(problem.f(x), [problem.f(row) for row in x], equal_nan=True)
    assert np.array_equal(problem.gradient(x)[1:], [problem.gradient(row) for row in x[1:]], equal_nan=True)


def zeros(problem: Problem) -> np.ndarray:
    return np.zeros(problem.n)


def ones(problem: Problem) -> np.ndarray:
    return np.ones(problem.n)


def stretched(exponent: float, x: np.ndarray) -> np.ndarray:
    return x / np.exp(exponent * np.arange(x.size) / (x.size - 1))


def cosines(problem: Problem) -> np.ndarray:
    x = np.zeros(problem.n)
    for i in range(problem.n - 2, -1, -1):
        x[i] = np.sqrt(np.pi + 0.5 * x[i + 1])
    return x


def curly(problem: Problem, width: int) -> np.ndarray:
    lowest = np.roots([4.0, 0.0, -40.0, -0.1]).real.max()
    x = np.zeros(problem.n)
    for i in range(problem.n - 1, -1, -1):
        x[i] = lowest - x[i + 1 : i + width + 1].sum()
    return x


def eigenvectors(problem: Problem, matrix: np.ndarray) -> np.ndarray:
    eigenvalues, vectors = np.linalg.eigh(matrix)
    return np.hstack([eigenvalues[:, None], vectors]).ravel()


def polygon(problem: Problem) -> np.ndarray:
    N = 50 if problem.name == "SPIN2LS" else 10
    x = problem.x0.copy()
    x[:2] = 0.0, -(N - 1) / 2
    X, Y = x[2 : 2 + 2 * N : 2], x[3 : 3 + 2 * N : 2]
    later, earlier = np.tril_indices(N, -1)
    x[2 + 2 * N :] = np.hypot(X[later] - X[earlier], Y[later] - Y[earlier])[: x.size - 2 - 2 * N]
    return x


def crown(problem: Problem) -> np.ndarray:
    P = 8
    radius = np.sqrt(2.0 * P / (P - 2)) / (2.0 * np.sin(2.0 * np.pi / P))
    height = np.sqrt(1.0 - 4.0 * radius**2 * np.sin(np.pi / P) ** 2)
    angle = 2.0 * np.pi / P * np.arange(P)
    ring = np.stack([radius * np.cos(angle), radius * np.sin(angle), height * (np.arange(P) % 2)], axis=1)
    ring -= ring[0]
    # Turn about the third axis until the second point has x = 0.
    turn = np.arctan2(ring[1, 0], ring[1, 1])
    c, s = np.cos(turn), np.sin(turn)
    return (ring @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])).ravel()[4:]


MINIMISERS = {
    **dict.fromkeys(("ARGTRIGLS", "BROYDNBDLS", "BRYBND", "CYCLIC3LS", "DIXMAANA1", "DIXMAANE1", "DIXMAANP"), zeros),
    **dict.fromkeys(("FMINSRF2", "FMINSURF", "GENHUMPS", "POWER", "SBRYBND", "SPARSINE", "SPARSQUR"), zeros),
    **dict.fromkeys(("SSBRYBND", "TOINTGSS"), zeros),
    **dict.fromkeys(("DIXON3DQ", "FLETCHCR", "LIARWHD", "OSCIGRAD", "SINQUAD2"), ones),
    "ARGLINA": lambda p: np.full(p.n, -1.0),
    "ARGLINB": lambda p: np.append(3.0 / 401.0, np.zeros(p.n - 1)),
    "CURLY10": lambda p: curly(p, 10),
    "CURLY20": lambda p: curly(p, 20),
    "CURLY30": lambda p: curly(p, 30),
    "SCURLY10": lambda p: stretched(12.0, curly(p, 10)),
    "SCURLY20": lambda p: stretched(12.0, curly(p, 20)),
    "SCURLY30": lambda p: stretched(12.0, curly(p, 30)),
    "CYCLOOCFLS": crown,
    "EIGENALS": lambda p: eigenvectors(p, np.diag(np.arange(1.0, 11.0))),
    "EIGENBLS": lambda p: eigenvectors(p, 2.0 * np.eye(10) - np.eye(10, k=1) - np.eye(10, k=-1)),
    "KSSLS": lambda p: np.full(p.n, (-(p.n - 4) + np.sqrt((p.n - 4) ** 2 + 4 * (p.n - 1))) / 2),
    "MODBEALE": lambda p: np.tile([3.0, 0.5], p.n // 2),
    "NONCVXU2": lambda p: np.full(p.n, 1.895494267 / 3),
    "NONCVXUN": lambda p: np.full(p.n, 1.895494267 / 3),
    "POWERSUM": lambda p: np.append([1.0, 2.0, 3.0, 2.0], np.zeros(p.n - 4)),
    "QUARTC": lambda p: np.arange(1.0, p.n + 1),
    "SCHMVETT": lambda p: np.full(p.n, np.pi / (3.14159 + 1)),
    "SCOSINE": lambda p: stretched(12.0, cosines(p)),
    "SSCOSINE": lambda p: stretched(6.0, cosines(p)),
    "SPIN2LS": polygon,
    "SPINLS": polygon,
}


@pytest.mark.parametrize("name", MINIMISERS)
def test_the_minimiser_has_the_best_known_value(name: str) -> None:
    problem = problems.get(name)
    x = MINIMISERS[name](problem)
    np.testing.assert_allclose(problem.f(x), problem.f_best, rtol=1e-12, atol=1e-10)
    assert np.linalg.norm(problem.gradient(x)) <= 1e-6 * np.linalg.norm(problem.gradient(problem.x0))


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("BROYDN3DLS", None),
        ("FLETBV3M", -50 * np.pi),
        ("FLETCBV2", None),
        ("INDEFM", np.append(-50.5 * np.pi, np.append(np.full(98, -50 * np.pi), -50.5 * np.pi))),
        ("PENALTY2", None),
        ("SINQUAD", None),
    ],
)
def test_a_descent_ends_at_the_best_known_value(name: str, start: Any) -> None:
    problem = problems.get(name)
    x = problem.x0 if start is None else np.broadcast_to(start, problem.n)
    found = minimize(problem.f, x, jac=problem.gradient, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-11})
    np.testing.assert_allclose(found.fun, problem.f_best, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_too_small_a_dimension_is_refused(name: str) -> None:
    parameter = next(iter(CASES[name][0]))
    with pytest.raises(ValueError, match=f"{parameter} must be (at least|from)"):
        problems.get(name, **{parameter: 0})
