"""Named parameters of all kinds, and the unit box [0, 1]^n in which methods walk.

A study describes what people see (names, units, integers, logarithmic scales, categories); a method sees one
coordinate in [0, 1] for each parameter. The way out rounds to an allowed value, the way in is its inverse:
`space.unit(space.values(t))` is the allowed point nearest to t.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from typing import Any, Literal

import numpy as np

from steelyard.checks import check_choice, check_flag, error_for, is_number
from steelyard.errors import BadType, BadValue
from steelyard.typing import Array

Value = Any
"""A number, or one of a parameter's categories, which may be any hashable value."""

MOST_LEVELS = 1000
"""A whole-numbered parameter with more values than this is walked through as if it were continuous."""


@dataclass(frozen=True)
class Parameter:
    """One thing that can be varied: a real number or an integer from `low` to `high`, or one of `categories`.

    >>> Parameter("cutoff", 20, 20_000, scale="log", unit="Hz")
    >>> Parameter("voices", 1, 8, integer=True)
    >>> Parameter("wave", categories=("sine", "saw", "square"), start="saw")

    `label` is what people read (the name, if empty); `start` is the first recommendation (the middle, if None).
    """

    name: str
    low: float = 0.0
    high: float = 1.0
    label: str = ""
    scale: Literal["linear", "log"] = "linear"
    integer: bool = False
    categories: tuple[Hashable, ...] = ()
    unit: str = ""
    start: Value | None = None

    def __post_init__(self) -> None:
        text = isinstance(self.name, str)
        if not text or not self.name.strip():
            raise error_for(text)(f"the name of a parameter must be a non-empty string, got {self.name!r}")
        try:
            object.__setattr__(self, "categories", tuple(self.categories))
        except TypeError:
            raise BadType(f"categories of {self.name} must be several values, got {self.categories!r}") from None
        if not isinstance(self.label, str) or not isinstance(self.unit, str):
            raise BadType(f"label and unit of {self.name} must be strings, got {self.label!r} and {self.unit!r}")
        object.__setattr__(self, "label", self.label or self.name)
        check_flag(f"integer of {self.name}", self.integer)
        check_choice(f"scale of {self.name}", self.scale, ("linear", "log"))
        if self.categories:
            self._check_categories()
        else:
            self._check_range()
        if self.start is None:
            object.__setattr__(self, "start", self.from_unit(0.5))
        self.to_unit(self.start)

    # --- to and from the unit interval

    def from_unit(self, t: float) -> Value:
        """The value at t in [0, 1], rounded to an allowed one; t outside is taken as the nearer end."""
        t = min(max(float(t), 0.0), 1.0)
        if self.categories:
            return self.categories[min(int(t * len(self.categories)), len(self.categories) - 1)]
        value = self.low * (self.high / self.low) ** t if self.scale == "log" else self.low + t * (self.high - self.low)
        value = min(max(value, self.low), self.high)
        return round(value) if self.integer else value

    def to_unit(self, value: Value) -> float:
        """Where a value lies in [0, 1]; of a category, the middle of its share."""
        if self.categories:
            if value not in self.categories:
                raise BadValue(f"{self.name} must be one of {', '.join(map(str, self.categories))}, got {value!r}")
            return (self.categories.index(value) + 0.5) / len(self.categories)
        if not is_number(value) or not self.low <= float(value) <= self.high:
            raise error_for(is_number(value))(
                f"{self.name} must be a number from {self.low:g} to {self.high:g}, got {value!r}"
            )
        if self.integer and float(value) != round(float(value)):
            raise BadValue(f"{self.name} must be an integer, got {value!r}")
        if self.scale == "log":
            return math.log(float(value) / self.low) / math.log(self.high / self.low)
        return (float(value) - self.low) / (self.high - self.low)

    @property
    def levels(self) -> tuple[float, ...]:
        """The allowed points of [0, 1] if they are few; empty for a continuous parameter."""
        if self.categories:
            return tuple(self.to_unit(category) for category in self.categories)
        if self.integer and self.high - self.low < MOST_LEVELS:
            return tuple(self.to_unit(value) for value in range(round(self.low), round(self.high) + 1))
        return ()

    @property
    def categorical(self) -> bool:
        """Are the values without an order?"""
        return bool(self.categories)

    def text(self, value: Value) -> str:
        """A value as people read it: three digits, with the unit."""
        shown = str(value)
        if isinstance(value, float):
            shown = f"{value:.3g}" if abs(value) < 1000.0 else f"{value:.0f}"
        return f"{shown} {self.unit}" if self.unit else shown

    def text_within(self, value: Value, width: float | None) -> str:
        """A value with the digits that an interval of this width justifies: five to fifty steps across it."""
        if not isinstance(value, float) or width is None or width <= 0.0:
            return self.text(value)
        decimals = -math.floor(math.log10(width / 5.0))
        shown = f"{round(value, decimals):.{max(0, decimals)}f}"
        return f"{shown} {self.unit}" if self.unit else shown

    # --- checks

    def _check_categories(self) -> None:
        try:
            different = len(set(self.categories))
        except TypeError:
            raise BadType(f"categories of {self.name} must be hashable values, got {self.categories!r}") from None
        if len(self.categories) < 2 or different < len(self.categories):
            raise BadValue(f"categories of {self.name} must be at least two different values, got {self.categories!r}")
        if self.integer or self.scale == "log":
            raise BadValue(f"{self.name} must be either categorical or a number, not both")

    def _check_range(self) -> None:
        for end in (self.low, self.high):
            if not is_number(end) or not math.isfinite(end):
                raise error_for(is_number(end))(f"low and high of {self.name} must be finite numbers, got {end!r}")
        if not self.low < self.high:
            raise BadValue(f"{self.name} must have low < high, got {self.low:g} and {self.high:g}")
        if self.scale == "log" and self.low <= 0.0:
            raise BadValue(f"low of {self.name} must be positive on a log scale, got {self.low:g}")
        if self.integer and (self.low != round(self.low) or self.high != round(self.high)):
            raise BadValue(f"low and high of {self.name} must be integers, got {self.low:g} and {self.high:g}")


