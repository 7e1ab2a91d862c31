import numpy as np
import pytest

from steelyard.bench import Plan, run
from steelyard.bench.coco import TARGETS, best2009, observe, reference_runtimes, runtimes
from steelyard.bench.coco_tables import targets_table
from steelyard.bench.records import load_plan
from steelyard.bench.report import markdown_blocks

pytest.importorskip("cocoex", reason="COCO's suites need coco-experiment")


def test_the_best_of_2009_is_read_from_the_package():
    pytest.importorskip("importlib.util").find_spec("cocopp") or pytest.skip("needs cocopp")
    sphere = best2009("bbob", 1, 5)
    assert sphere[0] == 11 and sphere[-1] == 12 and (np.diff(sphere) >= 0).all() and len(sphere) == len(TARGETS) == 9
    assert np.isnan(reference_runtimes(["QING", "bbob:f1/d7/i1"])).all()


def test_runtimes_in_comparisons_and_evaluations(tmp_path):
    plan = Plan(["bbob:f1/d2/i1~moved={seed}"], ["stp"], budget=300, seeds=2)
    run(plan, tmp_path, jobs=0)
    results = load_plan(plan, tmp_path)
    asked, evaluated = runtimes(results), runtimes(results, "evaluations")
    assert np.isfinite(asked[:, 0]).all() and (np.diff(asked, axis=1) >= 0).sum() > 0
    reached = np.isfinite(asked) & (asked > 0)
    assert (evaluated[reached] <= 2.0 * asked[reached]).all() and not np.array_equal(evaluated, asked)


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
    within = [f"{np.mean(times <= k):.2f}".removeprefix("0") for k in (200, 600)]
    assert sphere[2] == f"{within[0]} / {within[1]} / –"
    assert sphere[3].endswith(" / – / –") and sphere[3][0] in ".1"
    assert table.rows[4][3] == "– / – / –"  # capped below 100 n
    assert markdown_blocks(plan, tmp_path)["targets"]().startswith("| n | problems | one-plus-one | stp |")
    assert "400 n, at most 900 queries" in markdown_blocks(plan, tmp_path)["stamp"]()


def test_coco_writes_its_own_format(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = []
    folder = observe("stp", tmp_path / "mine", functions=[1], dimensions=[2], instances=[1, 2], say=lines.append)
    assert len(lines) == 2 and "200 comparisons" in lines[0]
    info = (
        next((tmp_path / folder).rglob("*.info")).read_text()
        if not folder.is_absolute()
        else next(folder.rglob("*.info")).read_text()
    )
    assert "algId = 'stp'" in info or "stp" in info
