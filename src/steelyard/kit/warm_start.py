"""Warm starts: answers of other runs, studies and versions as the `earlier` of `preference-gp`, in the user's values.

    earlier = earlier_answers("old.jsonl", space)                      a log of `minimize(..., log=...)`
    earlier = earlier_answers("answers.csv", space, missing={"wave": "sine"})     the table that a study exports
    earlier = earlier_answers([({"cutoff": 200.0}, {"cutoff": 900.0}, +1)], space)
    PreferenceGP(earlier=earlier)

The method works in the unit box; an answer given there by hand is easily about other points than was meant. Here points
are values by name, checked against the space they are wanted for.
"""

import csv
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from steelyard.checks import check_choice
from steelyard.errors import BadType, BadValue
from steelyard.kit.answer_log import read_log
from steelyard.space import Parameter, Space

Point = Mapping[str, Any] | Sequence[float]
Earlier = tuple[tuple[float, ...], tuple[float, ...], int, str]
SIGNS = {"left": 1, "tie": 0, "right": -1}


def earlier_answers(
    source: str | os.PathLike[str] | Iterable[Sequence[Any]],
    space: Space | Sequence[tuple[float, float]],
    missing: Mapping[str, Any] | None = None,
    outside: Literal["refuse", "drop"] = "refuse",
) -> tuple[Earlier, ...]:
    """Answers in the unit box of `space`, each (a, b, sign, rater), for the option `earlier`.

    `source` is a log (.jsonl), a study's table of answers (.csv), or answers (a, b, sign) or (a, b, sign, rater) whose
    points are values by name or in order. `space` may be bounds, (low, high) for each variable. Parameters that the
    source does not know have the value that `missing` gives. An answer about a point outside of the space is refused,
    or dropped if `outside` says so.
    """
    check_choice("outside", outside, ("refuse", "drop"))
    wanted = space if isinstance(space, Space) else _of_bounds(space)
    found = []
    for number, (a, b, sign, rater) in enumerate(_answers(source, wanted), 1):
        if isinstance(sign, bool) or sign not in (-1, 0, 1):
            raise BadValue(f"the sign of answer {number} must be -1, 0 or 1, got {sign!r}")
        try:
            ends = [tuple(_unit(wanted, point, missing or {}).tolist()) for point in (a, b)]
        except _Outside as error:
            if outside == "drop":
                continue
            raise BadValue(f"answer {number} must be about points of the space: {error}") from None
        found.append((ends[0], ends[1], int(sign), str(rater)))
    return tuple(found)


class _Outside(Exception):
    """A point that the space does not hold."""


def _of_bounds(bounds: Sequence[tuple[float, float]]) -> Space:
    try:
        return Space(tuple(Parameter(f"x{i}", float(low), float(high)) for i, (low, high) in enumerate(bounds)))
    except TypeError:
        raise BadType(f"space must be a Space or bounds (low, high) for each variable, got {bounds!r}") from None


def _unit(space: Space, point: Point, missing: Mapping[str, Any]) -> np.ndarray[Any, np.dtype[np.float64]]:
    if not isinstance(point, Mapping):
        if len(point) != len(space):
            raise BadValue(f"a point must have {len(space)} values, got {len(point)}: {point!r}")
        point = dict(zip(space.names, point, strict=True))
    unknown = [name for name in space.names if name not in point and name not in missing]
    if unknown:
        raise BadValue(f"missing must give a value for {', '.join(unknown)}, which the source does not know")
    values = {name: point.get(name, missing.get(name)) for name in space.names}
    for parameter in space.parameters:
        value = values[parameter.name]
        if isinstance(value, str) and not parameter.categories:
            value = values[parameter.name] = _number(parameter.name, value)
        elif isinstance(value, str) and value not in parameter.categories:  # a table holds all values as text
            value = next((known for known in parameter.categories if str(known) == value), value)
            values[parameter.name] = value
        try:
            parameter.to_unit(value)
        except (BadValue, TypeError) as error:
            raise _Outside(str(error)) from None
    return space.unit(values)


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadValue(f"{name} must be a number, got {text!r}") from None


def _answers(source: str | os.PathLike[str] | Iterable[Sequence[Any]], wanted: Space) -> Iterator[tuple[Any, ...]]:
    """(a, b, sign, rater) of every answer, points as values by name or in order."""
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        yield from _from_table(path) if path.suffix == ".csv" else _from_log(path, wanted)
        return
    for answer in source:
        if len(answer) not in (3, 4):
            raise BadValue(f"source must hold answers (a, b, sign) or (a, b, sign, rater), got {answer!r}")
        yield (*answer, "")[:4]


def _from_log(path: Path, wanted: Space) -> Iterator[tuple[Any, ...]]:
    for run in read_log(path).runs:
        for answer in run.answers:
            if answer.neither:
                continue
            a, b = (
                run.space.values(np.array(point)) if run.space is not None else list(point)
                for point in (answer.a, answer.b)
            )
            yield a, b, answer.answer, answer.rater


def _from_table(path: Path) -> Iterator[tuple[Any, ...]]:
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            counts = row.get("kind") in ("answer", "repeat", "check") and row.get("choice") in SIGNS
            if not counts or "True" in (row.get("undone"), row.get("excluded")):
                continue
            ends = [
                {key.partition(".")[2]: value for key, value in row.items() if key.startswith(f"{side}.")}
                for side in ("left", "right")
            ]
            yield ends[0], ends[1], SIGNS[row["choice"]], row.get("name") or row.get("rater") or ""
