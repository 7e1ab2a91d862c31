"""The best of thirty prompts, by a judge that compares two answers at a time, errs, and likes what it reads first.

python examples/pool_of_prompts.py
"""

from __future__ import annotations

from itertools import product

import numpy as np

import steelyard

ROLES = ("", "You are a patient teacher. ", "You are an expert in a hurry. ")
TASKS = ("Explain", "Explain in steps", "Explain with an example", "Summarise", "List the facts about")
LENGTHS = ("", " Use at most fifty words.")

PROMPTS = [f"{role}{task} why the sky is blue.{length}" for role, task, length in product(ROLES, TASKS, LENGTHS)]


def simulated_judge(seed: int):
    """Stands for a language model shown two answers: it has tastes, errs when they are close, and likes the first."""
    rng = np.random.default_rng(seed)
    taste = dict(zip(ROLES, (0.0, 1.5, -1.0), strict=True))
    taste |= dict(zip(TASKS, (0.0, 1.0, 2.0, -1.0, -0.5), strict=True))

    def quality(prompt: str) -> float:
        role = max((role for role in ROLES if prompt.startswith(role)), key=len)
        task = max((task for task in TASKS if prompt[len(role) :].startswith(task)), key=len)
        return taste[role] + taste[task] + 0.5 * prompt.endswith("words.")

    def judge(x: str, y: str) -> bool:
        liking = quality(x) - quality(y) + 0.5  # the first side is read with more good will
        return bool(rng.random() < 1.0 / (1.0 + np.exp(-2.0 * liking)))

    judge.position_bias = True  # says of itself that its sides should be shuffled
    judge.quality = quality
    return judge


def main(budget: int = 80) -> tuple[float, float]:
    """The quality of the prompt found, and of the best there is."""
    judge = simulated_judge(seed=3)
    result = steelyard.best_of(PROMPTS, judge, budget=budget, rng=0)
    print(f"{result.message} after {result.ncmp} comparisons; the five strongest:")
    for k in result.ranking[:5]:
        ranks = f"rank {result.low[k] + 1:.0f} to {result.high[k] + 1:.0f}"
        print(f"  {result.probability_best[k]:4.0%}  {ranks}  {PROMPTS[k]}")
    return judge.quality(result.best), max(map(judge.quality, PROMPTS))


if __name__ == "__main__":
    main()
