"""Do a rater's answers follow a preference at all, and how sure is the result then?

Two explanations of the same answers are compared. Either the rater has a preference: answers follow the difference of a
smooth f (a Gaussian process over the parameters) between the two candidates, and an inclination to one side. Or the
answers follow the inclination to one side only: chance. Repeats, closing comparisons and attention checks are answers
like all others here; a pair that was asked twice tells most, because f cannot explain a contradiction.

How probable the answers are under either (the evidence) comes from expectation propagation for a probit likelihood
(Minka 2001; Rasmussen and Williams 2006, section 3.6), averaged over scales of f and its smoothness. Their ratio bounds
the error: whoever clicks at random reaches a ratio of r with a probability of 1 / r at most, whatever the method asks
and whenever one looks (Ville 1939).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import log_ndtr, logsumexp, ndtr

from steelyard.typing import Array

SMOOTH = (0.2, 0.4, 0.8)
"""Length scales of f, as shares of the diagonal of the box."""
CLEAR = (0.7, 2.0, 6.0)
"""Standard deviations of f, in units of the noise of one answer."""
SIDE = 0.5
"""Standard deviation of the inclination to one side, in the same units."""
RATIO = 3.0
"""Below this ratio of the evidence, answers are said to look no different from chance."""
FEWEST = 8
"""Clear answers below which nothing is said about consistency."""
SWEEPS = 30


@dataclass(frozen=True, eq=False)
class Judged:
    """Answers in the unit box: rows of a against rows of b, +1 where a was chosen; `left` where a was on the left.

    `categorical` marks coordinates without an order.
    """

    a: Array
    b: Array
    answers: Array
    left: Array
    categorical: tuple[bool, ...] = ()

    @property
    def clear(self) -> Judged:
        """Without ties."""
        kept = self.answers != 0
        return Judged(self.a[kept], self.b[kept], self.answers[kept], self.left[kept], self.categorical)

    def __len__(self) -> int:
        return len(self.answers)


@dataclass(frozen=True, eq=False)
class Consistency:
    """What a rater's answers say about the rater: the evidence for a preference, and what follows for the result."""

    judged: Judged

    @property
    def enough(self) -> bool:
        """Are there answers enough to say anything?"""
        return len(self._clear) >= FEWEST

    @cached_property
    def ratio(self) -> float:
        """How much more probable the answers are with a preference than by chance."""
        if not len(self._clear):
            return 1.0
        return float(np.exp(np.clip(logsumexp(self._evidence) - self._chance, -50.0, 50.0)))

    @property
    def by_chance(self) -> bool:
        """Do the answers look no different from chance?"""
        return self.enough and self.ratio < RATIO

    def better(self, x: Array, y: Array) -> float:
        """The probability that the rater truly prefers x to y. Chance explains the answers with its share."""
        if not len(self._clear):
            return 0.5
        weights = np.exp(self._evidence - logsumexp(self._evidence))
        p = sum(w * model.better(x, y) for w, model in zip(weights, self._models, strict=True))
        follows = self.ratio / (1.0 + self.ratio)
        return float(follows * p + (1.0 - follows) * 0.5)

    # --- inside

    @cached_property
    def _clear(self) -> Judged:
        return self.judged.clear

    @cached_property
    def _models(self) -> list[Model]:
        d = self._clear.a.shape[1]
        return [
            Model(self._clear, length * float(np.sqrt(d)), deviation, SIDE) for length in SMOOTH for deviation in CLEAR
        ]

    @cached_property
    def _evidence(self) -> Array:
        """The log evidence of each model, with its prior weight."""
        evidence: Array = np.array([model.evidence for model in self._models]) - np.log(len(self._models))
        return evidence

    @cached_property
    def _chance(self) -> float:
        return Model(self._clear, 1.0, 0.0, SIDE).evidence


