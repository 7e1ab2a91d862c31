"""The public names are those of `__all__`, in one place a package; nothing else leaks, and each says what it means."""

import ast
import inspect
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest

import steelyard
from steelyard import registry

PUBLIC = [steelyard, steelyard.algorithms, steelyard.convert, steelyard.problems]


@pytest.mark.parametrize("package", PUBLIC, ids=lambda package: package.__name__)
def test_nothing_leaks(package):
    visible = {name for name, value in vars(package).items() if not name.startswith("_") and not _is_own_part(value)}
    lazy = set(package.__all__) if package is steelyard.algorithms else set(getattr(package, "_LAZY", ()))
    assert visible | lazy == set(package.__all__) - {"__version__"}


def test_packages_are_attributes_that_are_loaded_when_first_used():
    look = """
import sys, steelyard
heavy = [name for name in sys.modules if name.startswith(("steelyard.problems", "steelyard.convert", "scipy"))]
print(heavy, "steelyard.algorithms.cqn" in sys.modules)
print(steelyard.problems.get("ROSENBR").n, steelyard.convert.FromFunction.__name__, steelyard.algorithms.STP().step)
print(all(name in dir(steelyard) for name in ("problems", "convert", "algorithms")), hasattr(steelyard, "misspelt"))
"""
    found = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True).stdout
    assert found.splitlines() == ["[] False", "2 FromFunction 0.1", "True False"]


def test_every_method_of_ours_is_an_attribute_of_algorithms():
    ours = {where.rpartition(":")[2] for where in registry.algorithm_names().values() if "steelyard." in where}
    assert ours < set(steelyard.algorithms.__all__)
    assert all(getattr(steelyard.algorithms, name).__name__ == name for name in steelyard.algorithms.__all__)


@pytest.mark.parametrize("package", PUBLIC, ids=lambda package: package.__name__)
def test_every_public_object_says_what_it_means(package):
    for name in package.__all__:
        thing = getattr(package, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert thing.__doc__, f"{package.__name__}.{name} has no docstring"
            assert not thing.__doc__.startswith(f"{name}("), f"{package.__name__}.{name} has a generated docstring"


def test_every_module_says_what_it_is_for():
    for path in Path(steelyard.__file__).parent.rglob("*.py"):
        tree = ast.parse(path.read_text())
        assert not tree.body or ast.get_docstring(tree), f"{path.name} has no docstring"


def test_every_option_of_every_method_says_what_it_means():
    """Options, in whatever package a method is; each has a docstring of its own below it."""
    silent, methods = [], 0
    for path in Path(steelyard.__file__).parent.rglob("*.py"):
        for kind in ast.walk(ast.parse(path.read_text())):
            parts = kind.body if isinstance(kind, ast.ClassDef) else []
            runs = [part for part in parts if isinstance(part, ast.FunctionDef) and part.name == "run"]
            if not runs or runs[0].returns is None or ast.unparse(runs[0].returns) != "Dialogue":
                continue
            methods += 1
            for part, following in pairwise(parts):
                if isinstance(part, ast.AnnAssign) and "ClassVar" not in ast.unparse(part.annotation):
                    said = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
                    silent += [] if said else [f"{path.name}: {kind.name}.{ast.unparse(part.target)}"]
    assert methods > 20 and silent == []


def _is_own_part(value):
    return isinstance(value, ModuleType) and value.__name__.startswith("steelyard.")
