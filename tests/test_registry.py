from dataclasses import dataclass
from importlib.metadata import EntryPoint

import pytest

from steelyard import registry
from steelyard.algorithms.gld import GLD
from steelyard.dialogue import Step


@dataclass(frozen=True)
class Lazy:
    """Recommends where it starts and stops."""

    how: str = "very"

    def run(self, x, rng):
        yield Step(x)
        return "too lazy to ask"


@pytest.fixture
def plugin(monkeypatch):
    points = [
        EntryPoint("lazy", f"{__name__}:Lazy", registry.ALGORITHMS),
        EntryPoint("stp", f"{__name__}:Lazy", registry.ALGORITHMS),
        EntryPoint("broken", "no.such.module:Thing", registry.ALGORITHMS),
    ]
    monkeypatch.setattr(registry, "entry_points_of", lambda group: points if group == registry.ALGORITHMS else [])
    registry.algorithm_names.cache_clear()
    yield
    registry.algorithm_names.cache_clear()


def test_a_plugin_is_found_by_name_and_cannot_replace_ours(plugin):
    assert registry.make_algorithm("lazy", {"how": "quite"}) == Lazy("quite")
    assert type(registry.make_algorithm("stp")).__name__ == "STP"


def test_a_broken_plugin_is_named_and_harms_no_other(plugin):
    with pytest.raises(ValueError, match=r"method 'broken' cannot be loaded from 'no.such.module:Thing'"):
        registry.make_algorithm("broken")


def test_a_class_may_be_given_by_module_and_name():
    assert registry.make_algorithm(f"{__name__}:Lazy") == Lazy()


@pytest.mark.parametrize(
    ("spec", "parsed"),
    [
        ("stp", ("stp", {})),
        ("gld,step=.1,smallest=5e-2", ("gld", {"step": 0.1, "smallest": 0.05})),
        ("stp,preset=paper, directions=sphere", ("stp", {"preset": "paper", "directions": "sphere"})),
        ("x,a=true,b=None,c=[1]", ("x", {"a": True, "b": None, "c": [1]})),
    ],
)
def test_specs(spec, parsed):
    assert registry.parse_spec(spec) == parsed


def test_a_bad_spec_is_named():
    with pytest.raises(ValueError, match=r"an option must be written name=value, got 'step' in 'gld,step'"):
        registry.parse_spec("gld,step")


def test_presets_and_options_on_top():
    assert registry.make_algorithm("gld", {"preset": "paper", "step": 2.0}) == GLD(step=2.0, smallest=1e-4)


def test_every_algorithm_of_ours_says_what_it_does():
    for name in registry.OURS:
        assert len(registry.summary(registry.algorithm_class(name))) > 20, name
