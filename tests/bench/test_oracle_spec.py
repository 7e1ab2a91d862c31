from importlib.metadata import EntryPoint

import numpy as np
import pytest

from steelyard import FunctionOracle
from steelyard.bench import oracle_spec, sources
from steelyard.bench.plan import Cell
from steelyard.registry import ORACLES


class Contrary:
    """Turns a part of the answers round."""

    def __init__(self, oracle, rng, part=1.0):
        self.oracle, self.rng, self.part = oracle, rng, part

    def compare(self, a, b):
        answers = self.oracle.compare(a, b)
        return np.where(self.rng.random(len(a)) < self.part, -answers, answers).astype(np.int8)


@pytest.fixture
def contrary(monkeypatch):
    points = [EntryPoint("contrary", f"{__name__}:Contrary", ORACLES)]
    monkeypatch.setattr(oracle_spec, "entry_points_of", lambda group: points if group == ORACLES else [])
    for cached in (oracle_spec.plugins, oracle_spec.canonical_oracle):
        cached.cache_clear()
    yield
    for cached in (oracle_spec.plugins, oracle_spec.canonical_oracle):
        cached.cache_clear()


def test_an_oracle_of_another_package_is_used_by_name(contrary):
    a, b = np.zeros((40, 1)), np.ones((40, 1))
    oracle, base = oracle_spec.make_oracle("contrary", lambda x: x[..., 0], np.random.SeedSequence(0))
    assert isinstance(base, FunctionOracle) and (oracle.compare(a, b) == -1).all()
    half, _ = oracle_spec.make_oracle("contrary,part=.5", lambda x: x[..., 0], np.random.SeedSequence(0))
    assert set(half.compare(a, b)) == {-1, 1}
    assert oracle_spec.canonical_oracle("contrary,part=.5") == "contrary,part=0.5"


def test_the_source_of_an_oracle_of_another_package_is_part_of_the_identity_of_a_run(contrary, monkeypatch):
    cell = Cell("ROSENBR", "stp", "contrary,part=.5", 20, (0,))
    before = cell.key(0)
    assert cell.key(0) == before
    edited = sources._module(__name__)._replace(source=b"# edited")
    monkeypatch.setattr(
        sources, "_module", lambda name, known=sources._module: edited if name == __name__ else known(name)
    )
    assert cell.key(0) != before


def test_an_unknown_oracle_is_named_with_those_there_are(contrary):
    with pytest.raises(
        ValueError,
        match="one of exact, noisy, persistent, logistic, typical, chooser, person, own, contrary, got 'psychic'",
    ):
        oracle_spec.make_oracle("psychic", abs, np.random.SeedSequence(0))
