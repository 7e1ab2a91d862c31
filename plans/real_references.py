"""What a long search finds that sees values: the references of simulations whose best is not known.

    steelyard bench --plan plans/real_references.py        # --problem TASK, for one of them

CMA-ES (the package cma) on the mean of runs with common random numbers, which are not those of the task's quality;
it begins where the mean is best: at the task's start, at the upper end or at one of 60 random points. The quality of
the best is printed, and stands in src/steelyard/real.
"""

from __future__ import annotations

import numpy as np

from steelyard.bench.markdown import markdown_table
from steelyard.bench.measurement import Case, MeasuredRow, Measurement
from steelyard.extras import need
from steelyard.problems import get

SEARCHES = {
    "queue": (200, 20),
    "inventory": (400, 20),
    "network": (3000, 20),
    "ambulance": (500, 20),
    "power": (1500, 2),
}
"""For each task how many points are tried, and the runs for each of them."""

RANDOM = 60


def search(name: str) -> float:
    task = get(f"real:{name}")
    run = task.judge(np.random.default_rng(0)).run
    points, runs = SEARCHES[name]

    def mean(x: list[float]) -> float:
        return float(np.mean([run(np.asarray(x), k) for k in range(runs)]))

    if task.n == 1:
        grid = np.linspace(0.0, 1.0, points)
        return float(task.f(np.array([grid[np.argmin([mean([x]) for x in grid])]])))
    starts = [task.x0, np.ones(task.n), *np.random.default_rng(1).random((RANDOM, task.n))]
    first, cma = min(starts, key=mean), need("cma", "peers")
    options = {"bounds": [0.0, 1.0], "maxfevals": points, "verbose": -9, "seed": 1}
    found = cma.CMAEvolutionStrategy(np.clip(first, 0.05, 0.95), 0.3, options).optimize(mean).result
    return min(float(task.f(np.asarray(x))) for x in (found.xbest, found.xfavorite, first))


def found(case: Case) -> list[MeasuredRow]:
    task = get(f"real:{case.problem}")
    return [{"start": task.f(task.x0), "found": search(case.problem)}]


def tables(tasks: list[MeasuredRow]) -> dict[str, str]:
    rows = [[task["problem"], f"{task['start']:.6g}", f"{task['found']:.6g}"] for task in tasks]
    return {"table": markdown_table(["task", "start", "found"], rows)}


PLAN = Measurement(measure=found, tables=tables, problems=list(SEARCHES))
