"""A judge is taken at its word from the first answer on, and put on trial.

Many judges never err, and a model that knows it needs far fewer answers at first. So outside of boxes a judge is
trusted until it is seen to say something else when asked nearly the same question again. Then everything is learnt
anew with doubt, and what was gained so far is put to the judge by votes.
"""

import numpy as np

from steelyard.algorithms.bayes_quadratic.mind import Mind
from steelyard.algorithms.bayes_quadratic.noise import HARDLY_EVER, RATES
from steelyard.algorithms.bayes_quadratic.repeats import Repeats
from steelyard.algorithms.bayes_quadratic.votes import PATIENCE, Votes, between, needed, vote
from steelyard.bounds import Box
from steelyard.dialogue import Question
from steelyard.typing import Array

PRESUMED = 0.1
"""A judge is taken to be never wrong as long as that is at least this probable by what was predicted."""
PRESUMPTION = np.where(RATES <= HARDLY_EVER, 0.0, -np.inf)
"""What that says of each of RATES: the logarithm of a likelihood."""
CONFIRMED = 10.0
"""How much more probable than not it must be that what was gained is a loss, or a gain."""


class Trial:
    """Whether the judge is still trusted."""

    def __init__(self, box: Box | None) -> None:
        # In a box coordinates come to be held at bounds by few answers: there some doubt is welcome from the start.
        self.open = box is None
        self._trusted = box is None

    def convicts(self, repeats: Repeats) -> bool:
        """Has the judge just been seen to err? A judge that said the same often enough is no longer on trial."""
        self.open = self.open and not repeats.steady
        if not self.open or repeats.innocent:
            return False
        self.open = self._trusted = False
        return True

    def on_rates(self, repeats: Repeats, flips: Mind, steady: bool) -> Array:
        """What is known of each of RATES by trust or by questions asked again: the logarithm of a likelihood."""
        if steady:
            return repeats.allowed()
        trusted = self._trusted and repeats.innocent and flips.predictive.never > PRESUMED
        return PRESUMPTION if trusted else repeats.log_likelihood()


def confirm(mind: Mind, rng: np.random.Generator) -> Question[tuple[bool, Votes]]:
    """Has the minimiser lost against the anchor? With the votes: 2 to 6 comparisons at the rate of first doubt."""
    lead = needed(mind.noise.rate, CONFIRMED)
    votes = yield from vote(between(mind.best, mind.anchor, rng), lead, lead, PATIENCE * lead, rng)
    return votes.lead <= -lead, votes
