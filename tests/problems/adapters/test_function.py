import pickle

import numpy as np
import pytest

from steelyard import problems
from steelyard.problems.problem import Problem

HERE = __name__


def sphere(x):
    assert x.ndim == 1
    return float(x @ x)


def greedy(x):
    x[:] = 0.0
    return 1.0


def rows(x):
    return (x * x).sum(axis=1)


rows.vectorized = True
rows.x0 = [1.0, 2.0, 3.0]

ready = Problem("ready", np.ones(2), values=rows, gradients=lambda x: 2 * x)


def test_a_function_of_one_point() -> None:
    problem = problems.get(f"{HERE}:sphere?n=3&start=2.0")
    np.testing.assert_array_equal(problem.f(np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 1.0]])), [14, 1])
    np.testing.assert_array_equal(problem.x0, [2.0, 2.0, 2.0])
    # Rounding f = 14 to 1e-15 over a step of 1e-5 leaves an error of 1e-9.
    np.testing.assert_allclose(problem.gradient([1.0, -2.0, 3.0]), [2.0, -4.0, 6.0], atol=2e-9)


def test_a_function_of_rows_with_its_own_start() -> None:
    problem = problems.get(f"{HERE}:rows")
    np.testing.assert_array_equal(problem.x0, [1.0, 2.0, 3.0])
    assert problem.f(problem.x0) == 14


def test_a_problem_is_taken_as_it_is() -> None:
    assert problems.get(f"{HERE}:ready").f([3.0, 4.0]) == 25


def test_a_function_cannot_change_our_points() -> None:
    problem = problems.get(f"{HERE}:greedy?n=2")
    x = np.ones((2, 2))
    problem.f(x)
    np.testing.assert_array_equal(x, np.ones((2, 2)))


def test_it_is_pickled_by_name() -> None:
    again = pickle.loads(pickle.dumps(problems.get(f"{HERE}:sphere", n=4)))
    assert again.name == f"{HERE}:sphere?n=4"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (f"{HERE}:sphere", "needs a dimension: write"),
        (f"{HERE}:sphere?n=0", "n must be an integer of at least 1, got 0"),
        (f"{HERE}:sphere?n=2&k=1", "has no parameter k; its parameters: n, start"),
        (f"{HERE}:ready?n=2", "takes no parameters, got n"),
        (f"{HERE}:HERE", "must be a function or a Problem, got str"),
        (f"{HERE}:nothing", "has no 'nothing'"),
        ("no.such.module:f", "there is no module 'no' to import"),
    ],
)
def test_bad_names_are_explained(spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        problems.get(spec)
