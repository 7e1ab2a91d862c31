"""Checks of arguments at the edge: each error names the argument, what is allowed, and what was given."""

from __future__ import annotations

import math
from numbers import Integral, Real


def check_positive(name: str, value: float) -> float:
    if not _is_number(value) or not (0.0 < value < math.inf):
        raise ValueError(f"{name} must be a positive number, got {value!r}")
    return float(value)


def check_at_least(name: str, value: float, least: float) -> float:
    if not _is_number(value) or not (least <= value < math.inf):
        raise ValueError(f"{name} must be a number of at least {least:g}, got {value!r}")
    return float(value)


def check_between(name: str, value: float, low: float, high: float) -> float:
    if not _is_number(value) or not (low <= value <= high):
        raise ValueError(f"{name} must be from {low:g} to {high:g}, got {value!r}")
    return float(value)


def check_whole(name: str, value: float, least: int) -> int:
    whole = isinstance(value, Integral) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not whole:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value!r}")
    return int(value)


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, got {value!r}")
    return value


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
