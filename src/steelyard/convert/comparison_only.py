"""Does a method use more of f than its order? The paper's "comparison only" property, decided by running it."""

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from steelyard.checks import check_whole
from steelyard.dialogue import Algorithm
from steelyard.errors import BadType, BadValue
from steelyard.function_oracle import FunctionOracle
from steelyard.minimize import minimize
from steelyard.registry import make_algorithm
from steelyard.typing import Array

Method = Callable[[Callable[[Any], float], Array, int], object]
"""A method that calls f itself: `method(f, x0, seed)`. What it returns does not matter."""

BEND = 80.0


def _exponential(v: float) -> float:
    """exp(v / 4), from 80 on its tangent: e^20 is steep enough, and no library cuts such values off."""
    return math.exp(v / 4.0) if v < BEND else math.exp(BEND / 4.0) * (1.0 + (v - BEND) / 4.0)


SCALED = "8 f"
INCREASING: Mapping[str, Callable[[float], float]] = {
    SCALED: lambda v: 8.0 * v,
    "exp(f / 4), straight from 80 on": _exponential,
    "f^3": lambda v: v * v * v,
    "arctan(f)": math.atan,
    "sign(f) log(1 + |f|)": lambda v: math.copysign(math.log1p(abs(v)), v),
}
"""Strictly increasing functions on the values of f, by what they are."""

LARGEST = 1e15
"""Larger values are cut off by some libraries (nevergrad: 5e20), so that different ones become equal inside them."""

BUDGET, BUDGET_ON_OURS = 300, 1000
"""Evaluations of f in each run: of a function that is given, and of our own, which costs microseconds."""

COMPARISONS_PER_POINT = 20
"""After this many comparisons per evaluation a run of ours ends: at rounding error it may have no new points."""

EvidenceKind = Literal["none", "another point", "an earlier end"]


@dataclass(frozen=True)
class ComparisonOnly:
    """The verdict, true or false. If false: under which transform of f, and at which trial point, the runs differ."""

    holds: bool
    transform: str = ""
    iterate: int | None = None
    x: Array | None = None
    """The trial point number `iterate` on f itself; None if the run on f ended before it."""
    x_transformed: Array | None = None
    """The same on the transform of f."""
    evidence: EvidenceKind = "none"
    """What a "no" rests on: that another point was tried, or that one run ended first, by a stopping rule."""
    transforms: tuple[str, ...] = ()
    """All transforms under which the runs differ."""

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        if self.holds:
            return "comparison only: the method tries the same points under every increasing transform of f"
        where = f"not comparison only: from trial point {self.iterate} on, runs on f and on {self.transform} differ"
        return f"{where} ({_shown(self.x)} and {_shown(self.x_transformed)}); {self.reason}"

    @property
    def reason(self) -> str:
        """In words, which kind of evidence a "no" is."""
        if self.holds:
            return ""
        if self.evidence == "an earlier end":
            return "up to there they are the same, then one of them ends: a stopping rule looks at values"
        if SCALED in self.transforms:
            return "another point is tried even if f is only scaled: the size of values matters"
        return "another point is tried unless f is only scaled: ratios of differences matter"


