"""Do a rater's answers follow a preference at all, and how sure is the result then?

Explanations of the same answers are compared. Either the rater has a preference: answers follow the difference of
some f between the two candidates, and an inclination to one side. Or they follow the inclination only: chance. f is a
smooth function (a Gaussian process), or it falls with the distance from an ideal point (Coombs 1950), half each.
Repeats, closing comparisons and attention checks are answers like all others here. They say most: what a method asks
is hard to answer, because it would learn nothing from what it can predict.

How probable the answers are with a Gaussian process (the evidence) comes from expectation propagation for a probit
likelihood (Minka 2001; Rasmussen and Williams 2006, section 3.6), averaged over scales of f and its smoothness; with
an ideal point, from drawing many. The ratio to chance bounds the error: a random clicker reaches a ratio of r
with a probability of 1 / r at most, whatever is asked and whenever one looks (Ville 1939).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.special import expit, log_ndtr, logsumexp, ndtr

from steelyard.typing import Array

LENGTH_SCALES = (0.2, 0.4, 0.8)
"""Length scales of f, as shares of the diagonal of the box."""
CLEARNESS = (0.7, 2.0, 6.0)
"""Standard deviations of f, in units of the noise of one answer."""
SIDE = 0.5
"""Standard deviation of the inclination to one side, in the same units."""
RATIO = 1.5
"""If the evidence after the closing comparisons is below this ratio, answers count as no different from chance.
The closing comparisons are chosen so that random clicks lower it, so few end above it (see docs/results)."""
RATIO_UNCLOSED = 3.0
"""The same without closing comparisons."""
DECIDED = 20.0
"""Above this ratio, or below its inverse, no further comparisons are needed to know."""
IDEALS = 3000
"""Ideal points drawn."""
FEWEST_CONSISTENT = 8
"""Clear answers below which nothing is said about consistency."""
SWEEPS = 30
CLOSE_ENOUGH = 1e-3
"""Sweeps end when no site moves further than this: the evidence, largest where they rest, is then much closer."""


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
    """What a rater's answers say about the rater: the evidence for a preference, and what follows for the result.

    `closed` says that the closing comparisons are among them.
    """

    judged: Judged
    closed: bool = False

    @property
    def enough(self) -> bool:
        """Are there answers enough to say anything?"""
        return len(self._clear) >= FEWEST_CONSISTENT

    def work_out(self) -> None:
        """Do now what takes long: some ten milliseconds, and more with many answers."""
        _ = self.ratio

    @cached_property
    def ratio(self) -> float:
        """How much more probable the answers are with a preference than by chance."""
        if not len(self._clear):
            return 1.0
        return float(np.exp(np.clip(logsumexp(self._evidence) - self._chance, -50.0, 50.0)))

    @property
    def decided(self) -> bool:
        """Is it known whether the answers follow a preference?"""
        return self.enough and not 1.0 / DECIDED < self.ratio < DECIDED

    @property
    def by_chance(self) -> bool:
        """Do the answers look no different from chance?"""
        return self.enough and self.ratio < (RATIO if self.closed else RATIO_UNCLOSED)

    def better(self, x: Array, y: Array) -> float:
        """The probability that the rater truly prefers x to y. Chance explains the answers with its share."""
        return float(self._with_chance(lambda model: model.better(x, y), np.array(0.5)))

    def foretold(self, x: Array, others: Array) -> Array:
        """The probability that the rater, if the answers follow a preference, says that x is better than each of the
        others (rows), shown on either side."""
        if not len(self._clear):
            return np.full(len(others), 0.5)
        return self._mixed(lambda model: model.foretold(x, others))

    def best_of(self, points: Array) -> Array:
        """The probability of each point that the rater prefers it to all the others."""
        return self._with_chance(lambda model: model.best_of(points), np.full(len(points), 1.0 / len(points)))

    # --- inside

    def _mixed(self, said: Callable[[Model | Ideal], Any]) -> Array:
        """What the models say, each with its weight."""
        weights = np.exp(self._evidence - logsumexp(self._evidence))
        return np.asarray(sum(w * said(model) for w, model in zip(weights, self._models, strict=True)))

    def _with_chance(self, said: Callable[[Model | Ideal], Any], even: Array) -> Array:
        """The same, as far as the answers follow a preference at all."""
        if not len(self._clear):
            return even
        follows = self.ratio / (1.0 + self.ratio)
        return np.asarray(follows * self._mixed(said) + (1.0 - follows) * even)

    @cached_property
    def _clear(self) -> Judged:
        return self.judged.clear

    @cached_property
    def _models(self) -> list[Model | Ideal]:
        root = float(np.sqrt(self._clear.a.shape[1]))
        smooth = [
            Model(self._clear, length * root, deviation, SIDE) for length in LENGTH_SCALES for deviation in CLEARNESS
        ]
        return [*smooth, Ideal(self._clear)]

    @cached_property
    def _evidence(self) -> Array:
        """The log evidence of each model, with its prior weight."""
        evidence = np.array([model.evidence for model in self._models])
        weights = np.full(len(evidence), 0.5 / (len(evidence) - 1))
        weights[-1] = 0.5
        return np.asarray(evidence + np.log(weights))

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
        mean, variance = self._differences(x, y[None])
        return float(ndtr(mean[0] / np.sqrt(variance[0])))

    def foretold(self, x: Array, others: Array) -> Array:
        """The probability of the answer that x is better than each of the others."""
        mean, variance = self._differences(x, others)
        return np.asarray(ndtr(mean / np.sqrt(1.0 + variance)))

    def _differences(self, x: Array, others: Array) -> tuple[Array, Array]:
        """Means and variances of f(x) - f(y), for each row y of `others`."""
        a, b = self.judged.a, self.judged.b
        cross = self._k(x[None], a) - self._k(x[None], b) - self._k(others, a) + self._k(others, b)
        own = 2.0 * (self.deviation**2 - self._k(x[None], others)[0])
        mean, left, right = self._learnt(cross)
        return mean, np.maximum(own - np.einsum("ij,ji->i", left, right), 1e-12)

    def _learnt(self, cross: Array) -> tuple[Array, Array, Array]:
        """What the answers say about variables with these covariances to their differences: the means, and two factors
        whose product the variances fall by."""
        # Sites with precision t and shift n: mean = cross (K + 1/t)^-1 n/t, without dividing by t.
        root = np.sqrt(self._precision)
        B = np.eye(len(root)) + root[:, None] * self._prior * root
        solved = np.linalg.solve(B, root[:, None] * np.column_stack([self._prior @ self._shift, cross.T]))
        return np.asarray(cross @ (self._shift - root * solved[:, 0])), cross * root, solved[:, 1:]

    def best_of(self, points: Array) -> Array:
        """How often each point is the best of them in draws of f."""
        mean, left, right = self._learnt(self._k(points, self.judged.a) - self._k(points, self.judged.b))
        covariance = self._k(points, points) - left @ right
        lower = np.linalg.cholesky(covariance + 1e-6 * self.deviation**2 * np.eye(len(points)))
        drawn = mean + np.random.default_rng(0).standard_normal((400, len(points))) @ lower.T
        return np.asarray(np.bincount(drawn.argmax(axis=1), minlength=len(points)) / len(drawn))

    def _k(self, x: Array, y: Array) -> Array:
        d = _apart(x, y, self.judged.categorical)
        covariance: Array = self.deviation**2 * np.exp(-0.5 * np.square(d).sum(axis=2) / self.length**2)
        return covariance


class Ideal:
    """Another explanation: f falls with the distance from an ideal point, in a metric of the rater's own.

    Ideal points, metrics, scales, inclinations to a side and rates of inattention are drawn once for all raters; each
    draw is weighted by how probable the answers are with it.
    """

    def __init__(self, judged: Judged) -> None:
        self.categorical = judged.categorical
        rng = np.random.default_rng(0)
        d = judged.a.shape[1]
        self._c = rng.beta(0.8, 0.8, (IDEALS, d))
        metric = np.exp(rng.normal(0.0, 0.6, (IDEALS, d)))
        self._metric = metric / metric.mean(axis=1, keepdims=True)
        self._power = rng.choice([1.0, 2.0], IDEALS)
        self._scale = np.exp(rng.uniform(np.log(1.5), np.log(25.0), IDEALS))
        inclination = np.where(rng.random(IDEALS) < 0.5, rng.normal(0.0, 2.0 * SIDE, IDEALS), 0.0)
        self._inattention = rng.choice([0.0, 0.05, 0.2], IDEALS)[:, None]
        sides = np.where(judged.left, 1.0, -1.0)
        g = self._f(judged.a) - self._f(judged.b) + inclination[:, None] * sides
        likely = self._inattention / 2.0 + (1.0 - self._inattention) * expit(g * judged.answers)
        log = np.log(likely).sum(axis=1)
        self.evidence = float(logsumexp(log) - np.log(IDEALS))
        self._weights = np.exp(log - logsumexp(log))

    def better(self, x: Array, y: Array) -> float:
        """The probability that f(x) > f(y)."""
        f = self._f(np.stack([x, y]))
        return float(self._weights @ np.where(f[:, 0] == f[:, 1], 0.5, f[:, 0] > f[:, 1]))

    def foretold(self, x: Array, others: Array) -> Array:
        """The probability of the answer that x is better than each of the others."""
        g = self._f(x[None]) - self._f(others)
        likely = self._inattention / 2.0 + (1.0 - self._inattention) * expit(g)
        return np.asarray(self._weights @ likely)

    def best_of(self, points: Array) -> Array:
        """The probability of each point that it is the best of them."""
        return np.asarray(np.bincount(self._f(points).argmax(axis=1), self._weights, len(points)))

    def _f(self, x: Array) -> Array:
        """f of each draw (rows) at each point (columns)."""
        ordered = ~np.array(self.categorical or [False] * x.shape[1])
        m, c, x_ = self._metric[:, ordered], self._c[:, ordered], x[:, ordered]
        squared = (m * c * c).sum(axis=1)[:, None] - 2.0 * (m * c) @ x_.T + m @ np.square(x_).T
        if not ordered.all():
            apart = _apart(self._c[:, ~ordered], x[:, ~ordered], (True,) * int((~ordered).sum()))
            squared = squared + np.einsum("id,ijd->ij", self._metric[:, ~ordered], apart * apart)
        squared = np.maximum(squared, 0.0) / (0.45**2 * x.shape[1])
        return np.asarray(-self._scale[:, None] * np.where(self._power[:, None] == 2.0, squared, np.sqrt(squared)))


def _apart(x: Array, y: Array, categorical: tuple[bool, ...]) -> Array:
    """How far rows of x and rows of y are apart in each coordinate; different categories by half of the range."""
    d = np.abs(x[:, None, :] - y[None, :, :])
    if any(categorical):
        d = np.where(np.array(categorical), 0.5 * (d > 1e-9), d)
    return np.asarray(d)


def _propagate(prior: Array, y: Array) -> tuple[float, Array, Array]:
    """Expectation propagation for y = sign(g + standard noise), g normal with this covariance: the log evidence, and
    the precisions and shifts of the sites. All sites move at once, half of the way."""
    n = len(y)
    t, s = np.zeros(n), np.zeros(n)
    for _ in range(SWEEPS):
        root = np.sqrt(t)
        B = np.eye(n) + root[:, None] * prior * root
        L = cholesky(B, lower=True, check_finite=False)
        V = solve_triangular(L, root[:, None] * prior, lower=True, check_finite=False)
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
        step = max(float(np.abs(moved_t - t).max(initial=0.0)), float(np.abs(moved_s - s).max(initial=0.0)))
        if step < CLOSE_ENOUGH:
            break
        t, s = t + 0.7 * (moved_t - t), s + 0.7 * (moved_s - s)
    return _log_evidence(L, V, t, s, prior, m, v, log_z), t, s


def _log_evidence(L: Array, V: Array, t: Array, s: Array, prior: Array, m: Array, v: Array, log_z: Array) -> float:
    """Rasmussen and Williams (2006), equation 3.65, in a form that divides by no site's precision."""
    posterior_s = prior @ s - V.T @ (V @ s)
    quadratic = 0.5 * float(s @ posterior_s)
    sites = 0.5 * float(np.sum(np.log1p(t * v)))
    cavity = 0.5 * float(np.sum((m * m * t - 2.0 * m * s - s * s * v) / (1.0 + t * v)))
    return float(log_z.sum()) + sites - float(np.log(np.diag(L)).sum()) + quadratic + cavity
