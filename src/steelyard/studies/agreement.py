"""Do raters agree? Each rater's answers as a Bradley-Terry model whose strengths depend on the parameters.

Raters in runs of their own hardly ever see the same pair, so strengths of single candidates cannot be compared. The
model instead says P(a better than b) = 1 / (1 + exp(-(u(a) - u(b)))) with a quadratic u, fitted with a normal prior;
agreement is how many of one rater's clear answers another's model foretells. 50 % is chance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from steelyard.typing import Array

FEWEST = 5
"""Clear answers below which a rater is not judged."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Answered pairs in the unit box: rows of a against rows of b; answers +1, -1, 0 as everywhere."""

    a: Array
    b: Array
    answers: Array

    @property
    def clear(self) -> int:
        return int(np.count_nonzero(self.answers))


def bradley_terry(pairs: Pairs, prior: float = 2.0) -> Array:
    """The most probable weights of u over `features`, given the answers; a tie counts half for either side."""
    return bradley_terry_of(features(pairs.a) - features(pairs.b), pairs.answers, np.ones(len(pairs.answers)), prior)


def bradley_terry_of(d: Array, answers: Array, weights: Array, prior: float = 2.0) -> Array:
    """The same for differences of features, with a weight for each answer."""
    wins = (answers + 1.0) / 2.0
    w = np.zeros(d.shape[1])
    for _ in range(50):  # Newton's method; the posterior is log-concave
        p = expit(d @ w)
        gradient = d.T @ (weights * (wins - p)) - w / prior**2
        curvature = (d.T * (weights * p * (1.0 - p))) @ d + np.eye(w.size) / prior**2
        step = np.linalg.solve(curvature, gradient)
        w = w + step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-8:
            break
    return w


def features(x: Array) -> Array:
    """Linear, square and mixed terms of points centred on the middle of the box."""
    t = 2.0 * x - 1.0
    i, j = np.triu_indices(t.shape[1])
    return np.hstack([t, t[:, i] * t[:, j]])


def agreement(model: Array, pairs: Pairs) -> float | None:
    """The share of clear answers that the model foretells; None if they are too few."""
    if pairs.clear < FEWEST:
        return None
    clear = pairs.answers != 0
    u = (features(pairs.a[clear]) - features(pairs.b[clear])) @ model
    return float(np.mean(np.where(u == 0.0, 0.5, np.sign(u) == pairs.answers[clear])))


def agreement_table(raters: list[Pairs]) -> list[list[float | None]]:
    """Row i, column j: how many of rater j's answers rater i's model foretells."""
    models = [bradley_terry(pairs) if pairs.clear >= FEWEST else None for pairs in raters]
    return [[None if model is None else agreement(model, pairs) for pairs in raters] for model in models]


def pooled(raters: list[Pairs]) -> Pairs:
    return Pairs(*(np.concatenate([getattr(r, name) for r in raters]) for name in ("a", "b", "answers")))


def favourite(model: Array, n: int) -> Array:
    """The point of the unit box with the highest u."""
    from scipy.optimize import minimize  # slow to import, and a server should start at once

    tries = np.random.default_rng(0).random((256, n))
    start = tries[np.argmax(features(tries) @ model)]

    def badness(x: Array) -> float:
        return -float((features(x[None]) @ model)[0])

    found = minimize(badness, start, bounds=[(0.0, 1.0)] * n)
    return np.clip(found.x, 0.0, 1.0)
