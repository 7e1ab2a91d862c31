"""Every example runs, and reaches what it promises."""

import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def load(name):
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up by name
    spec.loader.exec_module(module)
    return module


def test_classifier_from_judgements():
    before, after = load("classifier_from_judgements").main()
    assert after < 0.75 * before


def test_hearing_aid():
    before, after = load("hearing_aid").main()
    assert after < 0.2 * before


def test_hard_label_attack():
    before, after = load("hard_label_attack").main()
    assert after < 0.35 * before


def test_convert_pycma():
    reached = load("convert_pycma").main()
    assert all(value < 5.0 for value in reached.values())  # it starts at 1501
    assert reached["cqn"] < 1e-6


def test_judge_command():
    assert np.allclose(load("judge_command").main(), [3.0, 2.0, 0.1], atol=0.1)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.stem)
def test_the_notebook_runs_from_top_to_bottom(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    namespace = {"__name__": "__main__"}
    assert cells
    for number, cell in enumerate(cells, 1):
        exec(compile("".join(cell["source"]), f"{path.name}, code cell {number}", "exec"), namespace)


def test_every_example_is_tested_and_listed():
    here, listed = Path(__file__).parent, (EXAMPLES / "README.md").read_text()
    tests = "".join(path.read_text() for path in here.parent.rglob("test_*.py"))
    for path in EXAMPLES.glob("*.py"):
        assert path.stem in tests, f"{path.name} is not tested"
        assert path.name in listed, f"{path.name} is not in examples/README.md"
