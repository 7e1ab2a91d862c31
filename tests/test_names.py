"""One meaning per word: no name at the top of a module is defined again in another one to mean something else."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

import steelyard

ROOT = Path(steelyard.__file__).parent
DATA = {
    "__all__": "what a package exports, as Python demands",
    "__getattr__": "what finds names of a package that are imported on first use, as Python demands",
    "__dir__": "what lists them, likewise",
    "T": "any type, as in all of Python's own examples",
    "P": "any parameters of a function, likewise",
    "HERE": "the folder of the module itself",
    "LOW": "the lower ends of the box of a real task",
    "HIGH": "the upper ends of the box of a real task",
    "MISSING": "what an adapter says where the package of its problems is not installed",
    "_NOTES": "the notes of several problems of one module",
    "_SOURCE": "where the best known values of several problems of one module come from",
    "_TYPES": "the types of columns, as each database calls them",
}
"""Names at the top of modules that several may define, and what each means in all of them."""
FUNCTIONS = {
    "main": "the entry of a module that is run as a program",
    "load": "reads a problem, or results, from where they are kept",
    "propagate": "improves the sites of a posterior until each agrees with its answer",
}
COMMANDS = "commands"  # a subcommand is named as the function that does its work


def at_the_top(body):
    """Statements of a module, with those under its conditions."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.If | ast.Try):
            yield from at_the_top(statement.body + statement.orelse)


def defined(kinds):
    """Each public name with the modules that define it at the top by a statement of these kinds."""
    found = defaultdict(set)
    for path in sorted(ROOT.rglob("*.py")):
        for statement in at_the_top(ast.parse(path.read_text(encoding="utf-8")).body):
            if isinstance(statement, kinds):
                targets = getattr(statement, "targets", [getattr(statement, "target", None)])
                names = [getattr(statement, "name", None)]
                names += [node.id for each in targets if each for node in ast.walk(each) if isinstance(node, ast.Name)]
                for name in filter(None, names):
                    found[name].add(str(path.relative_to(ROOT)))
    return found


def several(kinds):
    return {name: sorted(places) for name, places in defined(kinds).items() if len(places) > 1}


CONSTANTS = ast.Assign | ast.AnnAssign | ast.ClassDef
CALLS = ast.FunctionDef | ast.AsyncFunctionDef


def test_constants_and_classes_are_defined_once():
    assert {name: places for name, places in several(CONSTANTS).items() if name not in DATA} == {}


def test_public_functions_are_defined_once():
    again = {
        name: places
        for name, places in several(CALLS).items()
        if not name.startswith("_") and len([place for place in places if not place.startswith(COMMANDS)]) > 1
    }
    assert {name: places for name, places in again.items() if name not in FUNCTIONS} == {}


@pytest.mark.parametrize(("kinds", "allowed"), [(CONSTANTS, DATA), (CALLS, FUNCTIONS)])
def test_what_is_allowed_is_needed(kinds, allowed):
    assert set(allowed) <= set(several(kinds))
