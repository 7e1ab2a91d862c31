import threading
from fractions import Fraction
from itertools import pairwise
from math import ceil, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize as scipy_minimize

from steelyard import FunctionOracle, Session, minimize
from steelyard.convert import FromFunction, OrderValues

X0 = np.array([-1.2, 1.0, 0.3])
OPTIONS = {"fatol": np.inf, "xatol": 1e-7, "maxfev": 10_000}


def rosenbrock(x):
    return (100.0 * (x[..., 1:] - x[..., :-1] ** 2) ** 2 + (1.0 - x[..., :-1]) ** 2).sum(axis=-1)


def prefer(x, y):
    return int(np.sign(rosenbrock(y) - rosenbrock(x)))


def nelder_mead(f, path):
    return scipy_minimize(f, X0, method="Nelder-Mead", options=OPTIONS, callback=lambda x: path.append(x.copy()))


def test_scipys_nelder_mead_walks_the_same_way_as_on_true_values():
    true_path, path = [], []
    on_values = nelder_mead(rosenbrock, true_path)
    stand_in = OrderValues(prefer)
    on_order = nelder_mead(stand_in, path)
    assert on_values.success and rosenbrock(on_values.x) < 1e-12
    assert np.array_equal(path, true_path)
    assert np.array_equal(on_order.x, on_values.x)
    assert (on_order.nit, on_order.nfev) == (on_values.nit, on_values.nfev)
    assert stand_in.shared == 0
    assert rosenbrock(stand_in.x) <= rosenbrock(on_order.x)
    assert stand_in.ncmp <= on_order.nfev * ceil(log2(on_order.nfev))


def test_as_an_algorithm_it_takes_the_same_way_and_its_comparisons_are_counted():
    on_values = nelder_mead(rosenbrock, [])
    tried = []

    def method(f, x, rng):
        result = scipy_minimize(f, x, method="Nelder-Mead", options=OPTIONS)
        tried.append(result.x)

    result = minimize(FunctionOracle(rosenbrock), X0, method=FromFunction(method), budget=10_000)
    assert result.success
    assert result.message == "converged: the method returned"
    assert np.array_equal(tried[0], on_values.x)
    assert rosenbrock(result.x) <= rosenbrock(on_values.x)
    stand_in = OrderValues(prefer)
    nelder_mead(stand_in, [])
    assert result.ncmp == stand_in.ncmp + 32  # the last ones ask whether this is a minimum


def test_a_run_replays_and_leaves_no_thread_behind():
    algorithm = FromFunction(lambda f, x, rng: [f(x + rng.standard_normal(3)) for _ in range(1000)])
    before = threading.active_count()
    run = Session(algorithm, X0, 1)
    run.run(FunctionOracle(rosenbrock), 50)
    again = Session(algorithm, X0, 1)
    again.replay(run.log)
    assert np.array_equal(again.recommend(), run.recommend())
    workers = [thread for thread in threading.enumerate() if thread.name.startswith("steelyard")]
    assert len(workers) == 2
    del run, again
    for worker in workers:
        worker.join(timeout=10)
    assert threading.active_count() <= before


def test_an_error_in_the_method_reaches_the_caller():
    def broken(f, x, rng):
        f(x)
        f(x + 1.0)
        raise ZeroDivisionError("the method's own")

    with pytest.raises(ZeroDivisionError, match="the method's own"):
        minimize(FunctionOracle(rosenbrock), X0, method=FromFunction(broken), budget=100)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=30))
def test_the_numbers_have_the_order_of_the_values_ties_included(hidden):
    points = [np.array([float(i), float(v)]) for i, v in enumerate(hidden)]
    stand_in = OrderValues(lambda x, y: int(np.sign(y[1] - x[1])))
    numbers = [stand_in(x) for x in points]
    for i, a in enumerate(hidden):
        for j, b in enumerate(hidden):
            assert np.sign(numbers[i] - numbers[j]) == np.sign(a - b)
    assert hidden[int(stand_in.x[0])] == min(hidden)


def test_a_known_point_costs_nothing():
    stand_in = OrderValues(prefer)
    first = [stand_in(X0 + k) for k in range(4)]
    asked = stand_in.ncmp
    assert [stand_in(X0 + k) for k in range(4)] == first
    assert stand_in.ncmp == asked


def test_a_gap_that_is_used_up_gives_a_tie_and_never_a_wrong_order():
    hidden = [Fraction(0), Fraction(1)]  # exact, where the stand-in has floats
    stand_in = OrderValues(
        lambda x, y: (hidden[int(y[0])] > hidden[int(x[0])]) - (hidden[int(y[0])] < hidden[int(x[0])])
    )
    numbers = [stand_in([0.0]), stand_in([1.0])]
    low, high = hidden
    for k in range(80):  # always between the last two
        middle = (low + high) / 2
        hidden.append(middle)
        numbers.append(stand_in([float(len(hidden) - 1)]))
        low, high = (middle, high) if k % 2 else (low, middle)
    assert stand_in.shared > 0
    in_order = [number for _, number in sorted(zip(hidden, numbers, strict=True))]
    assert all(better <= worse for better, worse in pairwise(in_order))
    assert len(set(numbers)) >= 50


def test_rows_are_refused():
    with pytest.raises(ValueError, match=r"x must be one point, got shape \(2, 3\)"):
        OrderValues(prefer)(np.zeros((2, 3)))


def test_the_nelder_mead_recipe_works_from_the_origin():
    def nelder_mead(f, x, rng):
        options = {"fatol": np.inf, "xatol": 1e-3, "initial_simplex": np.vstack([x, x + 0.5 * np.eye(x.size)])}
        return scipy_minimize(f, x, method="Nelder-Mead", options=options)

    oracle = FunctionOracle(lambda x: ((x - 2.0) ** 2).sum(axis=-1))
    result = minimize(oracle, np.zeros(3), method=FromFunction(nelder_mead), budget=2000, rng=0)
    np.testing.assert_allclose(result.x, 2.0, atol=0.01)
