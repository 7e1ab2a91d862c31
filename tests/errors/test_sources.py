"""What the sources say about errors: those raised on purpose are a `SteelyardError`."""

import ast
from pathlib import Path

import steelyard

ROOT = Path(steelyard.__file__).parent
ALONE = ROOT / "studies" / "render_worker.py"  # runs as a file of its own, without the package


def test_errors_with_words_are_ours():
    """A bare `raise ValueError` is caught nearby; one that speaks to somebody is BadValue or BadType."""
    foreign = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted(ROOT.rglob("*.py"))
        if path != ALONE
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Raise)
        and isinstance(node.exc, ast.Call)
        and isinstance(node.exc.func, ast.Name)
        and node.exc.func.id in ("ValueError", "TypeError")
    ]
    assert not foreign


def test_public_signatures_say_what_they_take():
    """No argument of what `steelyard` exports is a mere `object`."""
    import inspect

    vague = []
    for name in steelyard.__all__:
        thing = getattr(steelyard, name)
        methods = inspect.getmembers(thing, inspect.isfunction) if inspect.isclass(thing) else [(name, thing)]
        for method, function in methods:
            if inspect.isfunction(function) and (method == "__init__" or not method.startswith("_")):
                taken = inspect.signature(function).parameters.values()
                vague += [f"{name}.{method}({each.name})" for each in taken if each.annotation == "object"]
    assert not vague