def is_comparison_only(
    method: str | Algorithm | Method,
    f: Callable[[Array], float] | None = None,
    x0: ArrayLike = (0.9, -0.7, 1.3, 0.4),
    *,
    seed: int = 0,
    budget: int | None = None,
    transforms: Mapping[str, Callable[[float], float]] = INCREASING,
) -> ComparisonOnly:
    """Does `method` try the same points on f and on strictly increasing transforms of f, with the same seed?

    `method` is an algorithm or its name, or a function `method(f, x0, seed)`; see `scipy_method`. It is stopped after
    `budget` evaluations of f: 300, or 1000 of the function that is used if no f is given. A method that stops by itself
    by looking at values is not comparison only either, and the verdict's `evidence` says so: switch such tolerances off
    to judge the rest of it. A "yes" is as good as the function and the budget; a "no" is certain.

    Rounding can make two different values equal after a transform, and some libraries truncate large values. A
    difference that follows such a loss says nothing about the method, and that transform is skipped.
    """
    budget = check_whole("budget", budget or (BUDGET_ON_OURS if f is None else BUDGET), 2)
    run = partial(_trial_points, _as_method(method, budget), x0=np.array(x0, dtype=np.float64), seed=seed)
    f = f or _skew_valley
    points, values = run(f, budget=budget)
    if _first_difference(points, run(f, budget=budget)[0]) is not None:
        raise BadValue(f"method must make the same run again with the same seed, got a different one from {method!r}")
    verdicts, differing = [], []
    for name, transform in transforms.items():
        others, transformed = run(_composed(transform, f), budget=budget)
        k = _first_difference(points, others)
        if k is None:
            verdicts.append(ComparisonOnly(True))
        elif _same_order(values[:k], transformed[:k]):
            x = points[k] if k < len(points) else None
            other = others[k] if k < len(others) else None
            ended: EvidenceKind = "an earlier end" if x is None or other is None else "another point"
            verdicts.append(ComparisonOnly(False, name, k, x, other, ended))
            differing.append(name)
    if not verdicts:
        raise BadValue("f must have values whose order survives some transform: all of them lost it to rounding")
    # Of several differences the earliest one says most: later ones can be the echo of a rounding error.
    earliest = min(verdicts, key=lambda verdict: math.inf if verdict.iterate is None else verdict.iterate)
    return replace(earliest, transforms=tuple(differing))


def scipy_method(name: str, **options: Any) -> Method:
    """A method of `scipy.optimize.minimize` as `is_comparison_only` takes it: `scipy_method("Powell")`."""
    from scipy.optimize import minimize as scipy_minimize

    def method(f: Callable[[Any], float], x0: Array, seed: int) -> object:
        return scipy_minimize(f, x0, method=name, options=options)  # type: ignore[call-overload]

    return method


class _Enough(BaseException):
    """Ends a method from inside f; a BaseException, so that the method does not catch it."""


def _as_method(method: str | Algorithm | Method, budget: int) -> Method:
    if not isinstance(method, str) and not hasattr(method, "run"):
        if not callable(method):
            raise BadType(f"method must be an algorithm, its name or a function (f, x0, seed), got {method!r}")
        return method
    algorithm = make_algorithm(method)

    def run(f: Callable[[Any], float], x0: Array, seed: int) -> object:
        # Every few questions are about a new point, so that f ends the run first, unless it has converged.
        oracle = FunctionOracle(f, vectorized=False)
        return minimize(oracle, x0, method=algorithm, budget=COMPARISONS_PER_POINT * budget, rng=seed)

    return run


def _trial_points(
    method: Method, f: Callable[[Array], float], *, x0: Array, seed: int, budget: int
) -> tuple[list[Array], list[float]]:
    points: list[Array] = []
    values: list[float] = []

    def observed(x: Any) -> float:
        if len(points) == budget:
            raise _Enough
        point = np.array(x, dtype=np.float64).reshape(-1)
        points.append(point)
        values.append(float(f(point)))
        return values[-1]

    with suppress(_Enough):
        method(observed, x0.copy(), seed)
    return points, values


def _first_difference(points: list[Array], others: list[Array]) -> int | None:
    """The first place at which two runs differ, or at which one of them has ended."""
    for k, (x, y) in enumerate(zip(points, others, strict=False)):
        if not np.array_equal(x, y, equal_nan=True):
            return k
    return min(len(points), len(others)) if len(points) != len(others) else None


def _same_order(values: list[float], transformed: list[float]) -> bool:
    """Whether the transform has kept the order of the values, and them within what libraries take as they are."""
    if not all(abs(v) <= LARGEST for v in (*values, *transformed)):
        return False
    by_value = np.argsort(values, kind="stable")
    steps = np.diff(np.array(values)[by_value]) > 0.0
    return bool(np.array_equal(steps, np.diff(np.array(transformed)[by_value]) > 0.0))


def _composed(transform: Callable[[float], float], f: Callable[[Array], float]) -> Callable[[Array], float]:
    return lambda x: transform(float(f(x)))


def _skew_valley(x: Array) -> float:
    """Curved and skew, with a minimum inside and no two values alike in practice."""
    return float(((x - 0.3) ** 2 * np.arange(1, x.size + 1)).sum() + (x.sum() - 1.0) ** 4 + 0.3 * np.sin(3.0 * x).sum())


def _shown(x: Array | None) -> str:
    return "ended" if x is None else np.array2string(x, precision=4, threshold=8)
