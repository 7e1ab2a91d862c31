import numpy as np
import pytest

from steelyard import problems

pytest.importorskip("cocoex", reason="COCO's suites need coco-experiment")

NAMES = ["bbob:f8/d5/i1", "bbob-noisy:f101/d5/i1", "bbob-largescale:f1/d20/i2", "bbob-mixint:f1/d5/i1"]


@pytest.mark.parametrize("name", [*NAMES, "bbob-constrained:f1/d5/i1"])
def test_every_suite_is_there_with_its_best_value(name):
    problem = problems.get(name)
    assert problem.name == name and problem.f_best < problem.f(problem.x0)
    x = problem.x0 + np.random.default_rng(0).standard_normal((20, problem.n))
    assert problem.f_best <= problem.f(x).min()


def test_integer_variables_are_rounded_and_boxed():
    problem = problems.get("bbob-mixint:f1/d5/i1")
    low, high = problem.bounds
    assert (low <= problem.x0).all() and (problem.x0 <= high).all()
    assert problem.f(problem.x0) == problem.f(problem.x0 + np.array([0.3, -0.3, 0.2, 0.1, 0.0]))


def test_whoever_breaks_constraints_is_worse():
    problem = problems.get("bbob-constrained:f1/d2/i1")
    x = problem.x0 + 5.0 * np.random.default_rng(0).standard_normal((200, 2))
    f = problem.f(x)
    assert (f >= 1e12).any() and (f < 1e12).any()


def test_moved_the_origin_means_nothing():
    problem = problems.get("bbob:f8/d5/i1")
    moved = problems.get("bbob:f8/d5/i1~moved=3")
    assert moved.f(moved.x0) == pytest.approx(problem.f(problem.x0)) and np.abs(moved.x0).min() > 0.0
    assert moved.f_best == problem.f_best


@pytest.mark.parametrize("name", ["bbob-noisy:f1/d5/i1", "bbob-mixint:f1/d3/i1", "bbob-largescale:f1/d21/i1"])
def test_what_a_suite_has_not_is_said(name):
    with pytest.raises(ValueError, match=name.partition(":")[0]):
        problems.get(name)
