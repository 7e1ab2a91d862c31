"""Shapes of one difficulty each: their values, slopes and minima."""

import numpy as np
import pytest

from steelyard.problems import get

SMOOTH = [
    "Ellipsoid?n=7&condition=50",
    "AbsoluteSum?n=7",
    "SharpRidge?n=7&steep=5",
    "Largest?n=7",
    "BoxedEllipsoid?n=7&active=0.5&seed=3",
    "BoxedEllipsoid?n=7&active=0.5&seed=3&inside=0.02",
]


@pytest.mark.parametrize("name", SMOOTH)
def test_slopes_are_those_of_the_values(name):
    problem = get(name)
    points = np.random.default_rng(0).uniform(-0.9, 0.9, (5, 7))
    h = 1e-6 * np.eye(7)
    for x in points:
        slope = [(problem.f(x + d) - problem.f(x - d)) / 2e-6 for d in h]
        np.testing.assert_allclose(problem.gradient(x), slope, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", [*SMOOTH, "Steps?n=7", "Steps?n=7&condition=1000&width=0.5"])
def test_a_row_alone_has_the_value_it_has_in_a_batch(name):
    problem = get(name)
    points = np.random.default_rng(1).uniform(-0.9, 0.9, (9, 7))
    together = problem.values(points)
    assert together.tolist() == [problem.f(x) for x in points]
    assert (together > problem.f_best).all()


@pytest.mark.parametrize("name", ["AbsoluteSum?n=7", "SharpRidge?n=7", "Largest?n=7", "Steps?n=7"])
def test_the_minimum_is_at_the_centre(name):
    problem = get(name)
    assert problem.f(2.0 * np.cos(1.7 * np.arange(7))) == problem.f_best == 0.0


def test_steps_tie_on_plateaus_and_differ_between_them():
    problem = get("Steps?n=3&width=0.5")
    centre = 2.0 * np.cos(1.7 * np.arange(3))
    assert problem.f(centre + 0.24) == problem.f(centre - 0.24) == 0.0
    assert problem.f(centre + np.array([0.26, 0.0, 0.0])) == pytest.approx(0.25)


@pytest.mark.parametrize("inside", [0.0, 0.02])
def test_minima_at_bounds_and_just_inside(inside):
    problem = get(f"BoxedEllipsoid?n=8&condition=100&active=0.5&seed=4&inside={inside}")
    from scipy.optimize import minimize

    found = minimize(
        problem.f, problem.x0, jac=problem.gradient, bounds=list(zip(*problem.bounds, strict=True)), tol=1e-14
    )
    assert found.fun == pytest.approx(0.0, abs=1e-8)
    at = np.sort(1.0 - np.abs(found.x))[:4]
    np.testing.assert_allclose(at, inside, atol=1e-4)
