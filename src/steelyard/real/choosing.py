"""A person whose utility was fitted to real choices: the noise is that of the fit, and so is the share of ties."""

from collections.abc import Callable

import numpy as np

from steelyard.typing import Answers, Array


class Chooser:
    """Compares utilities with logistic noise of scale 1 and says "can't tell" where the noisy difference is small.

    That is the model of Rao and Kupper (1967) for ties: the threshold applies to what the person feels, noise included.
    `LogisticOracle` applies its `jnd` to the true difference instead.
    """

    def __init__(self, utility: Callable[[Array], Array], threshold: float, rng: np.random.Generator) -> None:
        self._utility, self._threshold, self._rng = utility, threshold, rng

    def compare(self, a: Array, b: Array) -> Answers:
        felt = self._utility(a) - self._utility(b) + self._rng.logistic(size=len(a))
        return np.where(np.abs(felt) <= self._threshold, 0, np.sign(felt)).astype(np.int8)


def tie_threshold(apart: Array, tied: float) -> float:
    """The threshold with which a chooser ties this share of pairs whose utilities are so far apart, on average."""
    from scipy.optimize import brentq  # slow to import
    from scipy.special import expit

    if not tied:
        return 0.0
    return float(brentq(lambda t: np.mean(expit(t - apart) - expit(-t - apart)) - tied, 0.0, np.max(apart) + 40.0))
