"""The import graph, drawn from the source: lazy imports count as well, those for type checkers alone do not."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import steelyard

ROOT = Path(steelyard.__file__).parent
APPLICATIONS = ("bench", "paper", "studies", "web", "commands", "cli")


def modules():
    """Each module of the package by its name, with its file."""
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


NAMES = dict(modules())


def imported(path):
    """The modules of the package that a file imports, anywhere in it."""
    found = set()
    waiting = [ast.parse(path.read_text())]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting += node.orelse if isinstance(node.test, ast.Name | ast.Attribute) else node.body
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name in NAMES}
        elif isinstance(node, ast.ImportFrom) and node.module in NAMES:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in NAMES else node.module)
        waiting += ast.iter_child_nodes(node)
    return found


GRAPH = {name: imported(path) - {name} for name, path in NAMES.items()}


def test_nothing_imports_itself_by_way_of_others():
    try:
        list(TopologicalSorter(GRAPH).static_order())
    except CycleError as error:
        pytest.fail(" -> ".join(reversed(error.args[1])))


@pytest.mark.parametrize("name", [name for name in NAMES if name.split(".")[1:2] not in [[a] for a in APPLICATIONS]])
def test_the_library_knows_nothing_of_its_applications(name):
    """The core, parts, methods, problems and conversions run without benchmark, studies, web and command."""
    wrong = {other for other in GRAPH[name] if other.split(".")[1:2] and other.split(".")[1] in APPLICATIONS}
    assert not wrong or name == "steelyard.__main__", f"{name} imports {wrong}"


def test_studies_know_no_web_framework():
    assert not [
        name for name in NAMES if name.startswith("steelyard.studies") for other in GRAPH[name] if ".web" in other
    ]
