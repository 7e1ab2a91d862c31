"""Optimisers of other packages that see values of f: what could be had if f could be evaluated.

They are driven by evaluations, of which each counts as a query, and judged at the best point so far. Settings are the
packages' own, except that nobody stops early by a loose tolerance and that Nelder-Mead adapts to the dimension.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from steelyard.checks import check_choice, check_positive
from steelyard.convert.order_values import foreign_calls
from steelyard.dialogue import Capabilities, Dialogue, Evaluate, Step
from steelyard.extras import need
from steelyard.typing import Array

Objective = Callable[[Any], float]

ENDLESS: dict[str, object] = {"maxiter": 10**9, "maxfev": 10**9}
METHOD_OPTIONS: dict[str, dict[str, object]] = {
    "Powell": {"ftol": 1e-14, **ENDLESS},
    "Nelder-Mead": {"adaptive": True, "xatol": 1e-10, "fatol": 1e-14, **ENDLESS},
    "BFGS": {"gtol": 1e-12, "maxiter": 10**9},
    "L-BFGS-B": {"ftol": 0.0, "gtol": 1e-12, "maxiter": 10**9, "maxfun": 10**9},
    "COBYQA": ENDLESS,
}


@dataclass(frozen=True)
class Scipy:
    """A method of scipy.optimize.minimize, by its `name`; gradients are by differences, n evaluations each."""

    name: str = "Powell"
    """Powell, Nelder-Mead, BFGS, L-BFGS-B or COBYQA."""
    capabilities: ClassVar[Capabilities] = Capabilities(sees_values=True)
    packages: ClassVar[tuple[str, ...]] = ("scipy",)

    def __post_init__(self) -> None:
        check_choice("name", self.name, tuple(METHOD_OPTIONS))

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        return (yield from _watched(self._minimize, x, rng))

    def _minimize(self, f: Objective, x: Array, rng: np.random.Generator) -> object:
        from scipy.optimize import minimize

        return minimize(f, x, method=self.name, options=METHOD_OPTIONS[self.name])  # type: ignore[call-overload]


@dataclass(frozen=True)
class Newuoa:
    """Powell's NEWUOA in the package nlopt."""

    step: float = 1.0
    """The first step length: the first trust-region radius, as in Powell's own code."""
    capabilities: ClassVar[Capabilities] = Capabilities(sees_values=True)
    packages: ClassVar[tuple[str, ...]] = ("nlopt",)

    def __post_init__(self) -> None:
        check_positive("step", self.step)

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        return (yield from _watched(self._minimize, x, rng))

    def _minimize(self, f: Objective, x: Array, rng: np.random.Generator) -> object:
        nlopt = need("nlopt", "peers")
        optimiser = nlopt.opt(nlopt.LN_NEWUOA, x.size)
        optimiser.set_min_objective(lambda point, _: f(point.copy()))
        optimiser.set_initial_step(self.step)
        optimiser.set_xtol_rel(1e-12)
        try:
            return optimiser.optimize(x)
        except nlopt.RoundoffLimited:
            return None


def _watched(method: Callable[..., object], x: Array, rng: np.random.Generator) -> Dialogue:
    """A method that calls f, as a dialogue of evaluations; each better point is a step."""
    calls, best = foreign_calls(method, x.copy(), rng), np.inf
    try:
        point = next(calls)
        while True:
            values = yield Evaluate(point[None])
            if float(values[0]) < best:
                best = float(values[0])
                yield Step(point)
            point = calls.send(float(values[0]))
    except StopIteration:
        return "the method returned"
    finally:
        calls.close()
