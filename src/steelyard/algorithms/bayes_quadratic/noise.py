"""How a judge errs, learnt from predictions made before the answers were known.

The likelihood of a fit takes every answer for right in hindsight, because the model has gone where the answers pointed.
Only predictions made beforehand say how often the judge errs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from steelyard.parts.propagation import SMALLEST
from steelyard.typing import Array

RATES = np.array([0.002, 0.01, 0.02, 0.04, 0.06, 0.09, 0.12, 0.16, 0.2, 0.24, 0.28, 0.32, 0.36, 0.4, 0.44, 0.48])
BLURS = np.concatenate([[0.0], 2.0 ** np.arange(-4, 5)])
"""The levels of the blur, in units of a typical difference that was predicted."""
TIES = np.concatenate([[0.0], 2.0 ** np.arange(-6, 5)])
"""The levels of a difference that cannot be seen, in the same units ..."""
WITHOUT_LOOKING = np.array([0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])
"""... and how often a judge says "can't tell" whatever the difference is."""
ODD = 1e-3
"""Some ties and some decisions are lapses: each counts as at least this probable, so that none decides alone."""
LEANINGS = np.linspace(-0.9, 0.9, 9)
"""How the errors divide between the two places: 0 evenly, 1 all of them in favour of the first."""
LEAST_TRUST = 0.1
"""Where answers are counted by what they say, a judge counts as at least this much more often right than wrong."""
HARDLY_EVER = 0.02
"""A judge whose rate is at most this hardly ever errs."""
NEARLY_NEVER = np.array([0.6, 0.4])
"""How the probability of hardly ever erring divides between the two lowest rates."""
VISIBLE = 0.75
"""A blur below this part of the lowest level tried counts as none."""
BEFORE_LEARNING, BEFORE_LEANING = 10, 30
"""Predictions needed before the noise is learnt at all, and before a preference for one place is."""


@dataclass(frozen=True)
class Noise:
    """The first is called better with probability first + (1 - first - second) Phi(difference / blur)."""

    first: float = 0.15
    """How often the first is preferred although the second is much better."""
    second: float = 0.15
    """How often the second is preferred although the first is much better."""
    blur: float = 0.0
    """The difference of f at which a judge errs in one of six cases; 0 if errors do not depend on closeness."""
    tie: float = 0.0
    """The largest difference that is answered by "can't tell"."""
    absent: float = 0.5
    """How often "can't tell" is said whatever the difference is; until that is learnt, ties say nothing."""
    doubt: float = 0.1
    """The standard deviation of what is believed about the rate."""
    never: float = 1.0
    """How probable it is that the rate is at most HARDLY_EVER."""

    @property
    def rate(self) -> float:
        """How often an answer is wrong although the difference is large."""
        return 0.5 * (self.first + self.second)

    @property
    def trust(self) -> float:
        return 1.0 - self.first - self.second

    def rescaled(self, factor: float) -> Noise:
        """The same noise when f is counted in units `factor` times smaller."""
        return replace(self, blur=self.blur * factor, tie=self.tie * factor)

    def log_likelihood(self, answers: Array, mean: Array, var: Array) -> Array:
        """log P of each answer to a question whose difference was predicted; a tie says nothing here."""
        p = self.first + self.trust * ndtr(mean / np.sqrt(var + self.blur**2 + SMALLEST))
        p = np.clip(np.where(answers > 0, p, 1.0 - p), SMALLEST, 1.0)
        return np.where(answers == 0, 0.0, np.log(p))


@dataclass(frozen=True)
class NoisePrior:
    """What is believed about the noise before any answer."""

    a: float
    b: float
    """The rate has density rate^a (1 - rate)^b ..."""
    never: float
    """... and is nearly 0 with this probability: many judges are programs that do not err."""
    per_level: float
    """The logarithm lost per doubling of the blur."""
    quantile: float
    """Which quantile of the predicted differences is the unit of the blur's levels."""
    remembered: int
    """The predictions that are remembered."""
    most: float = 0.5
    """The largest rate that is believed."""

    def of_rates(self) -> Array:
        steps = np.gradient(RATES)
        density = steps * RATES**self.a * (1.0 - RATES) ** self.b
        density = np.where(self.most >= RATES, density, 0.0) + 1e-30
        density = (1.0 - self.never) * density / density.sum()
        density[:2] += self.never * NEARLY_NEVER
        return np.asarray(density)


