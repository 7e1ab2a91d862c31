"""The two explanations of the errors, weighed by how probable they make all answers that are kept.

Errors that are as frequent when the two are far apart, or errors because they are close: each gives the answers a
probability, whatever the unknown quadratic is (its evidence). Answers that one explanation takes for right in hindsight
do not count for it: the evidence is the product of what was probable before each answer was known.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from steelyard.algorithms.bayes_quadratic.mind import Mind
from steelyard.algorithms.bayes_quadratic.noise import Noise
from steelyard.parts.propagation import Sites, log_evidence, propagate
from steelyard.typing import Array

FLIP_RATES = np.array([0.02, 0.1, 0.2, 0.3, 0.4, 0.48])
"""Error rates of judges whose errors do not depend on closeness; the last one hardly looks, like one with much blur."""
FAR_ERRORS = np.array([0.01, 0.08])
"""Error rates, when the two are far apart, of judges that err because they are close."""
LEVELS, SHARP, DIM = 6, 0.125, 4.0
"""LEVELS levels of their blur: from SHARP times a short difference that was asked about to DIM times a long one."""
SHORT_ONES, LONG_ONES = 0.25, 0.75
"""Which quantiles of the differences are short and long ones."""
WEIGHED_ROUNDS = 3
"""Rounds of propagation per level, which begins where that of the last level has ended."""
MOST_WEIGHED = 400
"""The last answers count, at most this many."""


class Weighed(NamedTuple):
    """What the answers say of the two explanations."""

    ahead: float
    """By how much blur explains the answers better: the logarithm of a ratio of probabilities."""
    rate: float
    blur: float
    """If errors come from closeness: how often the judge lapses, and its blur."""


def weigh(mind: Mind, leaning: float) -> Weighed:
    """Weigh the explanations in the coordinates of one of them; `leaning` is how errors divide between the places.

    Ties are left out: their factors depend on the blur, and would favour one of its levels. That they are frequent
    is counted where the lead is decided.
    """
    decided = np.flatnonzero(mind.answers)[-MOST_WEIGHED:]
    answers = mind.answers[decided]
    posterior = mind.differences(decided)
    mean, var = posterior.marginals()
    short, long = np.quantile(np.sqrt(mean**2 + var), [SHORT_ONES, LONG_ONES])
    levels = np.geomspace(SHARP * short, DIM * long, LEVELS)

    def evidence(rate: float, blur: float) -> float:
        noise = Noise(rate * (1.0 + leaning), rate * (1.0 - leaning), blur)
        try:
            propagate(posterior, answers, noise, WEIGHED_ROUNDS)
            return log_evidence(posterior, answers, noise)
        except FloatingPointError:  # no Gaussian factors for so little noise
            posterior.replace_sites(Sites.flat(len(answers)))
            return -np.inf

    blurs = np.array([[evidence(rate, level) for level in levels[::-1]][::-1] for rate in FAR_ERRORS[::-1]])
    flips = np.array([evidence(rate, 0.0) for rate in FLIP_RATES[::-1]])
    weight = np.exp(blurs - logsumexp(blurs))
    return Weighed(
        float(_mean(blurs) - _mean(flips)),
        float(weight.sum(axis=1) @ FAR_ERRORS[::-1]),
        float(np.exp(weight.sum(axis=0) @ np.log(levels))),
    )


def _mean(logs: Array) -> float:
    """The logarithm of the mean of what the logarithms are of."""
    return float(logsumexp(logs)) - float(np.log(logs.size))
