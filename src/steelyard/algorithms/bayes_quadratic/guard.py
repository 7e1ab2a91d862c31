"""Of a bad judge it is asked now and then whether the run is still ahead of its start."""

import numpy as np

from steelyard.algorithms.bayes_quadratic.mind import Mind
from steelyard.algorithms.bayes_quadratic.noise import LEAST_TRUST
from steelyard.algorithms.bayes_quadratic.votes import PATIENCE, Votes, between, needed, vote
from steelyard.dialogue import Question
from steelyard.typing import Array

GUARDED, GUARDED_FROM, GUARDED_APART = 0.33, 4.0, 20
"""A judge that errs more often than GUARDED is asked whether what it has led to beats the start: after GUARDED_FROM
answers per variable, more of them the worse it is, and again after GUARDED_APART times what that cost."""
SAFE, ASTRAY = 5.0, 100.0
"""How much more probable it must be that the run is ahead of its start; and that it is behind, which ends all that was
gained."""


class Guard:
    """Has a bad judge led the run astray? Then it begins again at its start, with what it knows of the surroundings."""

    def __init__(self, x0: Array) -> None:
        self._x0, self._next = x0.copy(), 0

    def due(self, asked: int, mind: Mind) -> bool:
        """Is it time to ask?"""
        early = GUARDED_FROM * mind.n / max(mind.noise.trust, LEAST_TRUST)
        return mind.noise.rate > GUARDED and asked >= max(self._next, early)

    def lost(self, x: Array, asked: int, mind: Mind, rng: np.random.Generator) -> Question[tuple[bool, Votes]]:
        """Is the start better than x? With the votes: at most 24 comparisons."""
        win, lose = needed(mind.noise.rate, SAFE), needed(mind.noise.rate, ASTRAY)
        votes = yield from vote(between(x, self._x0, rng), win, lose, PATIENCE * lose, rng)
        self._next = asked + GUARDED_APART * len(votes.answers)
        return votes.lead <= -lose, votes
