"""Methods by name, as plans name them: ours, those of other packages, and what each can be run on.

The identity of a method is all its settings and all the source code that decides what it asks.
"""

import dataclasses
from functools import cache
from typing import NamedTuple

from steelyard.bench.oracle_spec import gives_values, is_own
from steelyard.bench.sources import harness_hash, installed_version, method_hash
from steelyard.dialogue import Algorithm, capabilities_of
from steelyard.registry import make_algorithm, parse_spec

OTHERS = {
    "random": "steelyard.bench.others.baselines:RandomChallenger",
    "knockout": "steelyard.bench.others.baselines:Knockout",
    "eubo": "steelyard.bench.others.preferences:EUBO",
    "eubo-numpy": "steelyard.bench.others.eubo:FastEUBO",
    "optuna-preferential": "steelyard.bench.others.preferences:OptunaPreferential",
    "glisp": "steelyard.bench.others.preferences:GLISp",
    "pycma": "steelyard.bench.others.on_ranks:PyCMA",
    "optuna": "steelyard.bench.others.on_ranks:Optuna",
    "scipy": "steelyard.bench.others.on_values:Scipy",
    "newuoa": "steelyard.bench.others.on_values:Newuoa",
}
"""Names that only a benchmark knows, in addition to those of the registry."""


def algorithm_from(spec: str) -> Algorithm:
    """The algorithm that a spec such as `gld,step=.1,smallest=.05`, `scipy,name=Powell` or `mypkg:Method` names."""
    name, options = parse_spec(spec)
    return make_algorithm(OTHERS.get(name, name), options)


@cache
def algorithm_identity(spec: str) -> str:
    """The algorithm with all its settings spelt out, so that a preset and the same settings by hand are one.

    The source of the method and of all that it imports is part of it, the version of another package too.
    """
    algorithm = algorithm_from(spec)
    kind = type(algorithm)
    if dataclasses.is_dataclass(algorithm):
        settings = {field.name: getattr(algorithm, field.name) for field in dataclasses.fields(algorithm)}
        text = ",".join(f"{name}={value!r}" for name, value in sorted(settings.items()))
    else:
        text = repr(sorted(parse_spec(spec)[1].items()))
    packages = "".join(f" {installed_version(package)}" for package in getattr(algorithm, "packages", ()))
    name = parse_spec(spec)[0]
    made_in = name.partition(":")[0] if ":" in name else ""  # by a function, perhaps
    source = f"{method_hash(algorithm, made_in)} {harness_hash()}"
    return f"{kind.__module__}:{kind.__qualname__}({text}) {source}{packages}"


def sees_values(spec: str) -> bool:
    """Whether the method sees values of f rather than comparisons: every table says so."""
    algorithm = algorithm_from(spec)
    return capabilities_of(algorithm).sees_values or getattr(algorithm, "form", None) == "value"


def label(spec: str) -> str:
    """The method as tables name it."""
    return f"{spec} (values)" if sees_values(spec) else spec


class Shape(NamedTuple):
    """What of a problem decides which methods can be run on it."""

    n: int
    boxed: bool
    judged: bool = False
    """It brings its own judge."""


@cache
def unfit(spec: str, problem: Shape, oracle: str) -> str:
    """Why the method cannot be run on such a problem with this oracle; empty if it can."""
    algorithm = algorithm_from(spec)
    can = capabilities_of(algorithm)
    if can.max_n is not None and problem.n > can.max_n:
        return f"{spec} is for at most {can.max_n} variables"
    if can.unit_box and not problem.boxed:
        return f"{spec} needs a box"
    if is_own(oracle) and not problem.judged:
        return "the oracle own is for tasks that bring their own judge"
    if sees_values(spec) and not gives_values(oracle):
        return f"{spec} sees values, which only the oracle 'exact' gives"
    return ""
