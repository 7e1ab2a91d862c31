"""Nearly the same question again: how often the judge errs, whatever f is like.

A model that does not fit mispredicts as a judge that errs does: on a narrow valley, a kink or a rugged f one that is
never wrong would be taken for a bad judge. But f hardly changes over a thousandth of a question's length, so two
answers that differ there are the judge's doing, also if it gives the same wrong answer to the same question.
"""

import numpy as np

from steelyard.algorithms.bayes_quadratic.noise import NEARLY_NEVER, RATES
from steelyard.typing import Array

MOVED_BY = 1e-3
"""By how much of its length a question is moved along itself before it is asked again."""
SUSPECTED, RATE, ENOUGH_AGREED = 0.2, 0.05, 16
"""The share of questions that are asked again while answers are mispredicted more often than RATE, and it is not known
whose fault that is, until ENOUGH_AGREED pairs of answers agreed."""
MORE_OFTEN, AGREED_AGAIN = 0.05, 8
"""The same once answers are mispredicted by this much more often than when the judge was cleared, until this many more
pairs agreed: a judge may come to err."""
NOT_YET_KNOWN = 0.15
"""The share until a judge is known to be steady or has been seen to err."""
UNSUSPECTED, FOUND = 0.05, 0.02
"""The share while all goes well, and once the judge was seen to err: then predictions say how often."""
FEWEST_PAIRS = 12
"""Pairs of answers before a judge is called steady."""
RECENT = 10
"""One of this many last questions is asked again."""
REMEMBERED = 30
"""How many pairs of answers are remembered: a judge may err more often as questions become shorter."""
NEVER = 0.5
"""How probable it is beforehand that the judge hardly ever errs."""
STEADY = 0.05
"""A judge whose rate is at most this is taken at its word: what was mispredicted is the model's fault."""
SURE = 0.9
"""The rate is at most what the answers allow with this probability."""


class Repeats:
    """Questions that were answered, and whether the judge said the same when asked again."""

    def __init__(self, n: int) -> None:
        self._a, self._b, self._answers = np.empty((0, n)), np.empty((0, n)), np.empty(0)
        self._agreed: list[bool] = []
        self._pairs, self._differed = 0, 0
        self._tolerated, self._until = RATE, ENOUGH_AGREED

    def mix(
        self, a: Array, b: Array, rate: float, rng: np.random.Generator, blurred: bool = False
    ) -> tuple[Array, Array, Array]:
        """Some rows replaced by questions that were asked before; with the answers expected then, 0 for new ones.

        `rate` is how often answers are mispredicted; a judge is blurred if errors from closeness would explain its
        answers better.
        """
        expected = np.zeros(len(a))
        share = FOUND
        if self.innocent:
            share = UNSUSPECTED if self.steady else NOT_YET_KNOWN
            if self._pairs < self._until and (rate > self._tolerated or (blurred and self._pairs < ENOUGH_AGREED)):
                share = SUSPECTED
            elif rate > self._tolerated:
                self._tolerated, self._until = rate + MORE_OFTEN, self._pairs + AGREED_AGAIN
        again = rng.random(len(a)) < share
        if not len(self._answers) or not again.any():
            return a, b, expected
        a, b = a.copy(), b.copy()
        for i in np.flatnonzero(again):
            k = rng.integers(len(self._answers))
            way = MOVED_BY * (self._b[k] - self._a[k])
            near, far = rng.uniform(0.0, 1.0, 2)
            # Moved inwards, so that both stay in a box; the two places change, so that a preference for one shows.
            a[i], b[i] = self._b[k] - far * way, self._a[k] + near * way
            expected[i] = -self._answers[k]
        return a, b, expected

    def hear(self, a: Array, b: Array, answers: Array, expected: Array) -> tuple[Array, Array, Array]:
        """Take answers in, to new questions and to old ones; returns the new ones.

        A model that has heard the first answer predicts the second one well, and would think too well of itself.
        """
        fresh, decided = expected == 0.0, answers != 0.0
        again = decided & ~fresh
        agreed = (answers[again] == expected[again]).tolist()
        self._agreed = [*self._agreed, *agreed][-REMEMBERED:]
        self._pairs, self._differed = self._pairs + len(agreed), self._differed + agreed.count(False)
        new = decided & fresh
        self._a, self._b = np.concatenate([self._a, a[new]])[-RECENT:], np.concatenate([self._b, b[new]])[-RECENT:]
        self._answers = np.append(self._answers, answers[new])[-RECENT:]
        return a[fresh], b[fresh], answers[fresh]

    @property
    def steady(self) -> bool:
        """Does the judge say the same when asked again?"""
        return len(self._agreed) >= FEWEST_PAIRS and not np.isfinite(self.allowed()[RATES > STEADY]).any()

    @property
    def innocent(self) -> bool:
        """Has it never been seen to say something else when asked again?"""
        return all(self._agreed)

    @property
    def always_steady(self) -> bool:
        """Has it said the same all along? At the end of a run rounding may decide some answers."""
        return self._pairs >= FEWEST_PAIRS and self._differed <= STEADY * self._pairs

    def log_likelihood(self) -> Array:
        """log P of what was seen, for each of RATES."""
        agreed = sum(self._agreed)
        both = RATES**2 + (1.0 - RATES) ** 2
        return np.asarray(agreed * np.log(both) + (len(self._agreed) - agreed) * np.log(1.0 - both))

    def allowed(self) -> Array:
        """The same, and -inf for rates that are too high for what was seen."""
        fit = self.log_likelihood()
        prior = (1.0 - NEVER) * np.gradient(RATES) / np.gradient(RATES).sum()
        prior[:2] += NEVER * NEARLY_NEVER
        weight = prior * np.exp(fit - fit.max())
        below = np.cumsum(weight) / weight.sum()
        return np.where(np.append(0.0, below[:-1]) < SURE, fit, -np.inf)
