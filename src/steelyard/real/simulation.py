"""Simulations with noise that nobody here wrote: SimOpt's models and COCO's noisy functions, compared by single runs.

The better of two is the one whose single run came out better, each run with random numbers of its own; the hidden
quality is the mean of many runs. The references of SimOpt's models are what a long search with values of f and common
random numbers found (`steelyard bench --plan plans/real_references.py`).
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from steelyard.problems import get
from steelyard.problems.adapters.bbob import coco_problem
from steelyard.real.task import Task
from steelyard.typing import Answers, Array

RUNS = 200
"""Runs that measure the quality of a point, if a run takes milliseconds."""
FEW_RUNS = 40
"""The same, if a run takes longer."""
REFERENCE = "what a search with values of f found (plans/real_references.py)"
NETWORK_BEST, INVENTORY_BEST, QUEUE_BEST, AMBULANCE_BEST = 18.0229, 528.307, 1.54286, 8.34197
HOTEL_BEST = -53472.5
"""With every room open for every product, which a search of 800 points with values did not reach."""
ROOMS = 100

RunNumber = Callable[[Array, int], float]
"""Run number k at x."""


class SingleRuns:
    """The judge: one run of each of the two, with fresh random numbers."""

    def __init__(self, run: RunNumber, rng: np.random.Generator) -> None:
        self.run, self._rng = run, rng

    def compare(self, a: Array, b: Array) -> Answers:
        first, second = (np.array([self.run(x, self._fresh()) for x in rows]) for rows in (a, b))
        answers: Answers = np.sign(second - first).astype(np.int8)
        return answers

    def _fresh(self) -> int:
        return int(self._rng.integers(2**29))


def load_network() -> Task:
    """SimOpt's stochastic activity network: mean durations of 13 activities, shorter ones cost more; the longest path.

    Durations from 1/4 to 16, on a logarithmic scale, from SimOpt's start of 8 for each.
    """
    what = "length of the longest path plus what short activities cost"
    return _simopt("san:SANLongestPath", lambda t: 2.0 ** (6.0 * t - 2.0), np.full(13, 5.0 / 6.0), NETWORK_BEST, what)


def load_inventory() -> Task:
    """SimOpt's inventory: reorder below s up to S, demand at random; 2 variables, from SimOpt's start of 600 each."""
    start = np.array([0.3, 0.0])  # s, and how much more S is
    return _simopt("sscont:SSContMinCost", lambda t: np.cumsum(2000.0 * t), start, INVENTORY_BEST, "cost per period")


def load_queue() -> Task:
    """SimOpt's queue with one server: how fast to serve, from 1.6 to 10 (arrivals: 1.5), from SimOpt's start of 5."""
    low, high = 1.6, 10.0
    start = np.array([(5.0 - low) / (high - low)])
    what = "mean time in the queue plus cost"
    return _simopt("mm1queue:MM1MinMeanSojournTime", lambda t: low + (high - low) * t, start, QUEUE_BEST, what)


def load_ambulance() -> Task:
    """SimOpt's ambulances: where to put two bases, three others being fixed; from SimOpt's start, both at (6, 6)."""
    what = "mean time until an ambulance is there, of one day"
    return _simopt("ambulance:AmbulanceMinAvgResponse", lambda t: 20.0 * t, np.full(4, 0.3), AMBULANCE_BEST, what)


def load_hotel() -> Task:
    """SimOpt's hotel: how many of 100 rooms to keep open for each of 56 products; from SimOpt's start, none for any."""

    def limits(t: Array) -> Any:
        return np.rint(ROOMS * t).astype(int)

    what = "minus the revenue of a week"
    task = _simopt("hotel:HotelRevenue", limits, np.zeros(56), HOTEL_BEST, what, FEW_RUNS)
    return task._replace(best_source="every room open for every product")


def _simopt(
    model: str, settings: Callable[[Array], Any], start: Array, best: float, what: str, runs: int = RUNS
) -> Task:
    """The task of a SimOpt problem, `module:Class`, whose `settings` are made from points of the unit box."""
    module, _, name = model.partition(":")
    problem = getattr(import_module(f"simopt.models.{module}"), name)()

    def run(x: Array, number: int) -> float:
        return one_run(problem, tuple(settings(np.clip(x, 0.0, 1.0)).tolist()), number)

    return simulation_task(run, start, best, what, runs)


def simulation_task(run: RunNumber, start: Array, best: float, what: str, runs: int = RUNS) -> Task:
    """The task of a simulation in the unit box, whose quality is the mean of `runs` runs that no judge sees."""
    n = len(start)
    return Task(
        x0=start,
        quality=lambda x: float(np.mean([run(x, 2**29 + k) for k in range(runs)])),
        judge=lambda rng: SingleRuns(run, rng),
        bounds=(np.zeros(n), np.ones(n)),
        best=best,
        best_source=REFERENCE,
        notes=f"mean of {runs} runs: {what}",
    )


def one_run(problem: Any, x: tuple[float, ...], number: int) -> float:
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


def _coco_run(function: int, d: int) -> RunNumber:
    problem = coco_problem("bbob-noisy", function, d, 1)
    return lambda x, number: float(problem(x))  # COCO draws its noise itself
