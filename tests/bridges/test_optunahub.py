"""The folder for OptunaHub: loaded as the hub loads it, described as the hub wants it."""

import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

optuna = pytest.importorskip("optuna")
yaml = pytest.importorskip("yaml")
FOLDER = Path(__file__).parents[2] / "optunahub" / "package" / "samplers" / "comparison"


def loaded(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_description_has_what_the_hub_asks_for():
    _, front, text = (FOLDER / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    said = yaml.safe_load(front)
    assert said.keys() == {"author", "title", "description", "tags", "optuna_versions", "license"}
    assert said["license"] == "MIT License" and "sampler" in said["tags"]
    assert all(f"## {heading}\n" in text for heading in ("Abstract", "APIs", "Installation", "Example"))
    assert (FOLDER / "LICENSE").read_text() == (FOLDER.parents[3] / "LICENSE").read_text()


def test_the_example_runs_with_the_packages_sampler(monkeypatch):
    package = loaded(FOLDER / "__init__.py", "comparison_package")
    monkeypatch.setitem(sys.modules, "optunahub", SimpleNamespace(load_module=lambda name: package))
    example = loaded(FOLDER / "example.py", "comparison_example")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    assert example.badness(example.by_values()) < 0.01
