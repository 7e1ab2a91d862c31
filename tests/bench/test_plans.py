"""The plans of the repository can be read, and each can be begun."""

from pathlib import Path

import pytest

from steelyard.bench import Plan
from steelyard.bench.cell import run_cell

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
