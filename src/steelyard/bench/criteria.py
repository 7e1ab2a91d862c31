"""When a run has succeeded: the paper's two criteria and the relative gap to the best known value.

    f05      f(x_k) <= .05 f(x_0)
    g05      |grad f(x_k)| <= .05 |grad f(x_0)|
    r1..r6   f(x_k) - f_best <= 10^-j (f(x_0) - f_best)

A criterion is met at the first *step* (recommendation) at which it holds; the queries up to it are exact.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from steelyard.bench.best_value import BestValue
from steelyard.problems import Problem, gradient_reach, value_reach
from steelyard.typing import Array

FRACTION = 0.05
GAPS = tuple(f"r{j}" for j in range(1, 7))
CRITERIA = ("f05", "g05", *GAPS)

DESCRIPTIONS = {
    "f05": "f(x) ≤ 0.05 f(x₀)",
    "g05": "‖∇f(x)‖ ≤ 0.05 ‖∇f(x₀)‖",
    **{f"r{j}": f"f(x) − f* ≤ 10⁻{'⁰¹²³⁴⁵⁶'[j]} (f(x₀) − f*)" for j in range(1, 7)},
}

TARGETS = 10.0 ** -np.arange(-1.0, 7.5, 1.0)
"""COCO's targets that a trace keeps the first crossing of: f - f* of 10, 1, ..., 1e-7."""
LEVELS_PER_DECADE = 5
LOWEST_DECADE = 8
"""Besides the criteria, a trace keeps each first crossing of the gap levels 10^(-1/5), 10^(-2/5), ..., 10^-8."""

Mark = Literal["", "trivial", "unreachable"]


@dataclass(frozen=True)
class Thresholds:
    """The values of f and |g| that a problem's criteria come to."""

    f0: float
    g0: float
    f_best: float
    gradient: float
    values: dict[str, float]
    """For every criterion but g05 the value of f at or below which it is met; NaN where f_best is not known."""
    levels: Array
    """All levels of f whose first crossing a trace keeps, from the highest to the lowest."""


def description(criterion: str, f_best: BestValue = "known") -> str:
    """A criterion in symbols, which say what the gap is taken to."""
    return DESCRIPTIONS[criterion].replace("f*", "f_found") if f_best == "found" else DESCRIPTIONS[criterion]


def thresholds(problem: Problem) -> Thresholds:
    """The criteria of a problem, in its own units."""
    f0 = float(problem.f(problem.x0))
    g0 = float(np.linalg.norm(problem.gradient(problem.x0)))
    f_best = np.nan if problem.f_best is None else problem.f_best
    gap = f0 - f_best
    values = {"f05": FRACTION * f0, **{f"r{j}": f_best + gap * 10.0**-j for j in range(1, 7)}}
    steps = np.arange(1, LEVELS_PER_DECADE * LOWEST_DECADE + 1) / LEVELS_PER_DECADE
    levels = np.array([*values.values(), *(f_best + gap * 10.0**-steps), *(f_best + TARGETS)])
    levels = np.unique(levels[np.isfinite(levels)])[::-1]
    return Thresholds(f0, g0, f_best, FRACTION * g0, values, levels)


def mark(problem: Problem, criterion: str) -> Mark:
    """Whether a criterion says nothing about methods on this problem: met at the start, or not to be met at all."""
    if criterion not in ("f05", "g05"):
        return ""
    reach = (value_reach if criterion == "f05" else gradient_reach)(problem, FRACTION)
    if reach == "at x0":
        return "trivial"
    return "unreachable" if reach == "no" else ""
