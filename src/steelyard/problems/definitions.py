"""Where definitions of problems register themselves, and how a name with parameters becomes a `Problem`.

A definition is a factory whose keyword parameters are named as in the problem's own source (for CUTEst: the SIF):

    @problem("QING", family="separable", source="...")
    def qing(N: int = 100) -> Definition: ...

`NAME` alone stands for the default parameters, `NAME?N=50&M=6` for others; the problem's name says which it is.
"""

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from steelyard.checks import refuse_unknown
from steelyard.errors import BadValue
from steelyard.problems.problem import Problem
from steelyard.typing import Array, Kernel

Number = int | float


class Definition(NamedTuple):
    """What a factory returns. `values` and `gradients` take C-contiguous rows `(m, n)`, m at least 1."""

    x0: Array
    values: Kernel
    gradients: Kernel
    f_best: float | None = None
    """The best known value with these very parameters, where the factory knows it (0 for a system with a solution)."""
    bounds: tuple[Array, Array] | None = None
    """The box to which the problem is confined, its lower and its upper ends."""


Factory = Callable[..., Definition]


@dataclass(frozen=True)
class Entry:
    """A registered problem: the factory and what is known about it whatever the parameters."""

    name: str
    factory: Factory
    family: str
    f_best: float | None
    source: str
    notes: str

    def parameters(self) -> dict[str, Number]:
        """The parameters with their defaults; an integer default allows integers only."""
        return {name: p.default for name, p in inspect.signature(self.factory).parameters.items()}

    def build(self, given: dict[str, Number | str]) -> Problem:
        """The problem with these parameters, named by those that differ from the defaults."""
        defaults = self.parameters()
        refuse_unknown(self.name, given, defaults)
        changed = {}
        for key, default in defaults.items():
            value = _number(f"{self.name}: {key}", given.get(key, default), default)
            if value != default:
                changed[key] = value
        try:
            definition = self.factory(**changed)
        except ValueError as error:
            raise BadValue(f"{self.name}: {error}") from None
        # The value in the decorator was found at the default parameters and says nothing about others.
        f_best = self.f_best if definition.f_best is None and not changed else definition.f_best
        x0 = np.array(definition.x0, dtype=np.float64)
        x0.setflags(write=False)
        return Problem(
            name=self.name + ("?" if changed else "") + "&".join(f"{k}={v!r}" for k, v in changed.items()),
            x0=x0,
            values=definition.values,
            gradients=definition.gradients,
            f_best=f_best,
            f_best_source=self.source if f_best is not None else "",
            family=self.family,
            notes=self.notes,
            bounds=definition.bounds,
        )


ENTRIES: dict[str, Entry] = {}


def problem(
    name: str, *, family: str, f_best: float | None = None, source: str = "", notes: str = ""
) -> Callable[[Factory], Factory]:
    """Register the factory below under `name`. `f_best` is the best known value at the default parameters;
    `source` says where it (or the one in the definition) comes from."""

    def register(factory: Factory) -> Factory:
        if name in ENTRIES:
            raise BadValue(f"problem {name} is registered already, by {ENTRIES[name].factory.__module__}")
        ENTRIES[name] = Entry(name, factory, family, f_best, source, notes)
        return factory

    return register


def _number(what: str, value: Number | str, default: Number) -> Number:
    """`value` as a finite number of the default's kind."""
    whole = isinstance(default, int)
    try:
        number = int(value) if whole and isinstance(value, str) else float(value)
        if not math.isfinite(number) or (whole and not float(number).is_integer()):
            raise ValueError
        return int(number) if whole else number
    except (ValueError, TypeError):
        raise BadValue(f"{what} must be {'an integer' if whole else 'a finite number'}, got {value!r}") from None
