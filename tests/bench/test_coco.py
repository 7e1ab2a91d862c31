import numpy as np
import pytest

from steelyard.bench import Plan, run
from steelyard.bench.coco import TARGETS, best2009, observe, reference_runtimes, runtimes
from steelyard.bench.records import load_plan

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
