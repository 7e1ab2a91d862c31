import sys
from importlib.machinery import EXTENSION_SUFFIXES
from types import ModuleType

import pytest

from steelyard.bench import methods, run, sources
from steelyard.bench import plan as plan_module
from steelyard.bench.plan import Cell, Plan


def test_toml_and_back():
    plan = Plan(["suite:toy", "QING?N=50"], ["stp,preset=paper", "gld,step=.1"], 1e4, 3, "noisy,p=.9", [100])
    assert Plan.from_toml(plan.to_toml()) == plan
    assert plan.problem_names() == ["SparseQuadratic", "MaxK", "NonSparseQuadratic", "QING?N=50"]
    assert len(list(plan.cells())) == 8 and next(plan.cells()).seeds == (0, 1, 2)


def test_a_run_is_identified_by_what_changes_its_result():
    cell = Cell("QING", "gld,step=.1,smallest=1e-4", "noisy,p=.9", 1000, (0, 1))
    same = Cell("QING?N=100", "gld,preset=paper", "noisy,p=0.90", 1000, (1, 5, 6))
    assert cell.key(1) == same.key(1)
    others = [
        Cell("QING?N=99", "gld,preset=paper", "noisy,p=.9", 1000, (1,)),
        Cell("QING", "gld,preset=published", "noisy,p=.9", 1000, (1,)),
        Cell("QING", "gld,preset=paper", "noisy,p=.8", 1000, (1,)),
        Cell("QING", "gld,preset=paper", "noisy,p=.9", 1001, (1,)),
    ]
    keys = {cell.key(0), cell.key(1), *(other.key(1) for other in others)}
    assert len(keys) == 6


def test_whoever_edits_the_sources_runs_again(tmp_path, monkeypatch):
    """With a changed copy of some source in place of the original, only what it decides is run again."""
    plan = Plan(["ROSENBR", "QING?N=5"], ["stp", "gld", "own_methods:Walk"], budget=20, seeds=1, oracle="noisy,p=.9")
    edited, file_of = set(), sources._file

    def file(name):
        path = file_of(name)
        if name not in edited:
            return path
        copy = tmp_path / f"{name}.py"
        copy.write_text(path.read_text() + "\n# edited\n")
        return copy

    def finished(*names):
        edited.update(names)
        for cached in (sources._module, sources.harness_hash, methods.algorithm_identity, plan_module.problem_source):
            cached.cache_clear()
        return run(plan, tmp_path / "out", jobs=0).finished

    monkeypatch.setattr(sources, "_file", file)
    try:
        assert finished() == 6 and finished() == 0
        assert finished("steelyard.algorithms.stp") == 2
        assert finished("steelyard.parts.directions") == 4  # which stp and gld import
        assert finished("own_methods") == 2
        assert finished("steelyard.problems.cutest.separable") == 3
        assert finished("steelyard.registry", "steelyard.bench.report") == 0
        assert finished("steelyard.oracles") == finished("steelyard.session") == 6
    finally:
        monkeypatch.undo()
        finished()


METHOD = """
from dataclasses import dataclass
from {helper} import LENGTH
from steelyard import Compare, Step

@dataclass(frozen=True)
class Walk:
    def run(self, x, rng):
        while True:
            d = LENGTH * rng.standard_normal(x.size)
            answers = yield Compare((x + d)[None], x[None])
            x = x + d if answers[0] > 0 else x
            yield Step(x)

def make():
    return Walk()
"""


@pytest.mark.parametrize("maker", ["Walk", "make", "Walk,parallel=3"])
@pytest.mark.parametrize("edited", ["method", "helper"])
def test_whoever_edits_a_method_of_their_own_runs_again(tmp_path, monkeypatch, maker, edited):
    monkeypatch.syspath_prepend(tmp_path)
    files = {part: tmp_path / f"{edited}_{maker[:4]}{len(maker)}_{part}.py" for part in ("method", "helper")}
    files["helper"].write_text("LENGTH = 0.3\n")
    files["method"].write_text(METHOD.replace("{helper}", files["helper"].stem))
    cell = Cell("ROSENBR", f"{files['method'].stem}:{maker}", "exact", 20, (0,))

    def key():
        for cached in (sources._module, methods.algorithm_identity):
            cached.cache_clear()
        return cell.key(0)

    before = key()
    assert key() == before
    files[edited].write_text(files[edited].read_text() + "\n# edited\n")
    assert key() != before


