"""What holds for every built-in problem."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard import problems
from steelyard.problems.problem import Problem

DERIVED = ["QING~rotated=3", "WATSON~scaled=100.0", "LUKSAN17LS~shifted=2,0.5~rotated=1", "MaxK?n=7&k=3&noise=0.01"]
SMALL = {"MANCINO": "MANCINO?N=12"}
# Their waves along the last axes are shorter than the step; test_cutest_wide.py steps in each axis' own scale.
WAVES_TOO_SHORT = {"SCOSINE", "SSCOSINE"}
EVERY = [SMALL.get(name, name) for name in problems.names() if problems.get(name).n <= 1000] + DERIVED


@pytest.fixture(scope="module", params=EVERY)
def problem(request) -> Problem:
    return problems.get(request.param)


def points(problem: Problem, m: int, seed: int, size: float = 1.0) -> np.ndarray:
    return problem.x0 + size * np.random.default_rng(seed).standard_normal((m, problem.n))


def test_a_row_has_the_same_bits_alone_and_in_any_batch(problem: Problem) -> None:
    x = points(problem, 100, seed=0)
    alone = np.array([problem.f(row) for row in x])
    gradients = np.array([problem.gradient(row) for row in x])
    for m in (1, 2, 3, 5, 17, 100):
        np.testing.assert_array_equal(problem.f(x[:m]), alone[:m])
        np.testing.assert_array_equal(problem.gradient(x[:m]), gradients[:m])
    np.testing.assert_array_equal(problem.f(x[::-3]), alone[::-3])
    np.testing.assert_array_equal(problem.f(np.asfortranarray(x)), alone)


@settings(max_examples=5, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), size=st.sampled_from([0.03, 0.3]))
def test_the_gradient_is_the_limit_of_differences(problem: Problem, seed: int, size: float) -> None:
    if "noise" in problem.name or problem.name in WAVES_TOO_SHORT:
        return
    x, direction = points(problem, 1, seed, size)[0], np.random.default_rng(seed + 1).standard_normal(problem.n)
    direction /= np.linalg.norm(direction)
    # Fourth order: the error of f'' and f''' drops out, and the step can stay well above the rounding of f.
    h = 1e-4
    f = problem.f(x + h * np.array([[-2.0], [-1.0], [1.0], [2.0]]) * direction)
    difference = (f[0] - 8.0 * f[1] + 8.0 * f[2] - f[3]) / (12.0 * h)
    gradient = problem.gradient(x)
    rounding = 1e-15 * np.abs(f).max() / h
    assert abs(difference - gradient @ direction) <= 2e-6 * np.linalg.norm(gradient) + 10 * rounding


def test_it_pickles(problem: Problem) -> None:
    again = pickle.loads(pickle.dumps(problem))
    x = points(problem, 3, seed=1)
    assert again.name == problem.name
    np.testing.assert_array_equal(again.f(x), problem.f(x))


def test_nothing_is_below_the_best_known_value(problem: Problem) -> None:
    if problem.f_best is not None and "noise" not in problem.name:
        assert problem.f(points(problem, 50, seed=2)).min() >= problem.f_best
        assert problem.f_best_source


def test_the_argument_and_the_start_stay_as_they_are(problem: Problem) -> None:
    x = points(problem, 4, seed=3)
    before = x.copy()
    problem.f(x), problem.gradient(x)
    np.testing.assert_array_equal(x, before)
    with pytest.raises(ValueError, match="read-only"):
        problem.x0[0] = 0.0


def test_wrong_shapes_and_nan_are_refused(problem: Problem) -> None:
    n = problem.n
    for wrong in (np.zeros(n + 1), np.zeros((2, n + 1)), np.zeros((1, 1, n)), 0.0):
        with pytest.raises(ValueError, match=rf"x must have shape \({n},\) or \(m, {n}\)"):
            problem.f(wrong)
    x = points(problem, 2, seed=4)
    x[1, -1] = np.nan
    with pytest.raises(ValueError, match=rf"must not contain NaN.*\[1 +{n - 1}\]|\[ *1 +{n - 1}\]"):
        problem.f(x)


def test_a_value_too_large_for_a_float_is_no_error(problem: Problem) -> None:
    with np.errstate(all="raise"):
        assert isinstance(problem.f(np.full(problem.n, 1e200)), float)
        assert problem.gradient(np.full(problem.n, 1e200)).shape == (problem.n,)


def test_an_empty_batch_has_no_values(problem: Problem) -> None:
    assert problem.f(np.empty((0, problem.n))).shape == (0,)
    assert problem.gradient(np.empty((0, problem.n))).shape == (0, problem.n)


def test_a_problem_of_ones_own_pickles_by_its_parts() -> None:
    mine = Problem("mine", np.ones(2), values=np.sum, gradients=np.ones_like)
    again = pickle.loads(pickle.dumps(mine.scaled(4.0)))
    np.testing.assert_array_equal(again.gradient(np.zeros(2)), mine.scaled(4.0).gradient(np.zeros(2)))


def test_oracles_can_see_that_it_is_vectorised() -> None:
    assert problems.get("QING").vectorized
    assert problems.get("QING").f.vectorized


def test_the_gradient_of_the_stretched_v_is_zero_at_its_minimiser() -> None:
    np.testing.assert_array_equal(problems.get("STRTCHDV").gradient(np.zeros(10)), np.zeros(10))
