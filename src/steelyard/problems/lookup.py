"""`get(spec, **parameters)`: any problem by its name."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from functools import cache

from steelyard.problems.problem import Problem
from steelyard.problems.registry import ENTRIES, Parameter


def get(spec: str, **parameters: Parameter) -> Problem:
    """The problem that `spec` names: `get("QING")`, `get("QING", N=50)` or `get("QING?N=50")`.

    Without parameters the dimension is the one in the comparison-oracle literature (the SIF's where there is none).
    """
    name, _, query = spec.partition("?")
    given: dict[str, Parameter | str] = {}
    for item in filter(None, query.split("&")):
        key, equals, value = item.partition("=")
        if not equals:
            raise ValueError(f"parameters are written NAME?KEY=VALUE&KEY=VALUE, got {spec!r}")
        given[key] = value
    load_definitions()
    if name not in ENTRIES:
        raise ValueError(unknown_name(name))
    return ENTRIES[name].build({**given, **parameters})


def names() -> list[str]:
    """The names of all built-in problems, in alphabetical order."""
    load_definitions()
    return sorted(ENTRIES)


def unknown_name(name: str) -> str:
    """The message for a name that is not there, with the nearest that are."""
    by_capitals = {known.upper(): known for known in ENTRIES}
    near = [by_capitals[match] for match in difflib.get_close_matches(name.upper(), by_capitals, n=3)]
    return f"no problem is called {name!r}" + (f"; did you mean {' or '.join(near)}?" if near else "")


@cache
def load_definitions() -> None:
    """Import every module of built-in definitions: late, so that importing the package stays instant."""
    package = importlib.import_module("steelyard.problems.cutest")
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
