"""The two explanations of a judge's errors: what each believes beforehand, and what follows for the questions."""

from dataclasses import dataclass

import numpy as np

from steelyard.algorithms.bayes_quadratic.noise import LEAST_TRUST, Noise, NoisePrior

FEWEST_IN_BOX = 1000
"""Answers kept at least in a box, where questions are as long as it allows, so that none is from another region."""
BLURRED_MOST = 20.0
"""By how much blur multiplies the answers that are kept, at most."""
HARDLY_ERRS, FEW_VARIABLES, FEWEST_TRUSTED = 0.05, 4, 15
"""Of a judge that errs less often than HARDLY_ERRS this many answers per variable are kept in 2 to FEW_VARIABLES
variables: older ones are from places where f curves otherwise. Measured on bbob (instances 1 to 3, 2 variables)."""


@dataclass(frozen=True)
class Explanation:
    """Why a judge might err, and what follows for the questions."""

    name: str
    prior: NoisePrior
    lengthened: float
    """The share of questions that are made long enough for the blur."""
    longest: float
    """How many times longer they are made at most."""
    kept: float
    """Answers kept per variable, for a judge that does not err ..."""
    fewest: int
    most: int
    """... but at least and at most this many."""
    repeats: bool
    """Do questions that are asked again say how often the judge errs?"""

    def how_many(self, n: int, noise: Noise, typical: float, in_box: bool) -> int:
        """How many answers are kept; `typical` is the size of a difference that was asked about."""
        blurred = 1.0
        if self.longest == np.inf:
            blurred = min(1.0 + (noise.blur / typical) ** 2, BLURRED_MOST)
        wanted = self.kept * n * blurred / max(noise.trust, LEAST_TRUST)
        if self.repeats and not in_box and 1 < n <= FEW_VARIABLES and noise.rate < HARDLY_ERRS:
            return FEWEST_TRUSTED * n
        fewest = FEWEST_IN_BOX if in_box and not self.repeats else self.fewest
        return int(np.clip(wanted, fewest, self.most))


FLIPS = Explanation("flips", NoisePrior(2.0, 6.0, 0.3, 0.7, 0.5, 200), 0.6, 8.0, 10.0, 100, 600, True)
"""Answers are turned round with a certain probability, however far apart the two are; or never."""
BLUR = Explanation("blur", NoisePrior(0.0, 30.0, 0.0, 0.3, 0.9, 1000, 0.06), 0.9, np.inf, 10.0, 100, 2000, False)
"""Answers are wrong because the two are close (Bradley-Terry): questions stay long, and nothing is forgotten."""
