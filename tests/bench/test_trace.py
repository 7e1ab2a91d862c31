import numpy as np
import pytest
from test_lockstep import alone

from steelyard.bench.criteria import CRITERIA, thresholds
from steelyard.bench.lockstep import run_together
from steelyard.bench.methods import algorithm_from
from steelyard.bench.trace import Trace, query_grid
from steelyard.problems import get


def test_grid_has_powers_of_ten_checkpoints_and_the_budget():
    grid = query_grid(12_345, [777, 50_000])
    assert {1, 10, 100, 1000, 10_000, 777, 12_345} <= set(grid.tolist())
    assert grid.max() == 12_345 and np.all(np.diff(grid) > 0) and len(grid) < 170


@pytest.mark.parametrize("method", ["stp,preset=paper", "gld,preset=paper", "own_methods:Walk"])
@pytest.mark.parametrize(("name", "oracle"), [("WATSON", "exact"), ("QING?N=10", "noisy,p=.8"), ("ROSENBR", "exact")])
def test_thinned_trace_has_every_crossing_and_every_grid_value_exactly(method, name, oracle):
    problem, algorithm, budget = get(name), algorithm_from(method), 3000
    (run,) = run_together(problem, algorithm, [1], budget, oracle, checkpoints=[123, 2500])
    _, steps = alone(problem, algorithm, 1, budget, oracle)
    queries = np.array([q for q, _ in steps])
    points = np.array([x for _, x in steps])
    f, g = problem.f(points), np.linalg.norm(problem.gradient(points), axis=1)

    limits = thresholds(problem)
    for criterion in CRITERIA:
        met = g <= limits.gradient if criterion == "g05" else f <= limits.values[criterion]
        assert run.queries_to[criterion] == (queries[np.argmax(met)] if met.any() else np.inf), criterion
    for level in limits.levels:
        here, there = queries[f <= level], run.trace.queries[1:][run.trace.f[1:] <= level]
        assert np.array_equal(here[:1], there[:1])
    for q in query_grid(budget, [123, 2500]):
        if queries[0] <= q:
            i = np.searchsorted(queries, q, side="right") - 1
            j = np.searchsorted(run.trace.queries, q, side="right") - 1
            assert run.trace.f[j] == f[i]
            np.testing.assert_allclose(run.trace.g[j], g[i], rtol=1e-12)
    assert np.all(np.diff(run.trace.queries) >= 0) and run.trace.f[0] == problem.f(problem.x0)
    assert len(run.trace.f) < 300


def test_nan_along_the_way_reaches_nothing(monkeypatch):
    monkeypatch.setattr("steelyard.bench.trace.is_expensive", lambda problem: True)
    problem = get("ROSENBR")
    trace = Trace(problem, thresholds(problem), query_grid(100), lambda x: np.nan if x[0] > 5 else None, lambda: 0)
    trace.step(1, np.array([6.0, 1.0]))
    trace.step(2, np.array([1.0, 1.0]))
    kept = trace.finish()
    assert trace.queries_to["f05"] == 2.0 and trace.queries_to["r6"] == 2.0
    assert np.isnan(kept.f[1]) and kept.f[2] == 0.0
