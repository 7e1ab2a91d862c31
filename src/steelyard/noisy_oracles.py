"""Oracles that err, and those that ask again: the paper's noise, a person's, a majority, a sequential test."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.checks import check_at_least, check_between, check_whole
from steelyard.errors import OutOfAnswers
from steelyard.function_oracle import FunctionOracle
from steelyard.oracles import Oracle, Wrapper, as_oracle, readable
from steelyard.seeds import Seed, generator_of
from steelyard.typing import Answers, Array


class NoisyOracle(Wrapper):
    """The paper's noisy oracle: each answer is right with probability p, otherwise reversed; ties stay ties."""

    answers_are_plain = True

    def __init__(self, oracle: Oracle | Callable[..., Any], p: float, rng: Seed = None) -> None:
        super().__init__(oracle)
        self.p = check_between("p", p, 0.5, 1.0)
        self._rng = generator_of(rng)

    def compare(self, a: Array, b: Array) -> Answers:
        answers = self.oracle.compare(a, b)
        return np.where(self._rng.random(len(answers)) < self.p, answers, -answers).astype(np.int8)


class LogisticOracle(Wrapper):
    """A person-like oracle (Bradley-Terry): P[a is better] = 1 / (1 + exp((f(a) - f(b)) / scale)).

    Clear cases are answered correctly, close ones at random; values within `jnd` of each other tie ("can't tell").
    """

    answers_are_plain = True
    oracle: FunctionOracle

    def __init__(
        self, f: Callable[..., Any] | FunctionOracle, scale: float, rng: Seed = None, *, jnd: float = 0.0
    ) -> None:
        self.oracle = f if isinstance(f, FunctionOracle) else FunctionOracle(f)
        self.scale = check_at_least("scale", scale, 0.0)
        self.jnd = check_at_least("jnd", jnd, 0.0)
        self._rng = generator_of(rng)

    def compare(self, a: Array, b: Array) -> Answers:
        fa, fb = self.oracle.values(a), self.oracle.values(b)
        certain = self.oracle.signs(fa, fb)
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            difference = fb - fa
            p_a = (
                0.5 + 0.5 * np.tanh(0.5 * difference / self.scale)
                if self.scale > 0.0
                else np.heaviside(difference, 0.5)
            )
        drawn = np.where(self._rng.random(len(fa)) < p_a, 1, -1)
        unclear = np.isfinite(difference)
        answers = np.where(unclear, drawn, certain)
        tie = (unclear & (np.abs(difference) <= self.jnd)) if self.jnd > 0.0 else np.zeros(len(fa), dtype=bool)
        return np.where(tie, 0, answers).astype(np.int8)

    def choose(self, points: Array, ranking: bool) -> Answers:
        """The ranks of several points: noise is added to each value once, so that a choice never contradicts itself.

        With noise of Gumbel's distribution two points are ordered as `compare` orders them, and the best of several is
        chosen in proportion to exp(-f / scale) (Luce 1959). A point whose value is within `jnd` of the one before it
        in that order ties with it."""
        values = self.oracle.values(points)
        values = np.where(np.isnan(values), np.inf, values)  # NaN is worse than anything
        order = np.argsort(values - self.scale * self._rng.gumbel(size=len(values)), kind="stable")
        with np.errstate(invalid="ignore"):
            apart = (
                np.abs(np.diff(values[order])) > self.jnd if self.jnd > 0.0 else np.ones(len(values) - 1, dtype=bool)
            )
        ranks = np.empty(len(values), dtype=np.int8)
        ranks[order] = np.concatenate([[0], np.cumsum(apart)])
        return ranks if ranking else np.minimum(ranks, 1).astype(np.int8)


class MajorityOracle:
    """Asks every question k times and answers with the majority: k asks per question, whatever the answers."""

    __repr__ = readable
    answers_are_plain = True

    def __init__(self, oracle: Oracle | Callable[..., Any], k: int) -> None:
        self.oracle = as_oracle(oracle)
        self.k = check_whole("k", k, 1)
        self.asked = 0

    def compare(self, a: Array, b: Array) -> Answers:
        votes = np.zeros(len(a), dtype=np.int64)
        for _ in range(self.k):
            votes = votes + self.oracle.compare(a, b)
        self.asked += self.k * len(a)
        return np.sign(votes).astype(np.int8)


class SequentialOracle:
    """Repeats a question until one answer leads by `lead`: Wald's sequential test, about lead/(2p - 1) asks.

    Three answers may lead: the first, the second, or a tie, so that "can't tell" said `lead` times settles a question.
    One still undecided after `most` asks (5 `lead` by default) is answered by whichever leads then, or as a tie.
    `total` limits all answers collected: where it does not allow at least one more per row, `compare` raises
    `OutOfAnswers`, which ends the run with its result so far.
    """

    __repr__ = readable
    answers_are_plain = True

    def __init__(
        self, oracle: Oracle | Callable[..., Any], lead: int, *, most: int | None = None, total: int | None = None
    ) -> None:
        self.oracle = as_oracle(oracle)
        self.lead = check_whole("lead", lead, 1)
        self.most = 5 * self.lead if most is None else check_whole("most", most, self.lead)
        self.total = None if total is None else check_whole("total", total, 1)
        self.asked = 0

    def compare(self, a: Array, b: Array) -> Answers:
        if self.total is not None and self.asked + len(a) > self.total:
            raise OutOfAnswers(
                f"the limit of {self.total} answers does not allow {len(a)} more ({self.asked} collected)"
            )
        votes = np.zeros((len(a), 3), dtype=np.int64)  # for -1, 0, +1
        open_ = np.arange(len(a))
        for _ in range(self.most):
            if self.total is not None:
                open_ = open_[: self.total - self.asked]
            if open_.size == 0:
                break
            votes[open_, self.oracle.compare(a[open_], b[open_]) + 1] += 1
            self.asked += len(open_)
            open_ = open_[_ahead(votes[open_]) < self.lead]
        return np.where(_ahead(votes) > 0, votes.argmax(axis=1) - 1, 0).astype(np.int8)


def _ahead(votes: NDArray[np.int64]) -> NDArray[np.int64]:
    """By how many votes the leader of each row is ahead of the next."""
    ordered = np.sort(votes, axis=1)
    return np.asarray(ordered[:, -1] - ordered[:, -2])
