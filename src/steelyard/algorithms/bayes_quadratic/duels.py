"""What the model recommends against the best point that won before: a model may be wrong, and the judge can say so."""

from collections.abc import Callable
from itertools import chain, repeat
from math import ceil

import numpy as np

from steelyard.algorithms.bayes_quadratic.mind import Mind
from steelyard.algorithms.bayes_quadratic.noise import LEAST_TRUST
from steelyard.algorithms.bayes_quadratic.votes import Votes, needed, vote
from steelyard.dialogue import Question, Unproven
from steelyard.typing import Array

WON, LOST = 10.0, 30.0
"""How much more probable than not a victory must be; and a defeat, which the model did not expect."""
DUEL_PATIENCE = 1.5
"""Votes wait for this many times the answers after which the lead is expected."""
SPARED, PER_VARIABLE, BATCHES = 15, 1, 4
"""Answers between duels: at least this many times the cost of the last, per variable, and batches, because a duel is
waited for by itself."""
VARIED_POINTS = 0.3
"""By how much both points are varied from the second vote on, in deviations of what is known about the minimiser."""
TIED = 60
"""After this many ties in a row the judge sees no more progress."""
STALLED, STALLED_AT_LEAST = 20, 100
"""With nothing but defeats for this many answers per variable, and at least that many, a model does not fit."""

DUELS_LOST, SURPRISED, REFUTED_FROM, MANY = 2, 0.28, 10, 4
"""Nor does one that has lost this many duels and mispredicts this share of the answers, after REFUTED_FROM answers per
variable; in fewer variables than MANY it finds its way even so."""


class Duels:
    """The best point so far, by votes; and whether the model has lost against it."""

    def __init__(self, x: Array) -> None:
        self.best = x.copy()
        self.lost, self.just_lost, self._losses = False, False, 0
        self._next, self._last, self._fitted, self._tied = 0, -STALLED_AT_LEAST, 0, 0

    @property
    def _patience(self) -> int:
        return max(STALLED * self.best.size, STALLED_AT_LEAST)

    def due(self, asked: int, mind: Mind) -> bool:
        """Is it time for a duel?"""
        self.just_lost = False
        return asked >= max(self._next, PER_VARIABLE * mind.n)

    def fight(self, x: Array, asked: int, batch: int, mind: Mind, rng: np.random.Generator) -> Question[Votes]:
        """x against the best so far: one comparison if the judge hardly errs. `batch` questions are asked at a time."""
        win, lose = needed(mind.noise.rate, WON), needed(mind.noise.rate, LOST)
        most = ceil(DUEL_PATIENCE * lose / max(mind.noise.trust, LEAST_TRUST))
        votes = yield from vote(_pairs(x, self.best, mind, rng), win, lose, most, rng)
        tied = votes.ties == len(votes.answers)
        if votes.lead >= win:
            self.best = x.copy()
        if votes.lead >= win or tied or asked - self._last >= self._patience:
            self._fitted = asked
        self._tied = self._tied + 1 if tied else 0
        self.lost = self.just_lost = votes.lead <= -lose
        self._losses += self.just_lost
        self._last = asked
        self._next = asked + max(SPARED * len(votes.answers), PER_VARIABLE * mind.n, BATCHES * batch)
        return votes

    def reason(self, asked: int, mispredicted: float) -> str | None:
        """Why to ask the model no more, in words; None to go on."""
        n = self.best.size
        refuted = n >= MANY and asked >= REFUTED_FROM * n and self._losses >= DUELS_LOST and mispredicted > SURPRISED
        if refuted or (self.lost and asked - self._fitted > self._patience):
            return Unproven("stopped: a quadratic model of f leads no further")
        if self._tied >= TIED:
            return f"the last {self._tied} recommendations could not be distinguished from the best before"
        return None


def _pairs(x: Array, other: Array, mind: Mind, rng: np.random.Generator) -> Callable[[], tuple[Array, Array]]:
    """The two as they are at first, then varied by VARIED_POINTS, so that no question repeats."""
    unsure = VARIED_POINTS * mind.region.out @ mind.view.inverse_root @ _root(mind.view.E)
    by = iter(chain([0.0], repeat(1.0)))

    def pair() -> tuple[Array, Array]:
        points = np.stack([x, other]) + next(by) * (unsure @ rng.standard_normal((mind.n, 2))).T
        if mind.box is not None:
            points = np.clip(points, mind.box.low, mind.box.high)
        return points[0], points[1]

    return pair


def _root(E: Array) -> Array:
    values, vectors = np.linalg.eigh(E)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))
