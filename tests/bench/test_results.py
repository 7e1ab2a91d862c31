import numpy as np
import pytest

from steelyard.bench import Plan, load, run


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    out = tmp_path_factory.mktemp("results")
    run(Plan(["ROSENBR", "QING?N=10"], ["stp,preset=paper", "gld"], budget=400, seeds=3), out, jobs=0)
    run(Plan(["ROSENBR"], ["gld"], budget=100, seeds=2, oracle="noisy,p=.9"), out, jobs=0)
    return load(out)


def test_where_and_take_keep_each_runs_trace(results):
    assert len(results) == 14
    some = results.where(problem="ROSENBR", algorithm=["gld"], oracle="exact", seed=[1, 2])
    assert len(some) == 2
    for i in range(2):
        one = some.take([i])
        assert one.traces["trace_queries"][0] == 0 and one.traces["trace_f"][-1] == one["f_final"][0]
        assert one["f_final"][0] == results.where(key=str(one["key"][0]))["f_final"][0]


def test_values_at_a_query_count(results):
    exact = results.where(oracle="exact")
    np.testing.assert_array_equal(exact.at(0), exact["f0"])
    np.testing.assert_array_equal(exact.at(10**9), exact["f_final"])
    curves = exact.curves(np.array([0, 100, 400]))
    assert curves.shape == (12, 3) and np.all(np.diff(curves, axis=1) <= 0)
    one = exact.take([4])
    before = one.traces["trace_queries"] <= 37
    assert one.at(37)[0] == one.traces["trace_f"][before][-1]


def test_times_are_cut_at_the_budget_and_missing_runs_are_nan(results):
    exact = results.where(oracle="exact")
    times = exact.times("r1", ["ROSENBR", "ARGLINA"], ["gld", "stp,preset=paper"])
    assert times.shape == (2, 2, 3) and np.isnan(times[1]).all() and not np.isnan(times[0]).any()
    assert np.isinf(exact.times("r1", ["ROSENBR"], ["gld"], budget=1)).all()


def test_mixed_oracles_are_refused(results):
    with pytest.raises(ValueError, match="of one oracle"):
        results.times("f05", ["ROSENBR"], ["gld"])
    with pytest.raises(ValueError, match="criterion must be one of"):
        results.where(oracle="exact").times("f06", ["ROSENBR"], ["gld"])


def test_loading_without_traces(results, tmp_path):
    run(Plan(["ROSENBR"], ["gld"], budget=100, seeds=2), tmp_path, jobs=0)
    light = load(tmp_path, traces=False)
    assert len(light) == 2 and not light.traces
    with pytest.raises(ValueError, match="no results"):
        load(tmp_path / "nowhere")
