"""A noisy simulation, compared by single runs: COCO's sphere with moderate noise.

Needs coco-experiment (pip install 'steelyard[real]').
"""

import numpy as np

import steelyard
from steelyard import problems
from steelyard.real.tasks import missing


def main(budget: int = 300) -> tuple[float, float]:
    task = problems.get("real:noisy", function=101)
    bounds = list(zip(*task.bounds, strict=True))
    result = steelyard.minimize(task.judge(np.random.default_rng(0)), task.x0, bounds=bounds, budget=budget, rng=0)
    before, after = (float(task.f(x)) - task.f_best for x in (task.x0, result.x))
    print(f"{budget} comparisons of single noisy values: {before:.2f} above the best before, {after:.2f} after")
    return before, after


if __name__ == "__main__":
    if reason := missing("noisy"):
        raise SystemExit(reason)
    main()
