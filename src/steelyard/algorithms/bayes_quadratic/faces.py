"""Before a run ends in a box: is what is held at a bound rightly held there?"""

from __future__ import annotations

import numpy as np

from steelyard.algorithms.bayes_quadratic.mind import Mind
from steelyard.algorithms.bayes_quadratic.votes import needed, vote
from steelyard.dialogue import Question
from steelyard.typing import Array

INWARD = (1e-3, 1e-2, 1e-1)
"""How far from the bound a better point is looked for, in widths of the box; or in units of x, and at least 1, where a
side is open."""
NEAR = 1e-6
"""What counts as at a bound, in the same units."""
ODDS = 10.0
"""How much more probable than not it must be that the point is better."""


def freed(x: Array, mind: Mind, rng: np.random.Generator) -> Question[Array | None]:
    """A better point away from one of the bounds; None if there is none. 3 comparisons per variable at a bound."""
    if mind.box is None:
        return None
    lead = needed(mind.noise.rate, ODDS)
    width = mind.box.high - mind.box.low
    width = np.where(np.isfinite(width), width, np.maximum(np.abs(x), 1.0))
    near = NEAR * width
    for i in np.flatnonzero((x <= mind.box.low + near) | (x >= mind.box.high - near)):
        for part in INWARD:
            away = x.copy()
            away[i] += part * width[i] * (1.0 if x[i] - mind.box.low[i] < mind.box.high[i] - x[i] else -1.0)
            pair = away, x
            votes = yield from vote(lambda pair=pair: pair, lead, 1, 2 * lead, rng)  # type: ignore[misc]
            if votes.lead >= lead:
                return away
    return None
