"""The plans of the repository can be read, and each can be begun."""

import sys
from pathlib import Path

import pytest

from steelyard.bench import Plan
from steelyard.bench.cell import run_cell
from steelyard.bench.measurement import load_measurement

FOLDER = Path(__file__).parents[2] / "plans"


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.toml")))
def test_a_plan_of_the_repository(name, monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER.parent))
    if name in ("bbob", "bbob-long", "few-answers"):
        pytest.importorskip("cocoex", reason="bbob needs coco-experiment")
    plan = Plan.load(FOLDER / f"{name}.toml")
    if name in ("real-chess", "real-ears"):
        pytest.skip(" ".join(plan.skipped()) or "a comparison takes seconds; tests/real has smaller ones")
    cell = next(plan.cells(), None)
    if cell is None:
        pytest.skip(" ".join(plan.skipped()))
    record = run_cell(type(cell)(cell.problem, cell.algorithm, cell.oracle, 10, cell.seeds[:1], (10,), cell.f_best))[0]
    assert record["status"] != "failed", record["reason"]


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "small"))
def test_a_measurement_of_the_repository(name, monkeypatch):
    """Each can be read; one case of those that take a moment is measured, and shown."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    if name == "mixed":
        pytest.importorskip("sklearn", reason="mixed needs scikit-learn")
    plan = load_measurement(FOLDER / f"{name}.py")
    cases = plan.cases()
    assert len({case.key for case in cases}) == len(cases)
    if name in ("certainty", "pools", "replay", "rounds"):
        rows = cases[0].rows()
        assert rows and all(text.startswith("| ") for text in plan.tables(rows).values())