@dataclass(frozen=True)
class Space:
    """Several parameters side by side: the map between dictionaries of values and points of [0, 1]^n."""

    parameters: tuple[Parameter, ...]

    def __post_init__(self) -> None:
        given = tuple(self.parameters) if isinstance(self.parameters, Iterable) else (self.parameters,)
        if not all(isinstance(each, Parameter) for each in given):
            raise BadType(f"a space must be made of Parameter(...), got {self.parameters!r}")
        object.__setattr__(self, "parameters", given)
        if not self.parameters:
            raise BadValue("a space must have at least one parameter")
        twice = [name for name in self.names if self.names.count(name) > 1]
        if twice:
            raise BadValue(f"names of parameters must differ, got {twice[0]!r} twice")

    def __len__(self) -> int:
        return len(self.parameters)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(parameter.name for parameter in self.parameters)

    @property
    def start(self) -> Array:
        """The start of every parameter, as a point of the unit box."""
        return self.unit({parameter.name: parameter.start for parameter in self.parameters})

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """The unit box, as `Session` and `minimize` take it."""
        return [(0.0, 1.0)] * len(self)

    @property
    def levels(self) -> tuple[tuple[float, ...], ...]:
        """Of each coordinate the allowed points, empty if all of [0, 1] is: an option of methods that round."""
        return tuple(parameter.levels for parameter in self.parameters)

    @property
    def categorical(self) -> tuple[bool, ...]:
        """Of each coordinate whether its levels are without an order."""
        return tuple(parameter.categorical for parameter in self.parameters)

    def values(self, t: Array) -> dict[str, Value]:
        """The values by name at a point of the unit box."""
        try:
            point = np.asarray(t, dtype=np.float64).tolist()
        except (TypeError, ValueError):
            raise BadType(f"a point must be {len(self)} numbers, got {t!r}") from None
        if np.shape(point) != (len(self),):
            raise BadValue(f"a point must have {len(self)} coordinates, got shape {np.shape(point)}")
        return {p.name: p.from_unit(u) for p, u in zip(self.parameters, point, strict=True)}

    def unit(self, values: Mapping[str, Any]) -> Array:
        """The point of the unit box that stands for the values by name; all parameters must be given."""
        if not isinstance(values, Mapping):
            raise BadType(f"values must be a dictionary with {', '.join(self.names)}, got {values!r}")
        if values.keys() != set(self.names):
            raise BadValue(f"values must be given for {', '.join(self.names)}, got {', '.join(map(str, values))}")
        return np.array([parameter.to_unit(values[parameter.name]) for parameter in self.parameters])

    def snap(self, t: Array) -> Array:
        """The allowed point nearest to t: where `values(t)` really is."""
        return self.unit(self.values(t))

    def to_json(self) -> list[dict[str, Any]]:
        """Plain lists and dictionaries, of which `Space.from_json` makes the same space again."""
        return [{**asdict(p), "categories": list(p.categories)} for p in self.parameters]

    @classmethod
    def from_json(cls, data: object) -> Space:
        if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
            raise BadValue(f"a space must be a list of parameters, each a dictionary, got {data!r}")
        allowed = [field.name for field in fields(Parameter)]
        for item in data:
            unknown = [key for key in item if key not in allowed]
            if unknown or "name" not in item:
                raise BadValue(f"a parameter must have a name and keys among {', '.join(allowed)}, got {item!r}")
        return cls(tuple(Parameter(**item) for item in data))


def fitted(method: Any, space: Space) -> Any:
    """The method told of the levels and categories of a space, if it has options for them that are not set."""
    known = [item.name for item in fields(method)] if is_dataclass(method) else []
    told = {name: getattr(space, name) for name in ("levels", "categorical") if name in known}
    return replace(method, **{name: value for name, value in told.items() if not getattr(method, name)})
