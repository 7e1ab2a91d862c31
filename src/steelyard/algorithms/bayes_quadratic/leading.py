"""Which of the two explanations of the errors is believed, and which one asks."""

from math import ceil

import numpy as np

from steelyard.algorithms.bayes_quadratic.mind import Mind
from steelyard.algorithms.bayes_quadratic.noise import Noise
from steelyard.algorithms.bayes_quadratic.votes import Votes, between, needed, vote
from steelyard.algorithms.bayes_quadratic.weighing import weigh
from steelyard.dialogue import Question
from steelyard.parts.propagation import SMALLEST
from steelyard.typing import Array

LEAD, MOST_LEAD, MOST_BEHIND = 2.5, 8.0, 5.0
"""By how much the logarithm of its evidence must be ahead for errors to be taken for blur; and the bounds within which
that is kept."""
WEIGHED_FROM, GROWN, FEWEST_WEIGHED = 20, 1.2, 25
"""The evidence is weighed after this many answers, and again when they have grown by this factor and one per variable;
it takes this many answers that blur has kept."""
OFTEN_TIED, TIES_SAY = 0.05, 3.0
"""A judge that errs and says "can't tell" of what is close more often than OFTEN_TIED sees
differences dimly: that counts for blur, this much, as the logarithm of a ratio of probabilities."""
HELD_OFF = 1.5
"""After an objection of the judge it is weighed again when the answers have grown by this factor."""
PROBES, FEWEST_PROBES, MOST_PROBES = 5.0, 0.05, 0.5
"""The share of batches asked by the explanation that does not lead, from which one learns whether errors depend on
closeness: per unit of error rate, at least, at most ..."""
MARGIN, MARGIN_IN_BOX = 1.0, -1.5
"""... if the explanation is ahead by MARGIN. In a box long questions are of use to both, for f is seen whole."""
KEPT, FEW_ERRORS, MOST_KEPT = 2.0, 0.03, 0.2
"""But it does not fall below KEPT per unit of error rate beyond FEW_ERRORS, or MOST_KEPT: questions that the leader
has made too short are answered at random, and only long ones can show it."""
FAR_BEHIND = 3.0
"""Unless the explanation is behind by this much."""
BETTER, MUCH_WORSE, MOST_ASKED = 3.0, 100.0, 16
"""A new leader recommends another point, perhaps far away, and the judge may object. Votes end when it is BETTER times
as probable that the new point is better as that it is not, or MUCH_WORSE times as probable that it is worse, which is
the objection, or after MOST_ASKED."""
PROVEN = 12.0
"""Where the other explanation expects the new point to be worse than the start, this much more probable it must be."""


