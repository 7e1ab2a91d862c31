"""`get(spec, **parameters)`: any problem by its name.

    NAME                    a built-in problem, or one that a plug-in has registered
    NAME?N=50&M=6           with parameters, named as in the problem's source
    pycutest:NAME?N=50      through an adapter: pycutest, s2mpj, bbob and its kin
    real:chess?scramble=3   a real task, with a judge of its own
    package.module:name     any Python function of one point
    ...~rotated=3           derived from any of these: rotated, shifted, scaled, in order

A problem's own `name` is such a spec, so `get(problem.name)` rebuilds it anywhere.
"""

import importlib
from dataclasses import replace
from functools import cache

from steelyard.checks import did_you_mean
from steelyard.errors import BadType, BadValue
from steelyard.problems.definitions import ENTRIES, Entry, Number
from steelyard.problems.derived import derive
from steelyard.problems.problem import Problem

COCO = ("bbob", "bbob-noisy", "bbob-largescale", "bbob-mixint", "bbob-constrained")
ADAPTERS = (*COCO, "pycutest", "s2mpj", "real")
PLUGINS = "steelyard.problems"
"""The entry point group whose modules register problems when they are imported."""


def get(spec: str, **parameters: Number) -> Problem:
    """The problem that `spec` names: `get("QING")`, `get("QING", N=50)` or `get("QING?N=50~rotated=3")`.

    Without parameters a problem of the paper's benchmark has the dimension it has there, and any other problem
    one that its source lists, near 100 if possible.
    """
    if not isinstance(spec, str):
        raise BadType(f"a problem must be given by its name, got {spec!r}")
    base, *steps = spec.split("~")
    name, query = _split_query(base)
    problem = _base(name, {**query, **parameters})
    for step in steps:
        if problem.judge is not None:
            raise BadValue(f"{problem.name} has a judge of its own and cannot be derived from, got {spec!r}")
        problem = derive(problem, step)
    return replace(problem, rebuild=get)


def names() -> list[str]:
    """The names of all problems that are built in or registered by plug-ins, in alphabetical order."""
    return sorted(entries())


def entries() -> dict[str, Entry]:
    """Everything registered, by name."""
    load_definitions()
    load_plugins()
    return ENTRIES


def _base(name: str, given: dict[str, Number | str]) -> Problem:
    scheme, colon, rest = name.partition(":")
    if colon:
        adapter = adapter_of(scheme)
        module = importlib.import_module(f"steelyard.problems.adapters.{adapter}")
        suite = {"suite": scheme} if scheme in COCO else {}
        problem: Problem = module.load(rest if scheme in ADAPTERS else name, given, **suite)
        return problem
    load_definitions()
    if name not in ENTRIES:
        load_plugins()
    if name not in ENTRIES:
        raise BadValue(f"no problem is called {name!r}{did_you_mean(name, ENTRIES)}")
    return ENTRIES[name].build(given)


def adapter_of(scheme: str) -> str:
    """The module among the adapters for what stands before the colon."""
    return "bbob" if scheme in COCO else scheme if scheme in ADAPTERS else "function"


def _split_query(base: str) -> tuple[str, dict[str, str]]:
    name, _, query = base.partition("?")
    given = {}
    for item in filter(None, query.split("&")):
        key, equals, value = item.partition("=")
        if not equals:
            raise BadValue(f"parameters are written NAME?KEY=VALUE&KEY=VALUE, got {base!r}")
        given[key] = value
    return name, given


@cache
def load_definitions() -> None:
    """Import every module of built-in definitions: late, so that importing the package stays instant."""
    import pkgutil

    for module_name in ("toy", "shapes", "people", "standard"):
        importlib.import_module(f"steelyard.problems.{module_name}")
    package = importlib.import_module("steelyard.problems.cutest")
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)


@cache
def load_plugins() -> None:
    """Import what other packages register. One that fails is reported and does not take the others with it."""
    import warnings
    from importlib.metadata import entry_points

    for point in entry_points(group=PLUGINS):
        try:
            point.load()
        except Exception as error:
            warnings.warn(f"problems of plug-in {point.name!r} are missing: {error}", stacklevel=2)
