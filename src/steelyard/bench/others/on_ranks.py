"""Optimisers of other packages that are told an order instead of values, so that comparisons are all they see."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from steelyard.checks import check_choice, check_positive
from steelyard.convert import FromAskTell, FromFunction
from steelyard.dialogue import Capabilities, Dialogue
from steelyard.extras import need
from steelyard.typing import Array

SAMPLERS = {"tpe": "TPESampler", "cmaes": "CmaEsSampler", "gp": "GPSampler", "random": "RandomSampler"}


@dataclass(frozen=True)
class PyCMA:
    """CMA-ES of the package cma: each generation is sorted by comparisons and told its ranks; recommends the mean."""

    step: float = 0.3
    """The first step length."""
    packages: ClassVar[tuple[str, ...]] = ("cma",)

    def __post_init__(self) -> None:
        check_positive("step", self.step)

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        return (yield from FromAskTell(self._make, recommend=lambda optimiser: optimiser.mean).run(x, rng))

    def _make(self, x: Array, rng: np.random.Generator) -> object:
        settings = {"verbose": -9, "seed": int(rng.integers(1, 2**31))}
        return need("cma", "peers").CMAEvolutionStrategy(x, self.step, settings)


@dataclass(frozen=True)
class Optuna:
    """A sampler of Optuna: each trial is put into the order of all before it, at most ceil(log2 k) comparisons.

    Without a box it searches x0 +- `reach` times the root mean square of x0 (at least 1).
    """

    sampler: str = "tpe"
    """tpe, cmaes, gp or random."""
    boxed: bool = False
    """Search the problem's box, which it must have."""
    reach: float = 4.0
    """Half the width of the search space without a box."""
    packages: ClassVar[tuple[str, ...]] = ("optuna",)

    def __post_init__(self) -> None:
        check_choice("sampler", self.sampler, tuple(SAMPLERS))
        check_positive("reach", self.reach)

    @property
    def capabilities(self) -> Capabilities:
        """In a box it works in the unit box."""
        return Capabilities(unit_box=self.boxed)

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        return (yield from FromFunction(self._search).run(x, rng))

    def _search(self, f: Callable[[Any], float], x: Array, rng: np.random.Generator) -> None:
        optuna = need("optuna", "tune")
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        sampler = getattr(optuna.samplers, SAMPLERS[self.sampler])(seed=int(rng.integers(2**31)))
        width = self.reach * max(1.0, float(np.sqrt(np.mean(x * x))))
        low, high = (np.zeros(x.size), np.ones(x.size)) if self.boxed else (x - width, x + width)
        study = optuna.create_study(sampler=sampler)
        study.enqueue_trial({f"x{i}": float(value) for i, value in enumerate(x)})
        while True:
            trial = study.ask()
            point = [trial.suggest_float(f"x{i}", low[i], high[i]) for i in range(x.size)]
            study.tell(trial, f(point))
