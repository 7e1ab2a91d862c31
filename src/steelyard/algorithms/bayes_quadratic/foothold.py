"""The last point that the judge has confirmed, against what long questions have led to since.

Where errors come from closeness, questions are long, and f is no quadratic as far as they reach: a wall that one end of
each question hits, or a kink between its ends, draws the minimiser of the model along, without end. So what the
model recommends is put to the judge now and then.
"""

import numpy as np
from scipy.special import ndtr

from steelyard.algorithms.bayes_quadratic.mind import Mind
from steelyard.algorithms.bayes_quadratic.votes import PATIENCE, Votes, between, needed, vote
from steelyard.dialogue import Question
from steelyard.parts.propagation import SMALLEST
from steelyard.typing import Array

CLAIMED, LEAST_SEEN = 1.0, 0.5
"""The gain that must be confirmed, in units of the judge's blur; and what a difference counts as at least."""
HELD, SLIPPED = 3.0, 100.0
"""How much more probable it must be that the gain is as claimed than that it is such a loss; and that it is a loss."""
IN_A_ROW = 8
"""A smaller gain has slipped if this many comparisons are lost in a row: of two that are equal one time in 256. Nothing
slips by fewer, for the judge may err more often than blur believes."""
TESTS_APART, APART_OUTSIDE = 15, 3
"""Answers between two tests, in units of what the last one cost; fewer while the model is outside of the region around
the foothold, for until then what it has found is not recommended."""


class Foothold:
    """The last point that was confirmed, and when it is time to ask about another."""

    def __init__(self, mind: Mind) -> None:
        self.place, self._last, self._cost = mind.place(mind.region.centre), 0, 0

    def left(self, x: Array, mind: Mind) -> bool:
        """Is x outside of the region around the foothold?"""
        return float(np.linalg.norm(self.place.region.into @ (x - self.place.x))) > mind.radius

    def due(self, x: Array, asked: int, mind: Mind) -> bool:
        """Is it time to ask?"""
        apart = APART_OUTSIDE if self.left(x, mind) else TESTS_APART
        return asked >= self._last + apart * self._cost and not np.array_equal(x, self.place.x)

    def slips(self, x: Array, asked: int, mind: Mind, rng: np.random.Generator) -> Question[tuple[bool, Votes]]:
        """Is x worse than the foothold? With the votes: 1 to 8 comparisons, up to 24 if much has changed."""
        (mean,), (var,) = mind.predict(x[None], self.place.x[None])
        seen = float(mean - np.sqrt(var)) / max(mind.noise.blur, SMALLEST)
        if seen > CLAIMED or self.left(x, mind):
            mistaken = mind.noise.rate + mind.noise.trust * float(ndtr(-max(seen, LEAST_SEEN)))
            win, lose = needed(mistaken, HELD), max(needed(mistaken, SLIPPED), IN_A_ROW)
            votes = yield from vote(between(x, self.place.x, rng), win, lose, PATIENCE * lose, rng)
            if votes.lead >= win:
                self.place = mind.place(x)
        else:
            votes, lose = (yield from _until_not_lost(x, self.place.x, rng)), IN_A_ROW
        self._last, self._cost = asked, len(votes.answers)
        return votes.lead <= -lose, votes


def _until_not_lost(x: Array, other: Array, rng: np.random.Generator) -> Question[Votes]:
    """Votes that end with the first that is not lost: at most IN_A_ROW comparisons."""
    pair, votes = between(x, other, rng), Votes.none(x.size)
    while votes.lead == -len(votes.answers) > -IN_A_ROW:
        votes = votes.followed_by((yield from vote(pair, 1, 1, 1, rng)))
    return votes
