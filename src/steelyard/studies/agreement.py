"""Do raters agree? Each rater's answers as a Bradley-Terry model whose strengths depend on the parameters.

Raters in runs of their own hardly ever see the same pair, so strengths of single candidates cannot be compared. The
model instead says P(a better than b) = 1 / (1 + exp(-(u(a) - u(b)))) with a quadratic u, fitted with a normal prior;
agreement is how many of one rater's clear answers another's model predicts. 50 % is chance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from steelyard.space import Space
from steelyard.typing import Array

FEWEST_JUDGED = 5
"""Clear answers below which a rater is not judged."""
PRIOR = 2.0
"""The standard deviation of each weight of u before anything is answered."""


@dataclass(frozen=True)
class Features:
    """What u is made of: linear, square and mixed terms of points centred on the middle of the box. Categories have no
    order: a coordinate with `levels` has a term for each of them instead."""

    levels: tuple[tuple[float, ...], ...] = ()

    @staticmethod
    def of(space: Space) -> Features:
        levels = tuple(parameter.levels if parameter.categorical else () for parameter in space.parameters)
        return Features(levels if any(levels) else ())

    def __call__(self, x: Array) -> Array:
        ordered = [k for k in range(x.shape[1]) if not (self.levels and self.levels[k])]
        t = 2.0 * x[:, ordered] - 1.0
        i, j = np.triu_indices(t.shape[1])
        terms = [t, t[:, i] * t[:, j]]
        for k, levels in enumerate(self.levels):
            if levels:
                terms.append((np.abs(x[:, [k]] - np.array(levels)) < 1e-9).astype(float))
        return np.hstack(terms)


NO_FEATURES = Features()


@dataclass(frozen=True, eq=False)
class Pairs:
    """Answered pairs in the unit box: rows of a against rows of b; answers +1, -1, 0 as everywhere."""

    a: Array
    b: Array
    answers: Array
    features: Features = NO_FEATURES

    @property
    def differences(self) -> Array:
        """Of the features of the two."""
        return np.asarray(self.features(self.a) - self.features(self.b))

    @property
    def clear(self) -> int:
        return int(np.count_nonzero(self.answers))


def bradley_terry(pairs: Pairs) -> Array:
    """The most probable weights of u over the features, given the answers; a tie counts half for either side."""
    return bradley_terry_of(pairs.differences, pairs.answers, np.ones(len(pairs.answers)))


def bradley_terry_of(d: Array, answers: Array, weights: Array) -> Array:
    """The same for differences of features, with a weight for each answer."""
    wins = (answers + 1.0) / 2.0
    w = np.zeros(d.shape[1])
    for _ in range(50):  # Newton's method; the posterior is log-concave
        p = expit(d @ w)
        gradient = d.T @ (weights * (wins - p)) - w / PRIOR**2
        curvature = (d.T * (weights * p * (1.0 - p))) @ d + np.eye(w.size) / PRIOR**2
        step = np.linalg.solve(curvature, gradient)
        w = w + step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-8:
            break
    return w


def agreement(model: Array, pairs: Pairs) -> float | None:
    """The share of clear answers that the model predicts; None if they are too few."""
    if pairs.clear < FEWEST_JUDGED:
        return None
    clear = pairs.answers != 0
    u = pairs.differences[clear] @ model
    return float(np.mean(np.where(u == 0.0, 0.5, np.sign(u) == pairs.answers[clear])))


def agreement_table(raters: list[Pairs]) -> list[list[float | None]]:
    """Row i, column j: how many of rater j's answers rater i's model predicts."""
    models = [bradley_terry(pairs) if pairs.clear >= FEWEST_JUDGED else None for pairs in raters]
    return [[None if model is None else agreement(model, pairs) for pairs in raters] for model in models]


def pooled(raters: list[Pairs]) -> Pairs:
    a, b, answers = (np.concatenate([getattr(r, name) for r in raters]) for name in ("a", "b", "answers"))
    return Pairs(a, b, answers, raters[0].features)


def favourite(model: Array, n: int, features: Features = NO_FEATURES) -> Array:
    """The point of the unit box with the highest u; where there are categories, the best of many."""
    from scipy.optimize import minimize  # slow to import, and a server should start at once

    tries = np.random.default_rng(0).random((4096 if features.levels else 256, n))
    for k, levels in enumerate(features.levels):
        if levels:
            tries[:, k] = np.resize(levels, len(tries))
    start = tries[np.argmax(features(tries) @ model)]

    def badness(x: Array) -> float:
        return -float((features(x[None]) @ model)[0])

    if features.levels:
        return np.asarray(start)
    found = minimize(badness, start, bounds=[(0.0, 1.0)] * n)
    return np.clip(found.x, 0.0, 1.0)
