"""The best of 50 candidates by 100 noisy answers: how often the true best, or one of the two best, is found.

    steelyard bench --plan plans/pools.py --into docs/results/kit.md

Strengths are normal, the judge is Bradley-Terry; the spread is such that the better one of a random pair wins 85 %
of the time (mean over pairs). Compared: this package's pool, a knock-out with repeats, a round robin with a
Bradley-Terry fit, and RUCB (Zoghi et al. 2014). All see the same strengths for the same seed.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from steelyard import best_of
from steelyard.bench.markdown import markdown_table
from steelyard.bench.measurement import Case, MeasuredRow, Measurement, grouped
from steelyard.pools.bradley_terry import AnswerCounts, fit
from steelyard.pools.choice import duel

ITEMS, RIGHT = 50, 0.85


@cache
def spread() -> float:
    """The deviation of strengths for which the better of a random pair wins with probability RIGHT."""
    apart = np.abs(np.random.default_rng(0).standard_normal(200_000)) * np.sqrt(2.0)
    return float(brentq(lambda tau: expit(tau * apart).mean() - RIGHT, 0.1, 20.0))


class Judge:
    """Answers by a function of two items, as many as there are left; and what it has said."""

    def __init__(self, answer, answers):
        self.answer, self.left, self.said = answer, answers, []

    def __call__(self, i, j):
        self.left -= 1
        answer = self.answer(i, j)
        self.said.append((i, j, answer))
        return answer

    def counts(self):
        i, j, said = np.array(self.said, np.intp).reshape(-1, 3).T
        return AnswerCounts.of(i, j, said.astype(np.int8))


def by_best_of(judge, n, rng):
    """This package's `best_of`, through its front door; with `sure` = 1 it uses all answers."""
    return int(best_of(range(n), judge, budget=judge.left, rng=int(rng.integers(2**31)), sure=1.0).best)


def thompson(judge, n, rng):
    """Double Thompson sampling alone, over the same model."""
    beliefs = None
    while True:
        beliefs = fit(judge.counts(), n, before=beliefs)
        if judge.left == 0:
            return int(beliefs.average.argmax())
        judge(*duel(beliefs, rng))


def knock_out(judge, n, rng):
    """Rounds of pairs; every duel of a round is repeated as often as the answers allow, evenly over the rounds."""
    alive = list(rng.permutation(n))
    while len(alive) > 1:
        rounds = int(np.ceil(np.log2(len(alive))))
        duels = len(alive) // 2
        repeats = max(1, int(judge.left / rounds / duels))
        repeats -= 1 - repeats % 2
        winners = []
        for k in range(duels):
            a, b = alive[2 * k], alive[2 * k + 1]
            votes = sum(judge(a, b) for _ in range(repeats) if judge.left > 0)
            winners.append(a if votes > 0 or (votes == 0 and rng.random() < 0.5) else b)
        alive = winners + alive[2 * duels :]
    return int(alive[0])


def round_robin(judge, n, rng):
    """Pairs of a random round robin, every candidate about equally often; then the strongest of the fit."""
    while judge.left:
        order = rng.permutation(n)
        for k in range(0, n - 1, 2):
            if judge.left:
                judge(order[k], order[k + 1])
    return int(fit(judge.counts(), n).average.argmax())


def rucb(judge, n, rng, alpha=0.51):
    wins = np.zeros((n, n))
    best = None
    for t in range(1, judge.left + 1):
        total = wins + wins.T
        with np.errstate(invalid="ignore", divide="ignore"):
            upper = np.where(total > 0, wins / total + np.sqrt(alpha * np.log(t) / np.maximum(total, 1e-9)), 2.0)
        np.fill_diagonal(upper, 0.5)
        champions = np.flatnonzero((upper >= 0.5).all(axis=1))
        if champions.size == 0:
            c = int(rng.integers(n))
        elif champions.size == 1:
            c = best = int(champions[0])
        elif best in champions and rng.random() < 0.5:
            c = best
        else:
            c = int(rng.choice([x for x in champions if x != best]))
        rivals = upper[:, c].copy()
        rivals[c] = -np.inf
        d = int(rng.choice(np.flatnonzero(rivals == rivals.max())))
        answer = judge(c, d)
        wins[(c, d) if answer > 0 else (d, c)] += 1
    share = np.where(wins + wins.T > 0, wins / np.maximum(wins + wins.T, 1.0), 0.5)
    return int((share >= 0.5).sum(axis=1).argmax())


METHODS = {
    "best_of": by_best_of,
    "double Thompson sampling alone": thompson,
    "knock-out with repeats": knock_out,
    "round robin + Bradley-Terry": round_robin,
    "RUCB": rucb,
}


def found(case: Case) -> list[MeasuredRow]:
    """How many are better than the one that is chosen."""
    rng = np.random.default_rng([case.seed, 1])
    s = spread() * np.random.default_rng(case.seed).standard_normal(ITEMS)
    judge = Judge(lambda i, j: 1 if rng.random() < expit(s[i] - s[j]) else -1, case.budget)
    chosen = METHODS[case.algorithm](judge, ITEMS, rng)
    return [{"better": (s > s[chosen]).sum(), "used": case.budget - judge.left}]


def tables(runs: list[MeasuredRow]) -> dict[str, str]:
    rows = []
    for (name,), some in grouped(runs, "algorithm").items():
        better, used = (np.array([run[what] for run in some]) for what in ("better", "used"))
        rows.append([name, *(f"{np.mean(better <= k):.0%}" for k in range(3)), f"{used.mean():.0f}"])
    head = ["method", "the best", "one of the two best", "of the three best", "answers used"]
    return {"table": markdown_table(head, rows)}


PLAN = Measurement(
    measure=found, tables=tables, problems=[f"{ITEMS} candidates"], algorithms=list(METHODS), seeds=100, budget=100
)
