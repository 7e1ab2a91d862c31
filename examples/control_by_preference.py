"""A double pendulum learns to swing up, by "which of these two attempts was better?".

Needs gymnasium (pip install 'steelyard[real]'). The judge compares two attempts from one random start by their return;
a method sees only which was better. The result is measured from twenty other starts.
"""

import numpy as np

import steelyard
from steelyard import problems
from steelyard.real.tasks import missing


def main(budget: int = 80) -> tuple[float, float]:
    task = problems.get("real:acrobot")
    judge = task.judge(np.random.default_rng(1))
    bounds = list(zip(*task.bounds, strict=True))
    result = steelyard.minimize(judge, task.x0, bounds=bounds, budget=budget, rng=0)
    before, after = float(task.f(task.x0)), float(task.f(result.x))
    print(f"{budget} comparisons, {result.nties} ties: {before:.0f} steps to swing up before, {after:.0f} after")
    print(f"gymnasium calls it solved at {task.f_best:.0f}")
    return before, after


if __name__ == "__main__":
    if reason := missing("acrobot"):
        raise SystemExit(reason)
    main()
