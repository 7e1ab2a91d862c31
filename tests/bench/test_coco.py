from dataclasses import replace

import numpy as np
import pytest

from steelyard.bench import Plan, run
from steelyard.bench.cell import run_cell
from steelyard.bench.coco import TARGETS, best2009, observe, reference_runtimes, runtimes
from steelyard.bench.coco_tables import targets_table
from steelyard.bench.figures import coco_figures
from steelyard.bench.lockstep import algorithm_seed
from steelyard.bench.methods import algorithm_from
from steelyard.bench.plan import Cell
from steelyard.bench.records import load_plan
from steelyard.bench.report import bench_report, markdown_blocks
from steelyard.function_oracle import FunctionOracle
from steelyard.problems import get
from steelyard.session import Session

pytest.importorskip("cocoex", reason="COCO's suites need coco-experiment")


def test_the_best_of_2009_is_read_from_the_package():
    pytest.importorskip("importlib.util").find_spec("cocopp") or pytest.skip("needs cocopp")
    sphere = best2009("bbob", 1, 5)
    assert sphere[0] == 11 and sphere[-1] == 12 and (np.diff(sphere) >= 0).all() and len(sphere) == len(TARGETS) == 9
    assert np.isnan(reference_runtimes(["QING", "bbob:f1/d7/i1"])).all()


@pytest.mark.parametrize("method", ["cqn", "stp"])
def test_runtimes_are_exact_in_comparisons_and_in_evaluations(method, tmp_path):
    name = "bbob:f1/d2/i1~shifted=1,2~moved=1"
    plan = Plan([name], [method], budget=700, seeds=1)
    run(plan, tmp_path, jobs=0)
    results = load_plan(plan, tmp_path)

    problem = get(name)
    oracle = FunctionOracle(problem.f)
    session = Session(algorithm_from(method), problem.x0, algorithm_seed(0), log=False)
    steps = [(0, 1, problem.f(problem.x0) - problem.f_best)]  # whoever starts there has evaluated the start
    session.watch(lambda queries, x: steps.append((queries, oracle.nfev, problem.f(x) - problem.f_best)))
    session.run(oracle, 700)

    asked, evaluated, gaps = np.array(steps).T
    for j, target in enumerate(TARGETS):
        met = gaps <= target
        first = np.argmax(met)
        assert runtimes(results)[0, j] == (asked[first] if met.any() else np.inf), target
        assert runtimes(results, "evaluations")[0, j] == (evaluated[first] if met.any() else np.inf), target
    assert np.isfinite(runtimes(results)[0, :4]).all()


def test_targets_reached_per_variable(tmp_path):
    plan = Plan(
        {"sphere": ["bbob:f1/d{n}/i{seed}"], "rugged": ["bbob:f15/d{n}/i{seed}"]},
        ["one-plus-one", "stp"],
        n=[2, 3],
        budget=900,
        per_variable=400,
        caps={"stp": 200},
        seeds=1,
        first_seed=4,
        checkpoints=[200, 300, 600, 900],
    )
    assert {(cell.algorithm, cell.budget) for cell in plan.cells()} == {
        *(("one-plus-one", 800), ("one-plus-one", 900)),
        ("stp", 200),
    }
    assert Plan.from_toml(plan.to_toml()) == plan
    run(plan, tmp_path, jobs=0)
    results = load_plan(plan, tmp_path)
    table = targets_table(plan, results)
    assert table.head == ["n", "problems", "one-plus-one", "stp"]
    assert [row[:2] for row in table.rows] == [[n, g] for n in "23" for g in ("all", "sphere", "rugged")]
    sphere = table.rows[1]
    times = runtimes(results.where(problem="bbob:f1/d2/i{seed}", algorithm="one-plus-one"))
    within = [f"{np.mean(times <= k):.2f}".removeprefix("0") for k in (60, 200, 600)]
    assert sphere[2] == " / ".join(within)
    assert sphere[3].endswith(" / –") and sphere[3].count("–") == 1
    assert table.rows[4][3].endswith(" / – / –")  # capped below 100 n
    for most, counts in ((100, 3), (30, 2), (0, 3)):  # 10, 30 and 100 n; 10 and 30 n; 100, 300 and 1,000 n
        other = targets_table(replace(plan, per_variable=most), results)
        assert other.rows[1][2].count("/") == counts - 1, most
    together = targets_table(plan, results, by_group=False)
    assert [[row[0], "all", *row[1:]] for row in together.rows] == [table.rows[0], table.rows[3]]
    assert markdown_blocks(plan, tmp_path)["targets"]().startswith("| n | one-plus-one | stp |")
    assert "rugged" in bench_report(plan, tmp_path).read_text().partition("s targets</h2>")[2]
    assert "400 n, at most 900 queries" in markdown_blocks(plan, tmp_path)["stamp"]()


