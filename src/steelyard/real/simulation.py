"""Simulations with noise that nobody here wrote: SimOpt's models and COCO's noisy functions, compared by single runs.

The better of two is the one whose single run came out better, each run with random numbers of its own; the hidden
quality is the mean of many runs.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from steelyard.problems import get
from steelyard.problems.adapters.bbob import coco_problem
from steelyard.real.task import Task
from steelyard.typing import Answers, Array

RUNS = 200
"""Runs that measure the quality of a point."""
UNKNOWN = "0, below which no cost can be; how far down one can get is not known"


class SingleRuns:
    """The judge: one run of each of the two, with fresh random numbers; `run(x, k)` is run number k at x."""

    def __init__(self, run: Callable[[Array, int], float], rng: np.random.Generator) -> None:
        self._run, self._rng = run, rng

    def compare(self, a: Array, b: Array) -> Answers:
        first, second = (np.array([self._run(x, self._fresh()) for x in rows]) for rows in (a, b))
        answers: Answers = np.sign(second - first).astype(np.int8)
        return answers

    def _fresh(self) -> int:
        return int(self._rng.integers(2**29))


def load_network() -> Task:
    """SimOpt's stochastic activity network: mean durations of 13 activities, shorter ones dearer; the longest path.

    Durations from 1/4 to 16, on a logarithmic scale, from SimOpt's start of 8 for each.
    """
    module: Any = import_module("simopt.models.san")
    problem = module.SANLongestPath()
    n = int(problem.dim)

    def run(x: Array, number: int) -> float:
        return simulated(problem, tuple(2.0 ** (6.0 * np.clip(x, 0.0, 1.0) - 2.0)), number)

    return Task(
        x0=np.full(n, 5.0 / 6.0),  # 8 for each
        quality=_mean_of(run),
        judge=lambda rng: SingleRuns(run, rng),
        bounds=(np.zeros(n), np.ones(n)),
        best=0.0,
        best_source=UNKNOWN,
        notes=f"mean of {RUNS} runs: length of the longest path plus what short activities cost",
    )


def load_inventory() -> Task:
    """SimOpt's inventory: reorder below s up to S, demand at random; 2 variables, from SimOpt's start of 600 each."""
    module: Any = import_module("simopt.models.sscont")
    problem = module.SSContMinCost()

    def run(x: Array, number: int) -> float:
        s, more = 2000.0 * np.clip(x, 0.0, 1.0)
        return simulated(problem, (float(s), float(s + more)), number)

    return Task(
        x0=np.array([0.3, 0.0]),  # SimOpt's 600 and 600
        quality=_mean_of(run),
        judge=lambda rng: SingleRuns(run, rng),
        bounds=(np.zeros(2), np.ones(2)),
        best=0.0,
        best_source=UNKNOWN,
        notes=f"mean cost per period of {RUNS} runs",
    )


def simulated(problem: Any, x: tuple[float, ...], number: int) -> float:
    """One run of a SimOpt problem, to be minimised, with random numbers that follow from its number."""
    from mrg32k3a.mrg32k3a import MRG32k3a
    from simopt.base import Solution

    solution = Solution(x, problem)
    streams = [
        MRG32k3a(s_ss_sss_index=[1, number % 2**15, 16 * (number >> 15) + k]) for k in range(problem.model.n_rngs)
    ]
    solution.attach_rngs(streams, copy=False)
    problem.simulate(solution, 1)
    return float(-problem.minmax[0] * solution.objectives_mean[0])


def load_noisy(function: int = 107, d: int = 10) -> Task:
    """A function of COCO's bbob-noisy in d variables, from 0: 107 is the sphere with strong Gaussian noise."""
    name = f"bbob-noisy:f{function}/d{d}/i1"
    measured, best = coco_problem("bbob-noisy", function, d, 1), get(name).f_best
    assert best is not None

    def quality(x: Array) -> float:
        return float(np.median([measured(x) for _ in range(RUNS)]))

    return Task(
        x0=np.zeros(d),
        quality=quality,
        judge=lambda rng: SingleRuns(_coco_run(function, d), rng),
        bounds=(np.full(d, -5.0), np.full(d, 5.0)),
        best=best,
        best_source="COCO",
        notes=f"median of {RUNS} noisy values",
    )


def _coco_run(function: int, d: int) -> Callable[[Array, int], float]:
    problem = coco_problem("bbob-noisy", function, d, 1)
    return lambda x, number: float(problem(x))  # COCO draws its noise itself


def _mean_of(run: Callable[[Array, int], float]) -> Callable[[Array], float]:
    return lambda x: float(np.mean([run(x, 2**29 + k) for k in range(RUNS)]))
