"""Photo sliders set by BRISQUE, a judge trained on people's ratings: what it likes, and what the photo was like.

Needs brisque and opencv-python-headless (pip install 'steelyard[real]'). The judge is deterministic, so its errors are
persistent: asking again does not help.
"""

import numpy as np

import steelyard
from steelyard import problems
from steelyard.real.photo import HIGH, LOW, badness, mended, picture, spoilt


def main(budget: int = 40) -> tuple[float, float]:
    task = problems.get("real:photo")
    bounds = list(zip(*task.bounds, strict=True))
    result = steelyard.minimize(task.judge(np.random.default_rng(0)), task.x0, bounds=bounds, budget=budget, rng=0)
    bad = spoilt(picture("astronaut"), 0)
    scores = [badness(mended(bad, LOW + (HIGH - LOW) * x)) for x in (task.x0, result.x)]
    print(f"{budget} comparisons: BRISQUE {scores[0]:.1f} before, {scores[1]:.1f} after (less is better)")
    print(f"difference from the photo as it was: {task.f(task.x0):.3f} before, {task.f(result.x):.3f} after")
    return scores[0], scores[1]


if __name__ == "__main__":
    main()
