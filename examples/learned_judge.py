"""Settings found by a judge that was trained on people's ratings: what it likes, and how good that is.

    python examples/learned_judge.py [photo | denoiser | hearing]

BRISQUE looks at photos, DNSMOS listens to speech, HASQI to a hearing aid (which takes two minutes);
docs/gallery/learned-judges.md says what each needs. Such a judge is deterministic, so its errors are persistent: asking
again does not help.
"""

import argparse

import numpy as np

import steelyard
from steelyard import problems
from steelyard.real.tasks import missing


def main(name: str = "photo", budget: int = 40) -> tuple[int, float, float]:
    task = problems.get(f"real:{name}")
    judge = task.judge(np.random.default_rng(0))
    bounds = list(zip(*task.bounds, strict=True))
    result = steelyard.minimize(judge, task.x0, bounds=bounds, budget=budget, rng=0)
    answer = int(judge.compare(result.x[None], task.x0[None])[0])
    before, after = (float(task.f(x)) for x in (task.x0, result.x))
    print(f"{budget} comparisons: the judge {('prefers the start', 'says they tie', 'prefers the result')[answer + 1]}")
    print(f"{task.notes}: {before:.3f} before, {after:.3f} after (less is better)")
    return answer, before, after


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("task", nargs="?", default="photo", choices=("photo", "denoiser", "hearing"))
    chosen = parser.parse_args().task
    if reason := missing(chosen):
        raise SystemExit(reason)
    main(chosen)
