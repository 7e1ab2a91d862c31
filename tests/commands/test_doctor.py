"""The doctor names what is there and what is not, and knows the extras of pyproject.toml."""

import re
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from steelyard import extras, registry
from steelyard.commands import app

PYPROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
FOR_WORK_ON_STEELYARD_ITSELF = {"dev", "docs", "all"}


def doctor():
    return CliRunner().invoke(app, ["doctor"], env={"COLUMNS": "200"})


def test_all_is_well_here():
    outcome = doctor()
    assert outcome.exit_code == 0, outcome.output
    for word in ("steelyard", "Python", "numpy", "scipy", "all is well", *(extra.name for extra in extras.EXTRAS)):
        assert word in outcome.output


def test_a_missing_extra_is_named_with_the_way_to_install_it(monkeypatch):
    monkeypatch.setattr(extras, "installed", lambda package: None if package == "pyarrow" else "1.0")
    line = next(line for line in doctor().output.splitlines() if line.startswith("bench"))
    assert "missing pyarrow: pip install 'steelyard[bench]'" in line
    assert "benchmarks" in line


def test_a_broken_plugin_is_named_and_fails(monkeypatch):
    names = {**registry.algorithm_names(), "odd": "no_such_module_anywhere:Odd"}
    monkeypatch.setattr("steelyard.registry.algorithm_names", lambda: names)
    outcome = doctor()
    assert outcome.exit_code == 1
    assert "broken: method 'odd' cannot be loaded from 'no_such_module_anywhere:Odd'" in outcome.output


@pytest.mark.parametrize("extra", extras.EXTRAS, ids=lambda extra: extra.name)
def test_the_doctor_knows_each_extra_as_it_is(extra):
    declared = PYPROJECT["project"]["optional-dependencies"][extra.name]
    names = {re.split(r"[<>=\[; ]", requirement)[0].lower() for requirement in declared}  # as packages are installed
    assert {package.lower() for package in extra.packages} == names


def test_the_doctor_knows_every_extra():
    declared = set(PYPROJECT["project"]["optional-dependencies"]) - FOR_WORK_ON_STEELYARD_ITSELF
    assert declared == {extra.name for extra in extras.EXTRAS}
