"""What the outcomes say: medians, paired comparisons and think times, as numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.bench.people.run import CHECKPOINTS, Outcome
from steelyard.typing import Array

FLOOR = 1e-4
"""Added to regrets before ratios are taken: less than anybody can notice."""


@dataclass(frozen=True)
class Median:
    """Median regret at each checkpoint of one method on one kind of instance."""

    answers: str
    d: int
    where: str
    method: str
    instances: int
    regret: tuple[float, ...]


@dataclass(frozen=True)
class Paired:
    """`method` against `other` on the instances that both have met: how often it has less regret, and by what factor
    (geometric mean of the ratios, with its 90 % interval by bootstrap)."""

    answers: str
    d: int
    where: str
    method: str
    other: str
    checkpoint: int
    instances: int
    wins: int
    ratio: float
    low: float
    high: float


def medians(outcomes: Iterable[Outcome]) -> list[Median]:
    """One row for each answerer, dimension, place and method, in order of appearance of the methods."""
    groups: dict[tuple[str, int, str, str], list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault((outcome.answers, outcome.d, outcome.where, outcome.method), []).append(outcome)
    ordered = sorted(groups.items(), key=lambda item: item[0][:3])
    return [
        Median(*key, len(group), tuple(np.median([outcome.regret for outcome in group], axis=0).tolist()))
        for key, group in ordered
    ]


def paired(
    outcomes: Sequence[Outcome], method: str, other: str, checkpoint: int, checkpoints: Sequence[int] = CHECKPOINTS
) -> list[Paired]:
    """One row for each answerer, dimension and place in which both were run."""
    k = list(checkpoints).index(checkpoint)
    regrets = {(o.method, o.answers, o.d, o.where, o.seed): o.regret[k] for o in outcomes}
    groups: dict[tuple[str, int, str], list[tuple[float, float]]] = {}
    for (name, answers, d, where, seed), regret in regrets.items():
        theirs = regrets.get((other, answers, d, where, seed))
        if name == method and theirs is not None:
            groups.setdefault((answers, d, where), []).append((regret, theirs))
    rows = []
    for (answers, d, where), pairs in sorted(groups.items()):
        ours, others = np.array(pairs).T
        ratio, low, high = _ratio(ours, others)
        wins = int((ours < others).sum())
        rows.append(Paired(answers, d, where, method, other, checkpoint, len(pairs), wins, ratio, low, high))
    return rows


def think_times(
    outcomes: Iterable[Outcome], method: str, at: Sequence[int] = (20, 40, 80)
) -> list[tuple[int, float, float]]:
    """(answers, median, 99th percentile) of the seconds of thought over the ten answers up to each number."""
    runs = [outcome.seconds for outcome in outcomes if outcome.method == method]
    rows = []
    for number in at:
        seconds = [s for run in runs if len(run) >= number for s in run[number - 10 : number]]
        if seconds:
            rows.append((number, float(np.median(seconds)), float(np.quantile(seconds, 0.99))))
    return rows


def _ratio(ours: Array, others: Array) -> tuple[float, float, float]:
    logs = np.log((ours + FLOOR) / (others + FLOOR))
    drawn = np.random.default_rng(0).choice(logs, (2000, len(logs))).mean(axis=1)
    low, high = np.quantile(drawn, [0.05, 0.95])
    return float(np.exp(logs.mean())), float(np.exp(low)), float(np.exp(high))
