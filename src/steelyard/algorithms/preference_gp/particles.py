"""The hyper-parameters, as a few particles that follow their posterior: a sequential Monte Carlo.

Each new answer is first weighed: particles that foresaw it are copied, those that did not die out. Then each moves by
differential-evolution MCMC (ter Braak 2006), one half of them at a time, along differences between the other half.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from steelyard.algorithms.preference_gp import model
from steelyard.algorithms.preference_gp.answers import AnswerLog
from steelyard.algorithms.preference_gp.coordinates import Coordinates
from steelyard.algorithms.preference_gp.model import Prior
from steelyard.algorithms.preference_gp.propagation import Fits, Outcomes, propagate
from steelyard.typing import Array

WALKS = 0.4
"""The part of proposals that move one or two hyper-parameters alone."""


@dataclass(frozen=True, eq=False)
class Particles:
    """Row p: hyper-parameters `thetas[p]`, their log evidence, and the sites of their fit. `log_marginal` is the log
    evidence of the model as a whole, its hyper-parameters integrated out, as estimated by what the particles foresaw.
    """

    prior: Prior
    thetas: Array
    sites: Array
    log_evidence: Array
    log_marginal: float = 0.0


class AnswerFit:
    """The belief given the same answers for any hyper-parameters; what they share is worked out once."""

    def __init__(self, answered: AnswerLog, coordinates: Coordinates) -> None:
        self.answered = answered
        self.prior = Prior(coordinates, max(len(answered.raters), 1))
        self.points = coordinates.features(answered.points)
        self._ties = bool(answered.tie.any())
        self._shared_noise = answered.shared_noise

    def fit(self, thetas: Array, starts: Array) -> Fits:
        """The fits of several hyper-parameters, one per row of `thetas`, from the sites `starts`."""
        K, mean, answers = self.differences(thetas)
        return propagate(K, mean, answers, starts)

    def by_chance(self) -> float:
        """The log evidence if people liked everything equally, with ties as often as they were."""
        m = len(self.answered)
        tied = (np.count_nonzero(self.answered.tie) + 0.5) / (m + 1.0) if self._ties else 0.0
        noise = self._shared_noise if self._shared_noise is not None else np.zeros((m, m))
        tau = np.array([[ndtri(0.5 * (1.0 + tied))]])
        answers = Outcomes(self.answered.tie, tau, np.where(noise.diagonal() > 0.0, 0.0, 1.0)[None], model.LAPSES)
        return float(propagate(noise[None], np.zeros((1, m)), answers, np.zeros((1, m, 2))).log_evidence[0])

    def differences(self, thetas: Array) -> tuple[Array, Array, Outcomes]:
        """Prior covariances and means of the differences better - worse, and the answers' likelihood."""
        P, m = len(thetas), len(self.answered)
        hyper = self.prior.unpack(thetas)
        better, worse = self.points[:m], self.points[m:]
        across = hyper.kernel(better, worse)
        K = hyper.kernel(better, better) + hyper.kernel(worse, worse) - across - across.swapaxes(1, 2)
        mean = hyper.mean(better) - hyper.mean(worse)
        # Until somebody has said "can't tell" once, there is no zone of ties.
        tau = hyper.tau if self._ties else np.zeros(P)
        sigma = hyper.noise[:, self.answered.rater] if self.prior.noises else np.ones((P, m))
        if self._shared_noise is not None:  # part of what differs, rather than of the likelihood, which is then exact
            K += sigma[:, :, None] * self._shared_noise * sigma[:, None]
            sigma = np.where(self._shared_noise.diagonal() > 0.0, 0.0, sigma)
        return K, mean, Outcomes(self.answered.tie, tau[:, None], sigma, model.LAPSES)


def first_particles(coordinates: Coordinates, size: int, rng: np.random.Generator) -> Particles:
    prior = Prior(coordinates)
    thetas = prior.median + 0.7 * prior.spread * rng.standard_normal((size, prior.median.size))
    return Particles(prior, thetas, np.empty((size, 0, 2)), np.zeros(size))


def update(
    particles: Particles, evidence: AnswerFit, size: int, sweeps: int, rng: np.random.Generator
) -> tuple[Particles, Fits]:
    """`size` particles after new answers: `sweeps` proposals each, accepted by evidence and prior (Metropolis)."""
    prior, answered = evidence.prior, evidence.answered
    thetas = _grown(particles.thetas, prior, rng)
    fits = evidence.fit(thetas, _starts(particles.sites, answered))
    foresaw = fits.log_evidence - particles.log_evidence
    weights = np.exp(foresaw - foresaw.max())
    log_marginal = particles.log_marginal + float(foresaw.max() + np.log(weights.mean()))
    survivors = _systematic(weights, size, rng)
    thetas, fits = thetas[survivors], fits[survivors]
    halves = np.arange(size)[: size // 2], np.arange(size)[size // 2 :]
    for _ in range(sweeps):
        for moving, others in (halves, halves[::-1]):
            proposed = thetas[moving] + _leaps(thetas[others], len(moving), prior, rng)
            new = evidence.fit(proposed, fits.sites[moving])
            gain = new.log_evidence - fits.log_evidence[moving]
            gain = gain + prior.log_density(proposed) - prior.log_density(thetas[moving])
            accepted = np.flatnonzero(np.log(rng.random(len(moving))) < gain)
            thetas[moving[accepted]] = proposed[accepted]
            fits = fits.replaced(moving[accepted], new[accepted])
    return Particles(prior, thetas, fits.sites, fits.log_evidence, log_marginal), fits


def _leaps(others: Array, count: int, prior: Prior, rng: np.random.Generator) -> Array:
    """`count` steps: along differences between two of the `others`, with a little in any direction; or, as a few
    particles differ in few directions only, of one or two hyper-parameters alone."""
    dim = others.shape[1]
    pairs = np.array([rng.choice(len(others), 2, replace=False) for _ in range(count)])
    gamma = 2.38 / np.sqrt(2 * dim) * rng.choice([0.5, 1.0, 1.0], (count, 1))
    noise = 0.1 * prior.spread * rng.standard_normal((count, dim))
    leaps = gamma * (others[pairs[:, 0]] - others[pairs[:, 1]]) + noise
    few = np.stack([rng.choice(dim, 2) for _ in range(count)])
    walk = np.zeros((count, dim))
    np.put_along_axis(walk, few, prior.spread[few] * rng.standard_normal((count, 2)), axis=1)
    return np.where(rng.random((count, 1)) < WALKS, walk, leaps)


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


def _starts(sites: Array, answered: AnswerLog) -> Array:
    """Where the fit starts: at the last sites, with a flat one for each new answer."""
    old = sites[:, max(sites.shape[1] - len(answered), 0) :]  # unless the oldest answers were forgotten
    return np.concatenate([old, np.zeros((len(sites), len(answered) - old.shape[1], 2))], axis=1)
