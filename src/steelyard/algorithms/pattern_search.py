"""Directional direct search (Torczon 1997; Kolda, Lewis, Torczon 2003): comparison-based by nature."""

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar, Literal

import numpy as np

from steelyard.checks import check_at_least, check_between, check_choice, check_positive
from steelyard.dialogue import Capabilities, Compare, Dialogue, Question, Step, better
from steelyard.parts.questions import rows_in_a_batch, tournament_min
from steelyard.parts.stopping import reason_to_stop, settled
from steelyard.typing import Array


@dataclass(frozen=True)
class PatternSearch:
    """Tries x + step d for each d of a positive spanning set; 1 comparison per trial, at most 2n or n + 1 per poll."""

    step: float = 0.5
    """The first step length."""
    basis: Literal["coordinate", "simplex"] = "coordinate"
    """"coordinate" is +-e_i, "simplex" the n + 1 corners of a regular simplex."""
    poll: Literal["opportunistic", "complete"] = "opportunistic"
    """An "opportunistic" poll moves to the first better point and goes on from the direction that led there; a
    "complete" one asks about all in one batch and moves to the best."""
    expand: float = 2.0
    """By what the step grows after as many successes in a row as there are directions; if it grew after each, it would
    soon be too long for all directions but one."""
    contract: float = 0.5
    """By what the step shrinks after a poll that found nothing."""

    capabilities: ClassVar[Capabilities] = Capabilities(in_flight="2 n, with poll=complete", cut=True)

    def __post_init__(self) -> None:
        check_positive("step", self.step)
        check_choice("basis", self.basis, ("coordinate", "simplex"))
        check_choice("poll", self.poll, ("opportunistic", "complete"))
        check_at_least("expand", self.expand, 1.0)
        check_between("contract", self.contract, 1e-6, 0.999)

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        step, first, successes = self.step, 0, 0
        while True:
            if self.poll == "complete":
                best = yield from self._best_trial(x, step, rng)
            else:
                best, first = yield from self._first_better_trial(x, step, first)
            if best is None:
                step, successes = step * self.contract, 0
            else:
                x, successes = best, successes + 1
                yield Step(x)
                if successes % self._count(x.size) == 0:
                    step *= self.expand
            if reason := reason_to_stop(step, x):
                return (yield from settled(reason, x, self.step, rng))

    def _first_better_trial(self, x: Array, step: float, first: int) -> Question[tuple[Array | None, int]]:
        count = self._count(x.size)
        for i in range(first, first + count):
            trial = x + step * self._direction(i % count, x.size)
            if (yield from better(trial, x)):
                return trial, i % count
        return None, first

    def _best_trial(self, x: Array, step: float, rng: np.random.Generator) -> Question[Array | None]:
        n, count = x.size, self._count(x.size)
        batch = rows_in_a_batch(n)
        winners: list[Array] = []
        for start in range(0, count, batch):
            some = range(start, min(start + batch, count))
            trials = np.stack([x + step * self._direction(i, n) for i in some])
            question = Compare(trials, np.broadcast_to(x, trials.shape), reserve=0)
            answers = yield question
            winners += list(trials[answers > 0])
            if question.cut_to is not None:  # nothing is left to choose among several
                return winners[0] if winners else None
        return winners[(yield from tournament_min(winners, rng))] if winners else None

    def _count(self, n: int) -> int:
        return 2 * n if self.basis == "coordinate" else n + 1

    def _direction(self, i: int, n: int) -> Array:
        """Unit direction i of the set."""
        if self.basis == "coordinate":
            d = np.zeros(n)
            d[i // 2] = 1.0 if i % 2 == 0 else -1.0
            return d
        if i == n:
            return np.full(n, 1.0 / sqrt(n))
        # The other corners are a e_i + b (1, ..., 1): of length 1, and all n + 1 add up to 0.
        a = sqrt(1.0 + 1.0 / n)
        d = np.full(n, -(a + 1.0 / sqrt(n)) / n)
        d[i] += a
        return d
