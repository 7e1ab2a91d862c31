"""The public names are those of `__all__`, in one place a package; nothing else leaks, and each says what it means."""

import ast
import inspect
from pathlib import Path
from types import ModuleType

import pytest

import steelyard
import steelyard.convert
import steelyard.problems

PUBLIC = [steelyard, steelyard.convert, steelyard.problems]


@pytest.mark.parametrize("package", PUBLIC, ids=lambda package: package.__name__)
def test_nothing_leaks(package):
    visible = {name for name, value in vars(package).items() if not name.startswith("_") and not _is_own_part(value)}
    assert visible | set(getattr(package, "_LAZY", ())) == set(package.__all__) - {"__version__"}


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


def _is_own_part(value):
    return isinstance(value, ModuleType) and value.__name__.startswith("steelyard.")
