"""Until the minimiser is known for the first time, and whenever the region has grown: only as far as is sure."""

import numpy as np

from steelyard.algorithms.bayes_quadratic.mind import Mind
from steelyard.typing import Array

CAUTION = 1.0
"""The gain counts as this many deviations less than is expected."""
WARY, WARY_FROM = 10.0, 0.3
"""By how much more of itself caution grows per unit of error rate beyond WARY_FROM: what such a judge has said so far
is soon believed too much."""
WORSE_JUDGE, WORSE_UNTIL = 1.0, 5
"""What is recommended holds even if the judge errs more often than believed, by this many deviations of that; fewer
after more than WORSE_UNTIL answers per variable."""

STOPS = 8
"""The points on the way that are considered, at equal distances."""


def cautiously(mind: Mind, minds: tuple[Mind, ...], on_trial: bool) -> Array:
    """On the way from the anchor to the minimiser, where the gain is largest CAUTION deviations below expectation.

    That is the least of what all of `minds` say.
    """
    t = np.linspace(0.0, 1.0, STOPS + 1)[1:]
    points = mind.anchor + t[:, None] * (mind.best - mind.anchor)
    anchors = np.broadcast_to(mind.anchor, points.shape)
    sure = np.min([_sure(one, points, anchors, on_trial) / one.scale for one in minds], axis=0)
    i = int(sure.argmax())
    return points[i] if sure[i] > 0.0 else mind.anchor.copy()


def _sure(mind: Mind, a: Array, b: Array, on_trial: bool) -> Array:
    """By how much f is lower at rows of a than at rows of b for all that is known."""
    if on_trial or mind.box is not None or mind.posterior is None:
        mean, var = mind.predict(a, b)
    else:
        mean, var = mind.predict_if_worse(a, b, WORSE_JUDGE * min(1.0, WORSE_UNTIL * mind.n / len(mind.answers)))
    return np.asarray(mean - CAUTION * wariness(mind) * np.sqrt(var))


def wariness(mind: Mind) -> float:
    """By how much more of itself caution is than with a judge that is not bad."""
    return 1.0 + WARY * max(mind.noise.rate - WARY_FROM, 0.0)
