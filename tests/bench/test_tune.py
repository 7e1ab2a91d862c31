import numpy as np
import pytest

from steelyard.bench import load
from steelyard.bench.lockstep import run_together
from steelyard.bench.methods import algorithm_from
from steelyard.bench.search import parameters_of, search
from steelyard.bench.tune import Grid, best_cells, tune_grid, with_options
from steelyard.problems import get


def test_a_grid_shows_the_mean_final_value_at_each_count(tmp_path):
    grid = Grid("gld,directions=gaussian", ("step", (10, 1.0)), ("smallest", (0.1, 0.01, 0.001)))
    summary, values, page = tune_grid(grid, ["ROSENBR", "QING?N=5"], tmp_path, at=[50, 300], seeds=2, jobs=0)
    assert summary.finished == 24 and set(values) == {(p, q) for p in ("ROSENBR", "QING?N=5") for q in (50, 300)}
    runs = run_together(get("ROSENBR"), algorithm_from("gld,directions=gaussian,step=1,smallest=0.01"), [0, 1], 50)
    assert values["ROSENBR", 50][1, 1] == np.mean([run.trace.f[-1] for run in runs])
    assert page.exists() and (tmp_path / "report" / "figures" / "grid.pdf").exists()
    problem, count, spec, value = best_cells(grid, values)[0]
    assert value == values[problem, count].min() and spec.startswith("gld,directions=gaussian,step=")


def test_options_of_a_spec_are_replaced():
    assert with_options("gld,step=1,form='value'", {"step": 0.5, "smallest": 1}) == "gld,step=0.5,form=value,smallest=1"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Grid("gld", ("step", ()), ("smallest", (1,))), "at least one value of step"),
        (lambda: Grid("gld", ("step", (1,)), ("step", (1,))), "two different parameters"),
        (
            lambda: tune_grid(Grid("stp", ("step", (1,)), ("form", ("value",))), ["QING"], "x", at=[]),
            "at least one query count",
        ),
        (lambda: parameters_of("stp", {"stride": (1, 2)}), "'stride'"),
    ],
)
def test_bad_input_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_the_space_of_a_search_comes_from_the_method():
    space = {p.name: p for p in parameters_of("stp,step=.3")}
    assert space["step"].choices == pytest.approx((0.01, 9.0)) and space["schedule"].kind == "choice"
    assert "form" not in space
    assert {p.name: p for p in parameters_of("stp", {"step": (0.1, 1.0)})}["step"].choices == (0.1, 1.0)
    assert {p.name: p for p in parameters_of("cma-es", {"population": (4, 40)})}["population"].kind == "whole"


def test_a_search_improves_on_a_bad_setting_and_goes_on_where_it_was(tmp_path):
    pytest.importorskip("optuna")
    options = {"budget": 200, "trials": 12, "seeds": 2, "ranges": {"step": (0.001, 1.0)}, "jobs": 0}
    method = "stp,schedule=constant,step=0.001"
    tuned = search(method, ["ROSENBR", "QING?N=5"], ["HILBERTA"], tmp_path, **options)
    assert tuned.train[tuned.spec] < tuned.train[method] - 0.5 and len(tuned.trials) == 12
    assert set(tuned.test) == {method, tuned.spec}
    before = len(load(tmp_path))
    again = search(method, ["ROSENBR", "QING?N=5"], ["HILBERTA"], tmp_path, **options)
    assert again == tuned and len(load(tmp_path)) == before
