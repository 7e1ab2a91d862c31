"""A study led by values, and one led by somebody who can only compare."""

from __future__ import annotations

import optuna
import optunahub

ComparisonSampler = optunahub.load_module("samplers/comparison").ComparisonSampler
SPACE = {name: optuna.distributions.FloatDistribution(-5, 5) for name in ("x", "y")}


def badness(params: dict[str, float]) -> float:
    return (params["x"] - 1) ** 2 + 2 * (params["y"] + 2) ** 2


def by_values() -> dict[str, float]:
    study = optuna.create_study(sampler=ComparisonSampler(SPACE, seed=0))
    study.optimize(lambda trial: badness({name: trial.suggest_float(name, -5, 5) for name in SPACE}), n_trials=60)
    return study.best_params


def by_preferences() -> dict[str, float]:
    sampler = ComparisonSampler(SPACE, answers="preferences", seed=0)
    study = optuna.create_study(sampler=sampler)
    for _ in range(20):
        first, second = sampler.pair(study)  # show both to a person; here the smaller badness is preferred
        sampler.tell(study, first, second, 1 if badness(first.params) < badness(second.params) else -1)
    return sampler.recommend(study)


if __name__ == "__main__":
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    print("by values:     ", by_values())
    print("by preferences:", by_preferences())
