"""What a judge that errs leads to at first, and a bad one ever, is recommended only if votes put it ahead of the start.

A few answers of such a judge may point anywhere, and by then it is not known how bad it is: the model believes them too
much. Votes against the start need no model. What they put ahead stays ahead only as long as their lead is enough for
the error rate that is believed by now.
"""

import numpy as np

from steelyard.algorithms.bayes_quadratic.caution import wariness
from steelyard.algorithms.bayes_quadratic.mind import Mind
from steelyard.algorithms.bayes_quadratic.votes import PATIENCE, Votes, against, between, needed, vote
from steelyard.dialogue import Question
from steelyard.typing import Array

VOUCHED, REFUSED = 12.0, 3.0
"""How much more probable it must be that a point is better than the start, and that it is worse."""
VOTES_FROM, VOTES_APART = 2.0, 4
"""The first votes come after this many answers per variable, the next after this many times what the last cost."""
SOON, SOON_PER_VARIABLE = 15.0, 0.5
"""In many variables the first come sooner: after this many answers and that many per variable."""
ENOUGH_SAID = 2.5
"""No votes are needed once a judge has given this many answers per variable and two more, counted as if they were never
wrong: what an answer says grows with the square of how much more often it is right than wrong ..."""
LATEST, LATEST_PER_VARIABLE = 100, 10
"""... or once it has given this many in all ..."""
TOO_BAD = 0.38
"""... unless it errs more often than this, or has put no point ahead of its start. Then ..."""
MUCH_LATER = 0.25
"""... the next votes come after this part of the answers at least."""
ALL_REFUSED = 3
"""Where this many points in a row were refused, the minimiser is much nearer to the start than was thought."""
SURELY_BETTER, JUDGED_WORSE, SURE_FROM = 2.0, 1.0, 8.0
"""Nor are there votes on what is better than the start by SURELY_BETTER deviations, even if the judge errs more often
than believed, by JUDGED_WORSE deviations of that. This holds after SURE_FROM answers per variable: before, the model
is too sure."""
AS_NEAR = 1.4
"""What was found for a point holds for others that are as near to it as this many times its way from the start."""


class Vouching:
    """The last point that was put ahead of the start, by how many votes, and when it is time to ask about another."""

    def __init__(self, x0: Array) -> None:
        self._x0 = x0.copy()
        self._next = min(VOTES_FROM * x0.size, SOON + SOON_PER_VARIABLE * x0.size)
        self._point, self._lead = x0.copy(), 0
        self._succeeded, self._refused = False, 0
        self.all_refused = False  # did the judge just refuse the last of ALL_REFUSED points in a row?

    def over(self, asked: int, mind: Mind) -> bool:
        """Has a judge that is not bad said enough for the model to be believed?

        If it has put nothing ahead of the start, it has not: the start may be nearly as good as the minimum.
        """
        return self._succeeded and self._said_enough(asked, mind)

    def is_bad(self, mind: Mind) -> bool:
        """Is the judge so bad that votes are always needed?"""
        return mind.noise.rate > TOO_BAD

    def sure(self, x: Array, asked: int, mind: Mind) -> bool:
        """Is the model so sure that x is better than the start that no votes are needed?"""
        if asked < SURE_FROM * mind.n or mind.posterior is None:
            return False
        (mean,), (var,) = mind.predict_if_worse(x[None], self._x0[None], JUDGED_WORSE)
        return bool(mean > SURELY_BETTER * wariness(mind) * np.sqrt(var))

    def due(self, x: Array, asked: int, mind: Mind) -> bool:
        """Is it time to ask about x?"""
        return asked >= self._next and bool((x != self._x0).any()) and not (self._firm(mind) and self._near(x, mind))

    def ask(self, x: Array, asked: int, mind: Mind, rng: np.random.Generator) -> Question[Votes]:
        """Is x better than the start? With the votes: at most 24 comparisons."""
        win, lose = _lead(mind, VOUCHED), _lead(mind, REFUSED)
        pairs = between(x, self._x0, rng) if mind.box is None else against(self._x0, x, rng)
        votes = yield from vote(pairs, win, lose, PATIENCE * win, rng)
        later = MUCH_LATER * asked if self._said_enough(asked, mind) else 0.0
        self._next = asked + max(VOTES_APART * len(votes.answers), later)
        if votes.lead >= win:
            self._point, self._lead = x.copy(), votes.lead
            self._succeeded, self._refused = True, 0
        elif votes.lead <= -lose:
            self._refused += 1
        self.all_refused = self._refused == ALL_REFUSED
        if self.all_refused:
            self._refused = 0
        return votes

    def allowed(self, x: Array, mind: Mind) -> Array:
        """What may be recommended instead of x."""
        if not self._firm(mind):
            return self._x0.copy()
        return x if self._near(x, mind) else self._point.copy()

    def _said_enough(self, asked: int, mind: Mind) -> bool:
        late = asked > max(LATEST, LATEST_PER_VARIABLE * mind.n)
        return late or asked * mind.noise.trust**2 > ENOUGH_SAID * (mind.n + 2)

    def _firm(self, mind: Mind) -> bool:
        return self._lead >= _lead(mind, VOUCHED)

    def _near(self, x: Array, mind: Mind) -> bool:
        metric = mind.view.root @ mind.region.into
        away, way = np.linalg.norm(metric @ np.array([x - self._point, self._point - self._x0]).T, axis=0)
        return bool(away <= AS_NEAR * way)


def _lead(mind: Mind, odds: float) -> int:
    """The lead that is needed if the judge errs as often as it may, by what is believed."""
    return needed(mind.noise.rate + mind.noise.doubt, odds)
