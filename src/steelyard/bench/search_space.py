"""What a search may vary: the fields of a method, within what the method itself accepts."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from steelyard.bench.methods import algorithm_from
from steelyard.checks import check_among
from steelyard.errors import BadValue

SPAN = 30.0
"""A number is searched for from 1/30 to 30 times its default, unless a range is given."""
WITHOUT_DEFAULT = {int: (1, 300), float: (1e-3, 10.0)}
"""Where a field that is None, "the method decides", is searched for; None itself is tried as well."""
PROBED_SETTINGS = 40
SKIPPED = ("form",)
"""Whether a method sees values is not for a tuner to decide."""


@dataclass(frozen=True)
class Searched:
    """What may be varied: a number between two others on a log scale, or one of several choices."""

    name: str
    kind: Literal["real", "whole", "choice"]
    choices: tuple[Any, ...]
    """The lowest and the highest of a number, or all choices."""
    optional: bool = False
    """Whether None is allowed too."""

    def suggest(self, trial: Any, none_is_fine: bool = True) -> Any:
        """A value of Optuna's choosing; None only if it is fine with the values chosen before."""
        if self.kind == "choice":
            return trial.suggest_categorical(self.name, list(self.choices))
        if self.optional and none_is_fine and not trial.suggest_categorical(self.switch, [False, True]):
            return None
        low, high = self.choices
        if self.kind == "whole":
            return trial.suggest_int(self.name, int(low), int(high), log=low > 0)
        return trial.suggest_float(self.name, float(low), float(high), log=low > 0)

    @property
    def switch(self) -> str:
        """The name of the choice between None and a number."""
        return f"{self.name} is set"

    def fixed(self, value: Any) -> dict[str, Any] | None:
        """The suggestions that lead to this value; None if it cannot be suggested."""
        if self.kind == "choice":
            return {self.name: value} if value in self.choices else None
        if value is None:
            return {self.switch: False} if self.optional else None
        if not self.choices[0] <= value <= self.choices[1]:
            return None
        return {self.name: value, **({self.switch: True} if self.optional else {})}


def parameters_of(method: str, ranges: Mapping[str, Sequence[Any]] | None = None) -> list[Searched]:
    """The hyper-parameters of a method that can be searched; `ranges` sets or adds some by hand."""
    algorithm = algorithm_from(method)
    if not dataclasses.is_dataclass(algorithm) or isinstance(algorithm, type):
        raise BadValue(f"method must be a dataclass of its hyper-parameters to be searched, got {method!r}")
    ranges = dict(ranges or {})
    hints = get_type_hints(type(algorithm))
    names = [field.name for field in dataclasses.fields(algorithm)]
    check_among("a range must be for one of", ranges, names)
    found = []
    for name in names:
        if name in ranges:
            found.append(_by_hand(name, ranges[name]))
        elif name not in SKIPPED:
            parameter = _parameter(name, hints[name], getattr(algorithm, name), _accepts(algorithm, name))
            found += [parameter] if parameter is not None else []
    # Whether None is fine can depend on the others, so those that may be None come last.
    return sorted(found, key=lambda parameter: parameter.optional)


def settings_for(trial: Any, method: str, space: Sequence[Searched]) -> dict[str, Any] | None:
    """Values for all parameters, or None if there are none.

    A value that contradicts those chosen before gives way to None or to the method's own.
    """
    algorithm: Any = algorithm_from(method)
    chosen: dict[str, Any] = {}
    for parameter in space:
        none_is_fine = parameter.optional and _is_valid(algorithm, {**chosen, parameter.name: None})
        chosen[parameter.name] = parameter.suggest(trial, none_is_fine)
        if not _is_valid(algorithm, chosen):  # it contradicts the others: more parents than population, say
            chosen[parameter.name] = None if none_is_fine else getattr(algorithm, parameter.name)
    return chosen if _is_valid(algorithm, chosen) else None


def _by_hand(name: str, chosen: Sequence[Any]) -> Searched:
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in chosen)
    if numbers and len(chosen) == 2:
        return Searched(name, "whole" if all(isinstance(v, int) for v in chosen) else "real", tuple(chosen))
    return Searched(name, "choice", tuple(chosen))


def _parameter(name: str, hint: Any, value: Any, accepts: Callable[[Any], bool]) -> Searched | None:
    if isinstance(value, bool) or hint is bool:
        return Searched(name, "choice", (False, True))
    if get_origin(hint) is Literal:
        return Searched(name, "choice", tuple(choice for choice in get_args(hint) if accepts(choice)))
    kinds = {kind for kind in get_args(hint) or (hint,) if kind in (int, float, NoneType)}
    if not kinds & {int, float}:
        return None  # text or a structure of its own: searched only if a range is given
    kind: type = float if float in kinds else int
    low, high = (value / SPAN, value * SPAN) if value is not None and value > 0 else WITHOUT_DEFAULT[kind]
    if isinstance(value, int):
        kind = int
    ends = _accepted(kind, low, high, value, accepts)
    if ends is None:
        return None
    return Searched(name, "whole" if kind is int else "real", ends, NoneType in kinds and accepts(None))


def _accepted(
    kind: type, low: float, high: float, value: Any, accepts: Callable[[Any], bool]
) -> tuple[Any, Any] | None:
    """The stretch of accepted numbers around the value, as found by trying."""
    numbers = np.geomspace(low, high, PROBED_SETTINGS).tolist()
    if kind is int:
        numbers = sorted({max(1, round(number)) for number in numbers})
    if value is not None:
        numbers = sorted({*numbers, value})
    fine = [accepts(number) for number in numbers]
    # Where there is no value to start from, the longest way up from the first that is accepted.
    place = numbers.index(value) if value is not None else fine.index(True) if True in fine else -1
    if place < 0 or not fine[place]:
        return None
    refused = [-1, *(i for i, accepted in enumerate(fine) if not accepted), len(numbers)]
    first, last = max(i for i in refused if i < place) + 1, min(i for i in refused if i > place) - 1
    return (numbers[first], numbers[last]) if last > first else None


def _accepts(algorithm: Any, name: str) -> Callable[[Any], bool]:
    return lambda value: _is_valid(algorithm, {name: value})


def _is_valid(algorithm: Any, settings: Mapping[str, Any]) -> bool:
    """Whether the method takes these settings, all others as they are."""
    try:
        dataclasses.replace(algorithm, **settings)
    except (ValueError, TypeError):
        return False
    return True
