import dataclasses

import numpy as np
import pytest

from steelyard import Session
from steelyard.bench.lockstep import algorithm_seed, oracle_seed, run_together
from steelyard.bench.methods import algorithm_from
from steelyard.bench.oracle_spec import make_oracle
from steelyard.problems import get

METHODS = [
    *(f"{name},preset=paper" for name in ("stp", "gld", "cma-es", "scobo", "signopt")),
    *("cqn", "one-plus-one", "nelder-mead", "powell", "pattern-search"),
    *("stp,form='value'", "own_methods:Walk", "own_methods:Stops"),
]
ORACLES = ["exact", "exact,jnd=1e-3", "noisy,p=.8", "logistic,scale=1,jnd=.01", "noisy,p=.9,majority=3"]
ORACLES += ["persistent,p=.8", "person", "exact,bias=.2,lapse=.1", "exact,jnd=.01,relative=1"]


def alone(problem, algorithm, seed, budget, oracle):
    top, _ = make_oracle(oracle, problem.f, oracle_seed(seed, problem.name), problem)
    session = Session(algorithm, problem.x0, algorithm_seed(seed), log=False)
    steps = []
    session.watch(lambda queries, x: steps.append((queries, x.copy())))
    return session.run(top, budget), steps


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["WATSON", "LUKSAN12LS", "MaxK"])
def test_together_is_bit_for_bit_as_alone(method, name):
    problem, algorithm = get(name), algorithm_from(method)
    for run in run_together(problem, algorithm, range(4), 301):
        result, _ = alone(problem, algorithm, run.seed, 301, "exact")
        assert np.array_equal(run.x, result.x)
        assert (run.queries, run.steps, run.ties, run.evaluations) == (
            result.ncmp,
            result.nit,
            result.nties,
            result.nfev,
        )
        assert run.trace.f[-1] == problem.f(result.x)


@pytest.mark.parametrize("oracle", ORACLES)
def test_every_oracle_together_as_alone(oracle):
    problem, algorithm = get("QING?N=20"), algorithm_from("gld,step=1,smallest=.1")
    for run in run_together(problem, algorithm, [3, 1, 2], 200, oracle):
        result, _ = alone(problem, algorithm, run.seed, 200, oracle)
        assert np.array_equal(run.x, result.x) and run.ties == result.nties


def test_a_cache_too_small_for_the_run_changes_nothing(monkeypatch):
    problem, algorithm = get("ROSENBR"), algorithm_from("gld,preset=paper")
    before = [run.x for run in run_together(problem, algorithm, range(2), 200)]
    monkeypatch.setattr("steelyard.bench.oracle_spec.CACHED_IN_BENCH", 3)
    after = [run.x for run in run_together(problem, algorithm, range(2), 200)]
    assert np.array_equal(before, after)


def test_budget_is_not_exceeded_and_a_method_that_stops_says_why():
    runs = run_together(get("ROSENBR"), algorithm_from("own_methods:Stops"), range(2), 17)
    assert [(run.queries, run.status) for run in runs] == [(17, "budget")] * 2
    runs = run_together(get("ROSENBR"), algorithm_from("own_methods:Stops"), range(2), 1000)
    assert [(run.queries, run.status, run.reason) for run in runs] == [(18, "stopped", "three rounds are enough")] * 2


def test_one_failing_replicate_does_not_stop_the_others():
    problem, algorithm = get("ROSENBR"), algorithm_from("own_methods:Breaks")
    runs = run_together(problem, algorithm, range(6), 60)
    failed = [run for run in runs if run.status == "failed"]
    assert 0 < len(failed) < 6
    assert all("ZeroDivisionError: seven" in run.reason and run.queries == 5 for run in failed)
    for run in runs:
        if run.status != "failed":
            assert run.queries == 60 and np.array_equal(run.x, alone(problem, algorithm, run.seed, 60, "exact")[0].x)


def test_a_function_that_fails_fails_only_those_who_asked():
    problem = get("ROSENBR")

    def values(x):
        if np.isnan(x).any():
            raise ArithmeticError("not a point")
        return problem.values(x)

    picky = dataclasses.replace(problem, values=values, rebuild=None)
    runs = run_together(picky, algorithm_from("own_methods:Breaks,how=nan"), range(6), 60)
    reasons = [run.reason for run in runs if run.status == "failed"]
    assert 0 < len(reasons) < 6 and all("ArithmeticError: not a point" in reason for reason in reasons)
    assert all(run.queries == 60 for run in runs if run.status != "failed")


def test_points_that_are_nan_are_bad_values_and_nothing_else():
    for run in run_together(get("ROSENBR"), algorithm_from("own_methods:Breaks,how=nan"), range(6), 60):
        assert run.status == "budget" and run.queries == 60


def test_a_method_that_wants_values_is_refused_by_a_noisy_oracle():
    (run,) = run_together(get("ROSENBR"), algorithm_from("stp,form=value"), [0], 50, "noisy,p=.9")
    assert run.status == "failed" and "zeroth-order" in run.reason
