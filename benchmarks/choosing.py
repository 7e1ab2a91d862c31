"""Which method for what: the best three by dimension, kind of answers and budget; the table of docs/choosing.md.

    OPENBLAS_NUM_THREADS=1 python benchmarks/choosing.py

Rotated problems whose minimum is 0; default settings. A run is judged by f at its recommendation, as a fraction of f at
the start; methods are ranked by the median over problems and seeds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from scipy.optimize import OptimizeResult

import steelyard
from steelyard import FunctionOracle, LogisticOracle, NoisyOracle, Oracle, problems
from steelyard.problems import Problem

METHODS = ["cqn", "stp", "gld", "cma-es", "scobo", "signopt", "nelder-mead", "powell", "pattern-search", "one-plus-one"]
NAMES = ("QING", "CHNROSNB", "BROYDN3DLS", "LIARWHD", "POWER")  # of different kinds, all with minimum 0
DIMENSIONS = (5, 50)
BUDGETS = (100, 1_000, 5_000)
SEEDS = 1

Answers = Callable[[Problem, int], Oracle]
ANSWERS: dict[str, Answers] = {
    "always right": lambda problem, seed: FunctionOracle(problem),
    "right 9 times in 10": lambda problem, seed: NoisyOracle(FunctionOracle(problem), 0.9, seed),
    "right 7 times in 10": lambda problem, seed: NoisyOracle(FunctionOracle(problem), 0.7, seed),
    "errs and ties when close": lambda problem, seed: LogisticOracle(problem, **close(problem), rng=seed),
}


def close(problem: Problem) -> dict[str, float]:
    """Differences below a thousandth of the way to the minimum tie; those of a few thousandths are often misjudged."""
    way = problem.f(problem.x0)
    return {"scale": 2e-3 * way, "jnd": 1e-3 * way}


def gaps(problem: Problem, method: str, answers: Answers, seed: int) -> list[float]:
    """The gap after each of the budgets."""
    way = problem.f(problem.x0)
    found = [1.0] * len(BUDGETS)

    def watch(state: OptimizeResult) -> None:
        for i, budget in enumerate(BUDGETS):
            if state.ncmp <= budget:
                found[i] = problem.f(state.x) / way

    oracle = answers(problem, 1000 + seed)
    steelyard.minimize(oracle, problem.x0, method=method, budget=BUDGETS[-1], rng=seed, callback=watch)
    return found


def main() -> None:
    print("| variables | answers | after 100 | after 1,000 | after 5,000 |\n|---|---|---|---|---|")
    for n in DIMENSIONS:
        chosen = [problems.get(name, N=n).rotated(seed) for name in NAMES for seed in range(SEEDS)]
        for label, answers in ANSWERS.items():
            table = {}
            for method in METHODS:
                runs = [gaps(problem, method, answers, seed) for seed, problem in enumerate(chosen)]
                table[method] = np.median(runs, axis=0)
                print(n, label, method, table[method], file=sys.stderr, flush=True)
            columns = []
            for i in range(len(BUDGETS)):
                first = sorted(METHODS, key=lambda method, i=i, table=table: table[method][i])[:3]
                columns.append(", ".join(f"`{method}` {table[method][i]:.1e}" for method in first))
            print(f"| {n} | {label} | {' | '.join(columns)} |", flush=True)


if __name__ == "__main__":
    main()
