import importlib.metadata

import pytest

from steelyard import problems
from steelyard.problems import lookup
from steelyard.problems.definitions import ENTRIES

PLUGIN = """
import numpy as np
from steelyard.problems.definitions import Definition, problem

@problem("PLUGGED", family="plug-in", source="0 at the origin")
def plugged(N: int = 3) -> Definition:
    return Definition(np.ones(N), lambda x: (x * x).sum(axis=1), lambda x: 2 * x, f_best=0.0)
"""


@pytest.fixture
def plugins(monkeypatch, tmp_path):
    """One plug-in that works and one that cannot be imported."""
    (tmp_path / "steelyard_plugged.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(tmp_path)
    points = [
        importlib.metadata.EntryPoint("broken", "no_such_module_at_all", lookup.PLUGINS),
        importlib.metadata.EntryPoint("plugged", "steelyard_plugged", lookup.PLUGINS),
    ]
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: points if group == lookup.PLUGINS else [])
    lookup.load_plugins.cache_clear()
    yield
    ENTRIES.pop("PLUGGED", None)
    lookup.load_plugins.cache_clear()


def test_a_plug_in_registers_problems_and_a_broken_one_is_reported(plugins) -> None:
    with pytest.warns(UserWarning, match="plug-in 'broken' are missing"):
        problem = problems.get("PLUGGED", N=2)
    assert problem.f([3.0, 4.0]) == 25
    assert "PLUGGED" in problems.names()
    assert "PLUGGED" not in {p.name for p in problems.suite("cutest")}