@dataclass(frozen=True, eq=False)
class Predictions:
    """Mean and variance of the differences f(b) - f(a) as predicted, with the answers that came."""

    mean: Array
    var: Array
    answers: Array

    @classmethod
    def none(cls) -> Predictions:
        return cls(np.empty(0), np.empty(0), np.empty(0))

    def __len__(self) -> int:
        return len(self.answers)

    def add(self, mean: Array, var: Array, answers: Array, most: int) -> Predictions:
        return Predictions(
            np.append(self.mean, mean)[-most:],
            np.append(self.var, var)[-most:],
            np.append(self.answers, answers)[-most:],
        )

    def rescaled(self, factor: float) -> Predictions:
        return Predictions(self.mean * factor, self.var * factor**2, self.answers)

    @property
    def typical(self) -> float:
        """The median size of a predicted difference."""
        return float(np.median(np.sqrt(self.mean**2 + self.var))) if len(self) else 1.0


def learn(predictions: Predictions, prior: NoisePrior, old: Noise, repeated: Array | float = 0.0) -> Noise:
    """The posterior mean of the noise: rate and blur on a grid, then ties and a preference for a place given those.

    `repeated` is the logarithm of what questions that were asked again say about each of RATES.
    """
    if len(predictions) < BEFORE_LEARNING:
        return old
    mean, var, answers = predictions.mean, predictions.var, predictions.answers
    decided = answers != 0
    noise = old
    if decided.any():
        noise = _rate_and_blur(mean[decided], var[decided], answers[decided], prior, noise, repeated)
        if decided.sum() > BEFORE_LEANING:
            noise = _leaning(mean[decided], var[decided], answers[decided], noise)
    if not decided.all():
        tie, absent = _ties(predictions, decided, noise)
        noise = replace(noise, tie=tie, absent=absent)
    return noise


def _rate_and_blur(
    mean: Array, var: Array, answers: Array, prior: NoisePrior, old: Noise, repeated: Array | float
) -> Noise:
    blurs = float(np.quantile(np.sqrt(mean**2 + var), prior.quantile)) * BLURS
    right = ndtr(answers * mean / np.sqrt(var + blurs[:, None] ** 2 + SMALLEST))
    rates = RATES[:, None, None]
    fit = np.log(np.maximum(rates + (1.0 - 2.0 * rates) * right, SMALLEST)).sum(axis=2)
    believed = np.log(prior.of_rates()) + repeated
    weight = _normalised(fit + believed[:, None] - prior.per_level * np.arange(len(BLURS)))
    of_rate = weight.sum(axis=1)
    rate = float(of_rate @ RATES)
    doubt = sqrt(max(float(of_rate @ RATES**2) - rate**2, 0.0))
    never = float(of_rate[RATES <= HARDLY_EVER].sum())
    # The geometric mean: a few large levels that cannot be excluded yet must not decide.
    logs = np.log2(np.maximum(blurs, 0.5 * blurs[1]))
    blur = 2.0 ** float(weight.sum(axis=0) @ logs)
    return replace(
        old, first=rate, second=rate, blur=blur if blur > VISIBLE * blurs[1] else 0.0, doubt=doubt, never=never
    )


def _leaning(mean: Array, var: Array, answers: Array, noise: Noise) -> Noise:
    p = noise.first * (1.0 + LEANINGS[:, None]) + noise.trust * ndtr(mean / np.sqrt(var + noise.blur**2 + SMALLEST))
    fit = np.log(np.maximum(np.where(answers > 0, p, 1.0 - p), SMALLEST)).sum(axis=1)
    leaning = float(_normalised(fit - 2.0 * LEANINGS**2) @ LEANINGS)
    return replace(noise, first=noise.first * (1.0 + leaning), second=noise.second * (1.0 - leaning))


def _ties(predictions: Predictions, decided: NDArray[np.bool_], noise: Noise) -> tuple[float, float]:
    """Which differences cannot be seen, and how often the judge cannot tell whatever the difference is.

    Both explain ties, and are weighed by how well they predict which questions are tied.
    """
    levels = predictions.typical * TIES
    sd = np.sqrt(predictions.var + noise.blur**2 + SMALLEST)
    close = ndtr((levels[:, None] - predictions.mean) / sd) - ndtr((-levels[:, None] - predictions.mean) / sd)
    absent = WITHOUT_LOOKING[:, None, None]
    tied = absent + (1.0 - absent) * close
    fit = np.log(np.maximum(np.where(decided, 1.0 - tied, tied), ODD)).sum(axis=2)
    weight = _normalised(fit)
    return float(weight.sum(axis=0) @ levels), float(weight.sum(axis=1) @ WITHOUT_LOOKING)


def _normalised(log_weight: Array) -> Array:
    weight = np.exp(log_weight - log_weight.max())
    return np.asarray(weight / weight.sum())