class Model:
    """One explanation: f of one smoothness and one scale. Deviation 0 is chance."""

    def __init__(self, judged: Judged, length: float, deviation: float, side: float) -> None:
        self.judged, self.length, self.deviation = judged, length, deviation
        sides = np.where(judged.left, 1.0, -1.0)
        a, b = judged.a, judged.b
        prior = side**2 * np.outer(sides, sides)
        if deviation:
            prior = prior + self._k(a, a) - self._k(a, b) - self._k(b, a) + self._k(b, b)
        self.evidence, self._precision, self._shift = _propagate(prior, judged.answers.astype(float))
        self._prior = prior

    def better(self, x: Array, y: Array) -> float:
        """The probability that f(x) > f(y)."""
        if not self.deviation or np.array_equal(x, y):
            return 0.5
        x, y = x[None], y[None]
        a, b = self.judged.a, self.judged.b
        cross = (self._k(x, a) - self._k(x, b) - self._k(y, a) + self._k(y, b))[0]
        own = float((self._k(x, x) - 2.0 * self._k(x, y) + self._k(y, y))[0, 0])
        # Sites with precision t and shift n: mean = cross (K + 1/t)^-1 n/t, without dividing by t.
        root = np.sqrt(self._precision)
        B = np.eye(len(root)) + root[:, None] * self._prior * root
        solved = np.linalg.solve(B, np.column_stack([root * (self._prior @ self._shift), root * cross]))
        mean = float(cross @ (self._shift - root * solved[:, 0]))
        variance = own - float((root * cross) @ solved[:, 1])
        return float(ndtr(mean / np.sqrt(max(variance, 1e-12))))

    def _k(self, x: Array, y: Array) -> Array:
        d = np.abs(x[:, None, :] - y[None, :, :])
        if any(self.judged.categorical):
            other = np.array(self.judged.categorical)
            d = np.where(other, 0.5 * (d > 1e-9), d)
        covariance: Array = self.deviation**2 * np.exp(-0.5 * np.square(d).sum(axis=2) / self.length**2)
        return covariance


def _propagate(prior: Array, y: Array) -> tuple[float, Array, Array]:
    """Expectation propagation for y = sign(g + standard noise), g normal with this covariance: the log evidence, and
    the precisions and shifts of the sites. All sites move at once, half of the way."""
    n = len(y)
    t, s = np.zeros(n), np.zeros(n)
    evidence = 0.0
    for _ in range(SWEEPS):
        root = np.sqrt(t)
        B = np.eye(n) + root[:, None] * prior * root
        L = np.asarray(np.linalg.cholesky(B), dtype=np.float64)
        V = np.asarray(np.linalg.solve(L, root[:, None] * prior), dtype=np.float64)
        variance = np.maximum(np.diag(prior) - np.square(V).sum(axis=0), 1e-12)
        mean = prior @ s - V.T @ (V @ s)
        free = np.maximum(1.0 / variance - t, 1e-9)  # the cavity: without the site itself
        m = (mean / variance - s) / free
        v = 1.0 / free
        z = y * m / np.sqrt(1.0 + v)
        log_z = log_ndtr(z)
        r = np.exp(-0.5 * z * z - 0.5 * np.log(2.0 * np.pi) - log_z)
        new_mean = m + y * v * r / np.sqrt(1.0 + v)
        new_variance = np.maximum(v - v * v * r * (z + r) / (1.0 + v), 1e-12)
        moved_t = np.maximum(1.0 / new_variance - free, 0.0)
        moved_s = new_mean / new_variance - m * free
        before, evidence = evidence, _log_evidence(L, V, t, s, prior, m, v, log_z)
        step = max(float(np.abs(moved_t - t).max(initial=0.0)), float(np.abs(moved_s - s).max(initial=0.0)))
        if step < 1e-5 and abs(evidence - before) < 1e-6:
            break
        t, s = t + 0.7 * (moved_t - t), s + 0.7 * (moved_s - s)
    return evidence, t, s


def _log_evidence(L: Array, V: Array, t: Array, s: Array, prior: Array, m: Array, v: Array, log_z: Array) -> float:
    """Rasmussen and Williams (2006), equation 3.65, in a form that divides by no site's precision."""
    posterior_s = prior @ s - V.T @ (V @ s)
    quadratic = 0.5 * float(s @ posterior_s)
    sites = 0.5 * float(np.sum(np.log1p(t * v)))
    cavity = 0.5 * float(np.sum((m * m * t - 2.0 * m * s - s * s * v) / (1.0 + t * v)))
    return float(log_z.sum()) + sites - float(np.log(np.diag(L)).sum()) + quadratic + cavity
