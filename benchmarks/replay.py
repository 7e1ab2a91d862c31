"""The best item and the order of all by few recorded answers of people, replayed.

    python benchmarks/replay.py --seeds 50 --into docs/gallery/recorded-choices.md

Each answer is drawn from those that people gave to that question. The truth is the order by all answers. Compared: this
package's `best_of` and `rank`, a knock-out with repeats, and a round robin with a Bradley-Terry fit.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from pools import knock_out, round_robin
from scipy.stats import kendalltau

from steelyard import best_of, rank
from steelyard.bench.markdown import fill, markdown_table
from steelyard.pools.bradley_terry import AnswerCounts, fit
from steelyard.real.recorded import READERS, recorded
from steelyard.real.replay import ReplayedChoices, shares

ANSWERS = 60


class Limited:
    """A judge with a number of answers left, as the methods of `pools` want it."""

    def __init__(self, replay, answers):
        self.replay, self.left = replay, answers
        self.i, self.j, self.said = [], [], []

    def __call__(self, i, j):
        self.left -= 1
        answer = self.replay(i, j)
        self.i.append(i), self.j.append(j), self.said.append(answer)
        return answer

    def counts(self):
        return AnswerCounts.of(np.array(self.i, np.intp), np.array(self.j, np.intp), np.array(self.said, np.int8))


def row(name, seeds):
    answers = recorded(name)
    n, truth = len(answers.items), shares(answers)
    best = int(np.argmax(truth))
    hits, tau = np.zeros(3), np.zeros(2)
    for seed in range(seeds):
        judges = [Limited(ReplayedChoices(answers, np.random.default_rng([seed, k])), ANSWERS) for k in range(4)]
        hits[0] += best_of(range(n), judges[0], budget=ANSWERS, rng=seed, sure=1.0).best == best
        hits[1] += knock_out(judges[1], n, np.random.default_rng(seed)) == best
        hits[2] += round_robin(judges[2], n, np.random.default_rng(seed)) == best
        ranked = rank(range(n), judges[3], budget=ANSWERS, rng=seed).strengths
        robin = fit(judges[2].counts(), n).average
        tau += [kendalltau(each, truth).statistic for each in (ranked, robin)]
    found = [f"{hit / seeds:.0%}" for hit in hits]
    return [name, str(n), *found, *(f"{each / seeds:.2f}" for each in tau)]


def table(seeds):
    head = ["answers of", "items", "best_of", "knock-out", "round robin", "rank", "order by round robin"]
    return markdown_table(head, [row(name, seeds) for name in READERS])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--into", type=Path)
    given = parser.parse_args()
    text = table(given.seeds)
    print(text)
    if given.into:
        fill(given.into, {"replay": lambda: text})
