"""The best of 50 candidates by 100 noisy answers: how often the true best, or one of the two best, is found.

    python benchmarks/pools.py --seeds 100 [--answers 100] [--methods duel,informative,...]

Strengths are normal, the judge is Bradley-Terry; the spread is such that the better one of a random pair wins 85 %
of the time (mean over pairs). Compared: this package's pool, a knock-out with repeats, a round robin with a
Bradley-Terry fit, and RUCB (Zoghi et al. 2014). All see the same strengths for the same seed.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from steelyard.pools.bradley_terry import Counts, Strengths, fit
from steelyard.pools.choice import duel
from steelyard.typing import Array

ITEMS, RIGHT = 50, 0.85


def spread() -> float:
    """The deviation of strengths for which the better of a random pair wins with probability RIGHT."""
    apart = np.abs(np.random.default_rng(0).standard_normal(200_000)) * np.sqrt(2.0)
    return float(brentq(lambda tau: expit(tau * apart).mean() - RIGHT, 0.1, 20.0))


class Judge:
    def __init__(self, strengths, rng, answers):
        self.s, self.rng, self.left = strengths, rng, answers
        self.i, self.j, self.said = [], [], []

    def __call__(self, i, j):
        self.left -= 1
        answer = 1 if self.rng.random() < expit(self.s[i] - self.s[j]) else -1
        self.i.append(i), self.j.append(j), self.said.append(answer)
        return answer

    def counts(self):
        return Counts.of(np.array(self.i, np.intp), np.array(self.j, np.intp), np.array(self.said, np.int8))


def by_model(choose):
    def run(judge, n, rng):
        beliefs: Strengths | None = None
        while True:
            beliefs = fit(judge.counts(), n, before=beliefs)
            if judge.left == 0:
                return int(beliefs.average.argmax())
            judge(*choose(beliefs, rng))

    return run


def informative(beliefs: Strengths, rng: np.random.Generator, draws: int = 192) -> tuple[int, int]:
    """The pair whose answer says most about who is best: the mutual information of the two, from draws."""
    drawn = beliefs.draws(draws, rng)
    best = drawn.argmax(axis=1)
    i, j = np.triu_indices(drawn.shape[1], 1)
    alive = np.unique(best)
    if alive.size > 1:  # a pair without anybody who may be the best says little
        keep = np.isin(i, alive) | np.isin(j, alive)
        i, j = i[keep], j[keep]
    p = expit(drawn[:, i] - drawn[:, j])
    gain = _entropy(p.mean(axis=0))
    for k in alive:
        rows = best == k
        gain = gain - rows.mean() * _entropy(p[rows].mean(axis=0))
    chosen = int(gain.argmax())
    return int(i[chosen]), int(j[chosen])


def _entropy(p: Array) -> Array:
    p = np.clip(p, 1e-12, 1.0 - 1e-12)
    return np.asarray(-p * np.log(p) - (1.0 - p) * np.log1p(-p))


def informative_then_duel(beliefs, rng):
    leader = np.bincount(beliefs.draws(64, rng).argmax(axis=1)).max() / 64
    return informative(beliefs, rng) if leader < 0.5 else duel(beliefs, rng)


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
    "duel": by_model(duel),
    "informative": by_model(informative),
    "informative-then-duel": by_model(informative_then_duel),
    "knock-out": knock_out,
    "round-robin": round_robin,
    "rucb": rucb,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--answers", type=int, default=100)
    parser.add_argument("--methods", default=",".join(METHODS))
    arguments = parser.parse_args()
    tau = spread()
    print(f"{ITEMS} items, {arguments.answers} answers, {arguments.seeds} seeds, strengths of deviation {tau:.3f}")
    print("| method | the best | one of the two best | of the three best | s |")
    print("|---|---|---|---|---|", flush=True)
    for name in arguments.methods.split(","):
        started, ranks = time.perf_counter(), []
        for seed in range(arguments.seeds):
            rng = np.random.default_rng([seed, 1])
            strengths = tau * np.random.default_rng(seed).standard_normal(ITEMS)
            chosen = METHODS[name](Judge(strengths, rng, arguments.answers), ITEMS, rng)
            ranks.append(int((strengths > strengths[chosen]).sum()))
        ranks = np.array(ranks)
        shares = " | ".join(f"{(ranks <= k).mean():.0%}" for k in range(3))
        print(f"| {name} | {shares} | {time.perf_counter() - started:.0f} |", flush=True)


if __name__ == "__main__":
    main()
