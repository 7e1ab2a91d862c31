"""How many comparisons a run will need, from measured runs, and how many every method needs."""

import json
import math
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from steelyard.checks import check_whole
from steelyard.errors import BadValue
from steelyard.typing import Array


@dataclass(frozen=True)
class Estimate:
    """Comparisons that the default method needs, and where that is known from."""

    variables: int
    accuracy: float
    error_rate: float
    half: float
    """After this many comparisons half of the measured runs were as accurate, and stayed so; inf if the measured runs
    ended before."""
    most: float
    """The same for five of six."""
    limit: float
    """No method needs fewer, on average over all places at which the minimum may be: see `bits_needed`."""
    budget: int
    """How long the measured runs were."""
    source: str
    """By what, on what and at which commit the runs were made."""

    def __str__(self) -> str:
        """Three sentences for people."""
        what = (
            f"{self.variables} variables to {self.accuracy:g} of the first gap, {self.error_rate:.0%} of answers wrong"
        )
        if math.isinf(self.half):
            needs = f"more than {self.budget:,} comparisons: our runs ended there"
        elif math.isinf(self.most):
            needs = (
                f"about {_round(self.half):,} comparisons in half of the runs; some needed more than {self.budget:,}"
            )
        else:
            needs = f"about {_round(self.half):,} comparisons in half of the runs, {_round(self.most):,} in five of six"
        limit = f"On average no method needs fewer than {math.ceil(self.limit):,}"
        return f"{what}: {needs}.\n{limit}.\nMeasured by {self.source}."


def estimate(variables: int, accuracy: float, error_rate: float = 0.0) -> Estimate:
    """How many comparisons `minimize` needs with its default method, interpolated between measured runs.

    Parameters
    ----------
    variables : how many are varied.
    accuracy : what may be left of the first gap, (f(x) - f*) / (f(x0) - f*).
    error_rate : the share of answers that are wrong, however clear the case. A judge who errs only when the two are
        nearly alike needs fewer comparisons for a rough result and more for a fine one.

    Outside of what was measured it refuses: nobody knows. Smooth bowls were measured; many valleys, kinks and bad
    scaling take more.
    """
    table = _table()
    n = check_whole("variables", variables, 1)
    _within("variables", n, table["variables"])
    _within("accuracy", accuracy, table["accuracies"])
    _within("error_rate", error_rate, table["error_rates"])
    # In these coordinates theory says that comparisons grow about evenly: n log(1/accuracy) / (1 - 2 error_rate)^2.
    axes = [np.log(table["variables"]), -np.log(_ease(table["error_rates"])), -np.log(table["accuracies"])]
    at = [math.log(n), -math.log(float(_ease(error_rate))), -math.log(accuracy)]
    half, most = (_interpolated(axes, table[name], at) for name in ("half", "most"))
    source = (
        f"{table['made by']} at {table['commit']}: {table['method']} on {table['problems']}, {table['runs']} runs for "
        f"each of {len(table['variables'])} numbers of variables and {len(table['error_rates'])} rates of errors; "
        "interpolated in between"
    )
    limit = bits_needed(n, accuracy) / bits_per_answer(error_rate)
    return Estimate(n, float(accuracy), float(error_rate), half, most, limit, int(table["budget"]), source)


def bits_needed(variables: int, accuracy: float) -> float:
    """The information in a result: points as good are a share accuracy^(n/2) of those as good as the start.

    That is the ratio of the volumes of two level sets of a quadratic. If the minimum may be anywhere, answers must
    single out one such part, which takes log2 of their number: the n log(1/eps) of Jamieson, Nowak and Recht (2012).
    """
    return 0.5 * variables * math.log2(1.0 / accuracy)


def bits_per_answer(error_rate: float) -> float:
    """What an answer without ties can tell at most: the capacity of a channel that flips a share of the bits."""
    if error_rate <= 0.0:
        return 1.0
    return 1.0 + error_rate * math.log2(error_rate) + (1.0 - error_rate) * math.log2(1.0 - error_rate)


@cache
def _table() -> dict[str, Any]:
    text = files("steelyard").joinpath("comparisons.json").read_text(encoding="utf-8")
    table: dict[str, Any] = json.loads(text)
    return table


def _ease(error_rate: Any) -> Array:
    return np.square(1.0 - 2.0 * np.asarray(error_rate, dtype=np.float64))


def _within(name: str, value: object, measured: list[float]) -> None:
    low, high = min(measured), max(measured)
    if not isinstance(value, int | float | np.number) or isinstance(value, bool) or not low <= float(value) <= high:
        raise BadValue(f"{name} must be from {low:g} to {high:g}, which is what was measured, got {value!r}")


def _interpolated(axes: list[Array], counts: Any, at: list[float]) -> float:
    """Linear in the logarithm of the counts, along each axis in turn; a corner that was not reached is infinite."""
    values = np.log(np.array([[[np.inf if c is None else c for c in row] for row in rows] for rows in counts]))
    for axis, x in zip(axes, at, strict=True):
        i = int(np.clip(np.searchsorted(axis, x, side="right") - 1, 0, len(axis) - 2))
        part = (x - float(axis[i])) / float(axis[i + 1] - axis[i])
        if part <= 1e-12 or part >= 1.0 - 1e-12:  # on a corner the other one, which may be infinite, has no say
            values = values[i + round(part)]
        else:
            values = (1.0 - part) * values[i] + part * values[i + 1]
    return float(np.exp(values))


def _round(count: float) -> int:
    """Two digits, which is more than is known."""
    step = int(10 ** max(0, math.floor(math.log10(count)) - 1))
    return round(count / step) * step
