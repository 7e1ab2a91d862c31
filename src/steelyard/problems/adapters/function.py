"""Any Python object by its import path: `package.module:function?n=8`.

A `Problem` is taken as it is. A function takes one point, or rows if it has a true attribute `vectorized`; it starts at
its attribute `x0` if it has one, and else at the origin of the `n` in the name, moved by `start` in every variable.
"""

import importlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from steelyard.checks import refuse_unknown
from steelyard.errors import BadValue
from steelyard.problems.adapters.by_row import adapted, as_numbers, by_row, with_parameters
from steelyard.problems.definitions import Number
from steelyard.problems.problem import Problem
from steelyard.typing import Array


def load(name: str, given: Mapping[str, Number | str]) -> Problem:
    """The problem behind `package.module:function`."""
    target = _resolve(name)
    parameters = as_numbers(name, given)
    spec = with_parameters(name, parameters)
    if isinstance(target, Problem):
        if parameters:
            raise BadValue(f"{name} is already a problem and takes no parameters, got {', '.join(parameters)}")
        return replace(target, name=spec)
    if not callable(target):
        raise BadValue(f"{name} must be a function or a Problem, got {type(target).__name__}")
    x0 = _start(name, target, parameters)
    values = target if getattr(target, "vectorized", False) else by_row(target)
    gradient = getattr(target, "gradient", None)
    return adapted(spec, x0, values, by_row(gradient) if callable(gradient) else None, family="function")


def _resolve(name: str) -> Any:
    module_name, _, path = name.partition(":")
    try:
        target: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise BadValue(f"{name}: there is no module {error.name!r} to import") from None
    for part in path.split("."):
        if not hasattr(target, part):
            raise BadValue(f"{name}: {module_name} has no {path!r}")
        target = getattr(target, part)
    return target


def _start(name: str, target: Any, parameters: dict[str, Number]) -> Array:
    refuse_unknown(name, parameters, ("n", "start"))
    if "n" in parameters:
        n = parameters["n"]
        if not isinstance(n, int) or n < 1:
            raise BadValue(f"{name}: n must be an integer of at least 1, got {n}")
        return np.full(n, float(parameters.get("start", 0.0)))
    if not hasattr(target, "x0"):
        raise BadValue(f"{name} needs a dimension: write {name}?n=8, or give the function an attribute x0")
    return np.asarray(target.x0, dtype=np.float64)
