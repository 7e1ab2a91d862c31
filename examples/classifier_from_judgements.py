"""Tune a classifier by judgements alone: somebody looks at two reports of errors and says which is better.

A screening test: one patient in ten is ill. A missed patient is worse than a false alarm, but nobody can say by how
much; shown two tables of errors on the same patients, though, a doctor knows at once which she would rather have.
What is tuned: how strongly the model is regularised, how much the ill count in training, and the alarm threshold.

    python examples/classifier_from_judgements.py
"""

from __future__ import annotations

from functools import cache

import numpy as np

import steelyard
from steelyard import Parameter, Space
from steelyard.typing import Array

SPACE = Space(
    (
        Parameter("regularisation", 1e-3, 1e3, scale="log"),
        Parameter("weight of the ill", 1, 20, scale="log", start=1),
        Parameter("threshold", 0.05, 0.95, start=0.5),
    )
)


def patients(m: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Twelve measurements, three of which tell the ill from the healthy, with some overlap."""
    ill = (rng.random(m) < 0.1).astype(np.float64)
    x = rng.standard_normal((m, 12))
    x[:, :3] += 0.9 * ill[:, None]
    return x, ill


DATA = np.random.default_rng(0)
TRAINING, VALIDATION = patients(1500, DATA), patients(1500, DATA)


def fit(x: Array, y: Array, penalty: float, weight: float) -> Array:
    """Weighted ridge-penalised logistic regression by Newton's method."""
    x = np.column_stack([x, np.ones(len(x))])
    w = np.zeros(x.shape[1])
    importance = np.where(y > 0, weight, 1.0)
    for _ in range(15):
        p = 1.0 / (1.0 + np.exp(-x @ w))
        H = (x * (importance * p * (1 - p))[:, None]).T @ x + penalty * np.eye(len(w))
        w = w - np.linalg.solve(H, x.T @ (importance * (p - y)) + penalty * w)
    return w


@cache
def errors(penalty: float, weight: float, threshold: float) -> tuple[int, int]:
    """Missed patients and false alarms on the validation data."""
    w = fit(*TRAINING, penalty, weight)
    x, ill = VALIDATION
    alarm = 1.0 / (1.0 + np.exp(-np.column_stack([x, np.ones(len(x))]) @ w)) > threshold
    return int(np.sum(~alarm & (ill > 0))), int(np.sum(alarm & (ill == 0)))


def report(t: Array) -> tuple[int, int]:
    return errors(*(float(value) for value in SPACE.values(t).values()))


def doctor(s: Array, t: Array) -> int:
    """Prefers fewer regrets; a miss is eight times as bad, which only she knows. Equal regrets: she can't tell."""
    regrets = [8 * misses + alarms for misses, alarms in (report(s), report(t))]
    return (regrets[0] < regrets[1]) - (regrets[0] > regrets[1])


def main(budget: int = 50) -> tuple[int, int]:
    result = steelyard.minimize(doctor, SPACE.start, method="preference-gp", budget=budget, bounds=SPACE.bounds, rng=0)
    regrets = []
    for when, t in (("before", SPACE.start), ("after", result.x)):
        misses, alarms = report(t)
        settings = ", ".join(
            f"{p.name} {p.text(v)}" for p, v in zip(SPACE.parameters, SPACE.values(t).values(), strict=True)
        )
        print(f"{when}: {misses} missed, {alarms} false alarms   ({settings})")
        regrets.append(8 * misses + alarms)
    print(f"{result.ncmp} judgements, {result.nties} of them undecided")
    return regrets[0], regrets[1]


if __name__ == "__main__":
    main()
