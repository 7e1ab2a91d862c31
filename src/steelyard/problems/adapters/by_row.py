"""What adapters share: rows one at a time, gradients by differences, numbers in names, packages that may be missing."""

import importlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from steelyard.errors import BadValue
from steelyard.problems.definitions import Number
from steelyard.problems.problem import Problem
from steelyard.typing import Array, Kernel


def by_row(function: Callable[[Array], Any]) -> Kernel:
    """One call per row; what it returns, stacked. Each call gets a copy that it may keep or change."""

    def kernel(x: Array) -> Array:
        return np.array([function(row.copy()) for row in x], dtype=np.float64)

    return kernel


def central_differences(values: Kernel) -> Kernel:
    """Gradients by central differences: 2 n values each, right to about ten digits at best."""

    def gradients(x: Array) -> Array:
        # The cube root of the rounding error balances it against the error of the formula.
        step = np.cbrt(np.finfo(np.float64).eps) * np.maximum(1.0, np.abs(x))
        g = np.empty_like(x)
        for row, (point, h) in enumerate(zip(x, step, strict=True)):
            ahead, behind = point + np.diag(h), point - np.diag(h)
            g[row] = (values(ahead) - values(behind)) / (ahead - behind).diagonal()
        return g

    return gradients


def import_or_explain(module: str, explanation: str) -> Any:
    """The module, or an error that says what to install."""
    try:
        return importlib.import_module(module)
    except (ImportError, RuntimeError) as error:
        # PyCUTEst raises either when the Fortran side is missing.
        raise ImportError(f"{explanation} ({error})") from error


def with_parameters(name: str, parameters: Mapping[str, Number]) -> str:
    """The spec of a problem: `NAME?KEY=VALUE&KEY=VALUE`."""
    return name + ("?" if parameters else "") + "&".join(f"{key}={value!r}" for key, value in parameters.items())


def as_numbers(name: str, given: Mapping[str, Number | str]) -> dict[str, Number]:
    """The parameters as numbers, whole ones where they are written so."""
    return {key: _as_number(f"{name}: {key}", value) for key, value in given.items()}


def _as_number(what: str, value: Number | str) -> Number:
    if not isinstance(value, str):
        return value
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    raise BadValue(f"{what} must be a number, got {value!r}")


def adapted(name: str, x0: Array, values: Kernel, gradients: Kernel | None, **known: Any) -> Problem:
    """A problem that `problems.get(name)` rebuilds, with a gradient by differences where there is no other."""
    start = np.array(x0, dtype=np.float64).ravel()
    start.setflags(write=False)
    if gradients is None:
        gradients = central_differences(values)
        known["notes"] = "; ".join(filter(None, [known.get("notes", ""), "the gradient is by central differences"]))
    return Problem(name=name, x0=start, values=values, gradients=gradients, **known)