def test_without_a_box_the_default_is_bayes_quadratic_bit_for_bit():
    """So docs/results/bbob.md has one column for both."""
    cells = [Cell("bbob:f8/d5/i11~shifted=11,2~moved=11", name, "exact", 60, (11,)) for name in METHODS]
    one, other = (run_cell(cell)[0] for cell in cells)
    assert all(np.array_equal(one[part], other[part]) for part in ("trace_f", "trace_queries"))
    assert one["queries"] == 60 and one["f_final"] < one["f0"]


METHODS = ("auto", "bayes-quadratic")


def test_the_share_of_targets_is_drawn_with_the_best_of_2009(tmp_path, monkeypatch):
    drawn = []

    def panels_noted(panels, *_rest, **_named):
        drawn.append(panels)
        return "a figure"

    monkeypatch.setattr("steelyard.bench.figures.plots.profile_panels", panels_noted)
    monkeypatch.setattr("steelyard.bench.figures.plots.save", lambda figure, folder, name: folder / name)
    plan = Plan(
        ["bbob:f1/d{n}/i1~moved={seed}", "bbob:f8/d{n}/i1~moved={seed}"], ["stp"], n=[2, 3], budget=200, seeds=2
    )
    run(plan, tmp_path, jobs=0)
    figures = coco_figures(plan, load_plan(plan, tmp_path), tmp_path)
    assert [figure.path.name for figure in figures] == ["coco-comparisons", "coco-evaluations"]
    for panels in drawn:
        assert list(panels) == ["n = 2", "n = 3"]
        labels, curve = panels["n = 2"]
        assert labels[0] == "stp" and curve.y[0, -1] < 1.0
    if len(labels) > 1:  # cocopp is there
        assert labels[1] == "best 2009 (values)" and curve.y[1, -1] == 1.0


SUITES = [
    ("bbob", 3, 2, "200 comparisons"),
    ("bbob-noisy", 101, 2, ": 400 evaluations, 200 comparisons"),  # both points anew for each comparison
    ("bbob-mixint", 1, 5, "500 comparisons"),
    ("bbob-constrained", 1, 2, "200 comparisons"),
    ("bbob-largescale", 3, 20, "2000 comparisons"),
]


@pytest.mark.parametrize(("suite", "function", "n", "said"), SUITES)
def test_coco_writes_its_own_format_and_cocopp_reads_it(suite, function, n, said, tmp_path):
    lines = []
    out = tmp_path / "data" / "mine"
    options = {"suite": suite, "functions": [function], "dimensions": [n], "instances": [1, 2]}
    assert observe("stp", out, **options, say=lines.append) == out
    assert len(lines) == 2 and all(said in line for line in lines)
    (info,) = out.glob("*.info")
    assert f"suite = '{suite}'" in info.read_text() and "algId = 'stp'" in info.read_text()
    data = pytest.importorskip("cocopp.pproc").DataSetList([str(out)])
    (found,) = data
    assert (found.funcId, found.dim, found.instancenumbers) == (function, n, [1, 2])
    if suite in ("bbob", "bbob-largescale", "bbob-mixint"):
        assert found.maxevals.tolist() == [float(line.split()[1]) for line in lines]
        # What COCO itself has noted as the best is better than the start.
        assert (found.finalfunvals < found.funvals[0, 1:]).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"suite": "bob"}, "suite must be one of bbob, .* got 'bob'"),
        ({"functions": [25]}, "function must be from 1 to 24 in bbob, got 25"),
        ({"dimensions": [7]}, "dimensions and instances must be ones that bbob has, got dimensions 7"),
    ],
)
def test_what_coco_has_not_is_named(options, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        observe("stp", tmp_path / "out", **options)
    with pytest.raises(ValueError, match="path without spaces"):
        observe("stp", tmp_path / "my data")