@pytest.mark.parametrize(
    ("text", "needed", "not_needed"),
    [
        ("from steelyard.algorithms import STP", "algorithms.stp", "algorithms.gld"),
        ("def later():\n    from steelyard import algorithms", "algorithms.stp", "bench.report"),
        ("import steelyard as sy", "algorithms.stp", "bench.report"),
        ("from steelyard import *", "algorithms.stp", "bench.report"),
        ("from steelyard import Compare, Step", "dialogue", "session"),
        ("from steelyard.problems import get", "problems.cutest.separable", "algorithms.stp"),
    ],
)
def test_what_a_method_takes_from_our_packages_decides_its_results(tmp_path, monkeypatch, text, needed, not_needed):
    """Also where a package only hands it on, on first use."""
    monkeypatch.syspath_prepend(tmp_path)
    name = f"taking_{len(text)}"
    (tmp_path / f"{name}.py").write_text(text)
    found = sources._with_imports(sources._with_named({name}))
    assert f"steelyard.{needed}" in found and f"steelyard.{not_needed}" not in found


@pytest.mark.parametrize("kind", ["script", "compiled", "notebook"])
def test_what_is_no_module_of_python_decides_results_too(tmp_path, monkeypatch, kind):
    def forget():
        sources._file.cache_clear()
        sources._module.cache_clear()

    if kind == "compiled":
        monkeypatch.syspath_prepend(tmp_path)
        (tmp_path / "with_parts").mkdir()
        (tmp_path / "with_parts" / "__init__.py").write_text("from with_parts import parts")
        name, file = "with_parts", tmp_path / "with_parts" / f"parts{EXTENSION_SUFFIXES[0]}"
    else:
        name, file = "__main__", tmp_path / "script.py"
        main = ModuleType(name)
        monkeypatch.setitem(sys.modules, name, main)
        if kind == "script":
            main.__file__ = str(file)
    try:
        forget()
        file.write_bytes(b"LENGTH = 1")
        before = sources.source_hash([name])
        assert sources.source_hash([name]) == before
        file.write_bytes(b"LENGTH = 2")
        monkeypatch.setattr(sources, "UNKNOWN", b"as in another process")
        forget()
        assert sources.source_hash([name]) != before
    finally:
        monkeypatch.undo()
        forget()


def test_a_package_is_run_before_what_is_inside_it(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "outer_package").mkdir()
    for file, text in {"__init__": "from .deep import SCALE", "deep": "SCALE = 1", "inner": ""}.items():
        (tmp_path / "outer_package" / f"{file}.py").write_text(text)
    (tmp_path / "taking_inner.py").write_text("import outer_package.inner")
    assert {"outer_package", "outer_package.deep"} < sources._with_imports({"taking_inner"})
    (tmp_path / "plain_folder").mkdir()
    (tmp_path / "plain_folder" / "inner.py").write_text("")
    before = sources.source_hash(["plain_folder.inner"])
    sources._module.cache_clear()
    monkeypatch.setattr(sources, "UNKNOWN", b"as in another process")
    assert sources.source_hash(["plain_folder.inner"]) == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"problems": []}, "problems must be a list"),
        ({"problems": ["NOPE"]}, "NOPE"),
        ({"problems": ["suite:nope"]}, "suite must be one of"),
        ({"algorithms": ["stq"]}, "did you mean 'stp'"),
        ({"algorithms": ["stp,stride=3"]}, "stride"),
        ({"budget": 0}, "budget must be at least 1"),
        ({"seeds": 0}, "seeds must be at least 1"),
        ({"oracle": "noisy"}, "p of oracle noisy must be a number"),
        ({"oracle": "noisy,p=2"}, "p must be from 0.5 to 1"),
        ({"oracle": "noisy,q=.9"}, "'q'"),
        (
            {"oracle": "loud"},
            "oracle must be one of exact, noisy, persistent, logistic, typical, chooser, person, own, got 'loud'",
        ),
        ({"oracle": "exact,majority=3,sequential=2"}, "not both"),
        ({"colour": 1}, "'colour'"),
    ],
)
def test_bad_plans_are_refused_with_a_reason(change, message):
    with pytest.raises(ValueError, match=message):
        Plan.from_mapping({"problems": ["QING"], "algorithms": ["stp"], **change})


def test_a_file_that_is_no_plan(tmp_path):
    (tmp_path / "plan.toml").write_text("problems = [")
    with pytest.raises(ValueError, match="cannot be read as TOML"):
        Plan.load(tmp_path / "plan.toml")