class Lead:
    """By how much blur is ahead of flips, by what both say of the answers, and who leads."""

    def __init__(self, flips: Mind, blur: Mind) -> None:
        self.flips, self.blur = flips, blur
        self.mind = flips
        self.ahead, self._predicted, self._next = 0.0, 0.0, WEIGHED_FROM
        self.dim = False  # may errors come from closeness at all?

    @property
    def believed(self) -> float:
        """By how much blur is ahead, as far as it may be."""
        return self.ahead if self.dim else min(self._predicted, 0.0)

    @property
    def suspected(self) -> bool:
        """Has blur predicted answers so much better that the judge should be asked again?"""
        return self._predicted > LEAD

    @property
    def other(self) -> Mind:
        """The one that does not lead."""
        return self.flips if self.mind is self.blur else self.blur

    def hear(self, flips: float, blur: float) -> None:
        """Take in how well the two have predicted answers: logarithms of probabilities."""
        self._predicted = float(np.clip(self._predicted + blur - flips, -MOST_BEHIND, MOST_LEAD))

    def weigh(self, asked: int) -> None:
        """Take in how well the two explain all answers that are kept, if enough have come since the last time.

        Blur has kept the most. But where f is no quadratic as far as its questions reach, blur explains that as well:
        what is known of the region of flips speaks against it, if it does, and so does what blur has mispredicted. Ties
        speak for it.
        """
        flips, blur = self.flips, self.blur
        if asked < self._next or blur.posterior is None or len(blur.answers) < FEWEST_WEIGHED:
            return
        if not blur.answers.any():  # ties only
            return
        self._next = ceil(GROWN * asked) + blur.n
        leaning = (flips.noise.first - flips.noise.second) / max(flips.noise.first + flips.noise.second, SMALLEST)
        ahead, rate, level = weigh(blur, leaning)
        blur.weighed = Noise(rate * (1.0 + leaning), rate * (1.0 - leaning), level)
        decided = flips.posterior is not None and bool(flips.answers.any())
        near = weigh(flips, leaning).ahead if decided else 0.0
        ahead = min(self._predicted, 0.0) + (ahead if near >= 0.0 else min(ahead, near))
        absent = min(flips.noise.absent, blur.noise.absent)
        if (blur.answers == 0.0).mean() - absent > OFTEN_TIED:
            ahead += TIES_SAY
        self.ahead = float(np.clip(ahead, -MOST_BEHIND, MOST_LEAD))

    @property
    def favourite(self) -> Mind:
        """The one that should lead, by what was predicted; without blur, blur explains no errors."""
        return self.blur if self.believed > LEAD and self.blur.noise.blur > 0.0 else self.flips

    @property
    def contested(self) -> bool:
        """Should another one lead, and does it recommend another point?"""
        return self.favourite is not self.mind and not np.array_equal(self.favourite.best, self.mind.best)

    def contest(self, rng: np.random.Generator) -> Question[Votes]:
        """Let the favourite lead, unless the judge objects: at most MOST_ASKED comparisons.

        Where f is no quadratic, an explanation that looks far and wide may predict well and still lead astray.
        """
        new, old, rate = self.favourite, self.mind, self.flips.noise.rate
        doubtful = expects_worse(old, new.best)
        win, lose = needed(rate, PROVEN if doubtful else BETTER), needed(rate, MUCH_WORSE)
        votes = yield from vote(between(new.best, old.best, rng), win, lose, MOST_ASKED, rng)
        for one in (new, old):
            one.hear(votes.a, votes.b, votes.answers)
        if votes.lead >= (win if doubtful else 1 - lose):
            self.mind = new
        else:
            new.retreat(old.best)
            self.ahead = 0.0 if new is self.blur else 2.0 * LEAD
            self._next = ceil(HELD_OFF * self._next)
        return votes

    def tend_other(self, doubted: bool) -> None:
        """Let the region of the one that does not lead follow what it has learnt."""
        if not self.other.fresh:
            if self.other.leaves(doubted):
                self.other.double()
            self.other.shrink_if_known()

    def asker(self, steady: bool, rng: np.random.Generator) -> Mind:
        """Who asks next: the leader, or, the more errors there are and the less is decided, blur."""
        if steady:
            return self.flips
        if self.favourite is self.blur:
            return self.blur
        rate = self.flips.noise.rate
        margin = MARGIN if self.blur.box is None else MARGIN_IN_BOX
        undecided = _sigmoid(2.0 * (self.believed - margin))
        refuted = _sigmoid(-2.0 * (self.believed + FAR_BEHIND)) if self.dim else 0.0
        kept = min(KEPT * (rate - FEW_ERRORS), MOST_KEPT) * (1.0 - refuted)
        share = max(FEWEST_PROBES, kept, undecided * min(PROBES * rate, MOST_PROBES))
        return self.blur if rng.random() < share else self.flips


def expects_worse(mind: Mind, x: Array) -> bool:
    """Does an explanation expect x to be worse than the start?"""
    (mean,), _ = mind.predict(x[None], mind.start[None])
    return bool(mean < 0.0)


def _sigmoid(t: float) -> float:
    return float(1.0 / (1.0 + np.exp(-t)))
