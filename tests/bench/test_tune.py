import numpy as np
import pytest

from steelyard.bench import load
from steelyard.bench.lockstep import run_together
from steelyard.bench.methods import algorithm_from
from steelyard.bench.search import hold_out, parameters_of, search
from steelyard.bench.search_report import search_report
from steelyard.bench.search_space import settings_for
from steelyard.bench.tune import Grid, best_cells, tune_grid, with_options
from steelyard.problems import get
from steelyard.registry import algorithm_names


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
    assert tuned.trials[0] == (method, tuned.train[method])
    assert tuned.importance.keys() <= {"step", "directions", "schedule"} and sum(tuned.importance.values()) > 0.99
    text = search_report(tuned, method, tmp_path).read_text(encoding="utf-8")
    assert "HILBERTA" in text and (tmp_path / "report" / "figures" / "history.png").exists()
    assert set(tuned.test) == {method, tuned.spec}
    before = len(load(tmp_path))
    again = search(method, ["ROSENBR", "QING?N=5"], ["HILBERTA"], tmp_path, **options)
    assert again == tuned and len(load(tmp_path)) == before


class RandomTrial:
    """The part of Optuna's trial that a search space uses, with independent draws."""

    def __init__(self, rng):
        self.rng = rng

    def suggest_categorical(self, name, choices):
        return choices[self.rng.integers(len(choices))]

    def suggest_int(self, name, low, high, log=False):
        return int(np.clip(round(self.suggest_float(name, low, high, log)), low, high))

    def suggest_float(self, name, low, high, log=False):
        if not log:
            return float(self.rng.uniform(low, high))
        return float(np.clip(np.exp(self.rng.uniform(np.log(low), np.log(high))), low, high))


@pytest.mark.parametrize(
    "method", [*algorithm_names(), "scobo,preset=paper", "signopt,preset=paper", "cma-es,preset=paper"]
)
def test_nearly_all_proposals_are_settings_that_the_method_accepts(method):
    space, rng = parameters_of(method), np.random.default_rng(0)
    drawn = [settings_for(RandomTrial(rng), method, space) for _ in range(200)]
    assert sum(settings is None for settings in drawn) <= 20
    for settings in drawn:
        if settings is not None:
            algorithm_from(with_options(method, settings))


def test_ranges_are_the_methods_own_also_without_a_default():
    scobo = {p.name: p for p in parameters_of("scobo")}
    assert scobo["s"].choices[1] < 1.0 and scobo["decay"].choices[1] == 1.0
    assert scobo["m"].kind == "whole" and scobo["m"].optional and scobo["radius"].kind == "real"
    pattern = {p.name: p for p in parameters_of("pattern-search")}
    assert pattern["expand"].choices[0] >= 1.0 and pattern["contract"].choices[1] <= 0.999
    assert {p.name: p for p in parameters_of("preference-gp")}["particles"].choices[0] >= 4


def test_problems_without_a_known_minimum_are_scored_by_the_best_value_seen(tmp_path):
    pytest.importorskip("optuna")
    options = {"budget": 200, "trials": 6, "seeds": 1, "ranges": {"step": (0.001, 1.0)}, "jobs": 0}
    tuned = search("stp,schedule=constant,step=0.001", ["INDEF?N=10"], None, tmp_path, **options)
    values = [value for _, value in tuned.trials]
    assert len(set(values)) > 3 and max(values) < 2.0
    assert tuned.against_best_seen == ("INDEF?N=10",) and tuned.test_problems == ("INDEF?N=10~rotated=1",)
    assert tuned.train[tuned.spec] == min(values) < tuned.trials[0][1]


def test_a_third_of_the_problems_is_held_out():
    assert hold_out(["QING", "WATSON", "ROSENBR", "HILBERTA"]) == (["QING", "WATSON", "HILBERTA"], ["ROSENBR"])
    assert hold_out(["QING"]) == (["QING"], ["QING~rotated=1"])
