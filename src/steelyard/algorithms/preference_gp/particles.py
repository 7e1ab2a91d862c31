"""The hyper-parameters, as a few particles that follow their posterior: a sequential Monte Carlo.

Each new answer is first weighed: particles that foresaw it are copied, those that did not die out. Then each moves by
differential-evolution MCMC (ter Braak 2006), along differences between the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steelyard.algorithms.preference_gp.columns import Columns
from steelyard.algorithms.preference_gp.laplace import Answers, Fit, laplace
from steelyard.algorithms.preference_gp.model import Prior
from steelyard.algorithms.preference_gp.told import Told
from steelyard.typing import Array


@dataclass(frozen=True, eq=False)
class Particles:
    """Row p: hyper-parameters `thetas[p]`, their log evidence, and `modes[p]`, where their Laplace fit starts."""

    prior: Prior
    thetas: Array
    modes: Array
    log_evidence: Array


class Evidence:
    """The Laplace approximation of the same answers for any hyper-parameters; what they share is worked out once."""

    def __init__(self, told: Told, columns: Columns) -> None:
        self.told = told
        self.prior = Prior(columns, max(len(told.raters), 1))
        self.points = columns.features(told.points)
        self._ties = bool(told.tie.any())

    def fit(self, theta: Array, start: Array) -> Fit:
        K, mean, answers = self.differences(theta)
        return laplace(K, mean, answers, start)

    def differences(self, theta: Array) -> tuple[Array, Array, Answers]:
        """Prior covariance and mean of the differences better - worse, and the answers' likelihood."""
        m = len(self.told)
        hyper = self.prior.unpack(theta[None])
        k = hyper.kernel(self.points, self.points)[0]
        rows = k[:m] - k[m:]
        mean = hyper.mean(self.points)[0]
        # Until somebody has said "can't tell" once, there is no zone of ties.
        tau = float(hyper.tau[0]) if self._ties else 0.0
        sigma = hyper.noise[0][self.told.rater] if self.prior.noises else np.ones(m)
        return rows[:, :m] - rows[:, m:], mean[:m] - mean[m:], Answers(self.told.tie, tau, sigma)


def first_particles(columns: Columns, size: int, rng: np.random.Generator) -> Particles:
    prior = Prior(columns)
    thetas = prior.median + 0.7 * prior.spread * rng.standard_normal((size, prior.median.size))
    return Particles(prior, thetas, np.empty((size, 0)), np.zeros(size))


def update(
    particles: Particles, evidence: Evidence, size: int, sweeps: int, rng: np.random.Generator
) -> tuple[Particles, list[Fit]]:
    """`size` particles after new answers: `sweeps` proposals each, accepted by evidence and prior (Metropolis)."""
    prior, told = evidence.prior, evidence.told
    thetas = _grown(particles.thetas, prior, rng)
    fits = [evidence.fit(t, start) for t, start in zip(thetas, _starts(particles.modes, told), strict=True)]
    foresaw = np.array([fit.log_evidence for fit in fits]) - particles.log_evidence
    survivors = _systematic(np.exp(foresaw - foresaw.max()), size, rng)
    thetas, fits = thetas[survivors], [fits[i] for i in survivors]
    log_p = [fit.log_evidence + prior.log_density(t) for fit, t in zip(fits, thetas, strict=True)]
    dim = thetas.shape[1]
    for _ in range(sweeps):
        for i in range(size):
            j, k = rng.choice(size - 1, 2, replace=False)
            j, k = j + (j >= i), k + (k >= i)
            gamma = 2.38 / np.sqrt(2 * dim) * rng.choice([0.5, 1.0, 1.0])
            noise = 0.1 * prior.spread * rng.standard_normal(dim)
            theta = thetas[i] + gamma * (thetas[j] - thetas[k]) + noise
            fit = evidence.fit(theta, fits[i].z)
            new = fit.log_evidence + prior.log_density(theta)
            if np.log(rng.random()) < new - log_p[i]:
                thetas[i], fits[i], log_p[i] = theta, fit, new
    log_evidence = np.array([fit.log_evidence for fit in fits])
    return Particles(prior, thetas, np.array([fit.z for fit in fits]), log_evidence), fits


def _systematic(weights: Array, size: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """`size` indices in proportion to their weights, with as little chance as possible: equal ones keep everyone."""
    edges = np.cumsum(weights) / weights.sum()
    return np.minimum(np.searchsorted(edges, (rng.random() + np.arange(size)) / size), len(weights) - 1)


def _grown(thetas: Array, prior: Prior, rng: np.random.Generator) -> Array:
    """Room for the noise of raters who were not heard before, drawn from the prior."""
    missing = prior.median.size - thetas.shape[1]
    if missing == 0:
        return thetas.copy()
    drawn = prior.median + prior.spread * rng.standard_normal((len(thetas), prior.median.size))
    return np.concatenate([thetas, drawn[:, -missing:]], axis=1)


def _starts(modes: Array, told: Told) -> Array:
    """Where Newton's method starts: at the last mode, with a mild win (or a tie) for each new answer."""
    old = modes[:, max(modes.shape[1] - len(told), 0) :]  # unless the oldest answers were forgotten
    new = np.where(told.tie[old.shape[1] :], 0.0, 0.5)
    return np.concatenate([old, np.tile(new, (len(modes), 1))], axis=1)
