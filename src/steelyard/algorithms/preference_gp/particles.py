"""The hyper-parameters, as a few particles that follow their posterior: a sequential Monte Carlo.

Each new answer is first weighed: particles that foresaw it are copied, those that did not die out. Then each moves by
differential-evolution MCMC (ter Braak 2006), one half of them at a time, along differences between the other half.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from steelyard.algorithms.preference_gp import model
from steelyard.algorithms.preference_gp.answers import AnswerLog
from steelyard.algorithms.preference_gp.context import ALL_THE_SAME, BIAS, Context, shown_first
from steelyard.algorithms.preference_gp.coordinates import Coordinates
from steelyard.algorithms.preference_gp.likelihood import log_likelihood
from steelyard.algorithms.preference_gp.model import Prior
from steelyard.algorithms.preference_gp.propagation import CLOSE, NEARLY, Fits, Outcomes, propagate
from steelyard.typing import Array

NOISE_STEP = 0.3
NOISES = np.exp(np.arange(-2.1, 3.01, NOISE_STEP))
"""The noise levels that a rater may turn out to have: .12 to 20 times that of a typical one."""
RATERS_AT_ONCE = 3
FIRST_SPREAD = 0.7
"""The first particles are drawn with this part of the prior's spread."""
LEAP, LEAPS = 2.38, np.array([0.5, 1.0, 1.0])
"""Steps along differences: LEAP over the square root of twice the dimension (ter Braak 2006), times one of LEAPS."""
SHAKE = 0.1
"""What is added to them in any direction, in deviations of the prior."""
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

    def __init__(self, answered: AnswerLog, coordinates: Coordinates, context: Context = ALL_THE_SAME) -> None:
        self.answered = answered
        self.context = context
        self.prior = Prior(coordinates, max(len(answered.raters), 1), context)
        self.points = coordinates.features(answered.points)
        self._ties = bool(answered.tie.any())
        self._shared_noise = answered.shared_noise

    def fit(self, thetas: Array, starts: Array, close: float = CLOSE) -> Fits:
        """The fits of several hyper-parameters, one per row of `thetas`, from the sites `starts`."""
        K, mean, answers = self.differences(thetas)
        return propagate(K, mean, answers, starts, close)

    def noise_variance(self, thetas: Array) -> Array:
        """The part of the variance of each difference that is noise of a choice: (P, m)."""
        if self._shared_noise is None:
            return np.zeros((len(thetas), len(self.answered)))
        sigma = self.prior.unpack(thetas).noise[:, self.answered.rater]
        return np.asarray(np.square(sigma) * self._shared_noise.diagonal())

    def share(self, thetas: Array) -> Array:
        """To what extent each answer is about what the person asked now likes: (P, m)."""
        if not self.context.differs:
            return np.ones((len(thetas), len(self.answered)))
        return self.prior.setting(thetas).alike(self.context, self.answered)[1]

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
        m = len(self.answered)
        hyper = self.prior.unpack(thetas)
        better, worse = self.points[:m], self.points[m:]
        across = hyper.kernel(better, worse)
        K = hyper.kernel(better, better) + hyper.kernel(worse, worse) - across - across.swapaxes(1, 2)
        mean = hyper.mean(better) - hyper.mean(worse)
        if self.context.differs:
            K *= self.prior.setting(thetas).alike(self.context, self.answered)[0]
        if self.context.bias:
            sign = shown_first(self.answered)
            K += BIAS**2 * np.outer(sign, sign)
        # Until somebody has said "can't tell" once, there is no zone of ties.
        tau = hyper.tau if self._ties else np.zeros(len(thetas))
        sigma = hyper.noise[:, self.answered.rater]
        if self._shared_noise is not None:  # part of what differs, rather than of the likelihood, which is then exact
            K += sigma[:, :, None] * self._shared_noise * sigma[:, None]
            sigma = np.where(self._shared_noise.diagonal() > 0.0, 0.0, sigma)
        return K, mean, Outcomes(self.answered.tie, tau[:, None], sigma, model.LAPSES)


def first_particles(
    coordinates: Coordinates, size: int, rng: np.random.Generator, context: Context = ALL_THE_SAME
) -> Particles:
    prior = Prior(coordinates, context=context)
    thetas = prior.median + FIRST_SPREAD * prior.spread * rng.standard_normal((size, prior.median.size))
    return Particles(prior, thetas, np.empty((size, 0, 2)), np.zeros(size))


def update(
    particles: Particles, evidence: AnswerFit, size: int, moves: int, rng: np.random.Generator
) -> tuple[Particles, Fits]:
    """`size` particles after new answers, then `moves` times a proposal for each of one half of them, in turn, accepted
    by evidence and prior (Metropolis)."""
    prior, answered = evidence.prior, evidence.answered
    thetas = _grown(particles.thetas, prior, rng)
    fits = evidence.fit(thetas, _starts(particles.sites, answered))
    foresaw = fits.log_evidence - particles.log_evidence
    weights = np.exp(foresaw - foresaw.max())
    log_marginal = particles.log_marginal + float(foresaw.max() + np.log(weights.mean()))
    survivors = _systematic(weights, size, rng)
    thetas, fits = thetas[survivors], fits[survivors]
    halves = np.arange(size)[: size // 2], np.arange(size)[size // 2 :]
    for move in range(moves):
        moving, others = halves if (move + len(answered)) % 2 else halves[::-1]
        proposed = thetas[moving] + _leaps(thetas[others], len(moving), prior, rng)
        new = evidence.fit(proposed, fits.sites[moving], NEARLY)
        gain = new.log_evidence - fits.log_evidence[moving]
        gain = gain + prior.log_density(proposed) - prior.log_density(thetas[moving])
        accepted = np.flatnonzero(np.log(rng.random(len(moving))) < gain)
        thetas[moving[accepted]] = proposed[accepted]
        fits = fits.replaced(moving[accepted], new[accepted])
    if prior.noises and moves:
        thetas, fits = _rated(thetas, fits, evidence, rng)
    return Particles(prior, thetas, fits.sites, fits.log_evidence, log_marginal), fits


def _leaps(others: Array, count: int, prior: Prior, rng: np.random.Generator) -> Array:
    """`count` steps: along differences between two of the `others`, with a little in any direction; or, as a few
    particles differ in few directions only, of one or two hyper-parameters alone."""
    dim = others.shape[1]
    pairs = np.array([rng.choice(len(others), 2, replace=False) for _ in range(count)])
    gamma = LEAP / np.sqrt(2 * dim) * rng.choice(LEAPS, (count, 1))
    noise = SHAKE * prior.spread * rng.standard_normal((count, dim))
    leaps = gamma * (others[pairs[:, 0]] - others[pairs[:, 1]]) + noise
    few = np.stack([rng.choice(dim, 2) for _ in range(count)])
    walk = np.zeros((count, dim))
    np.put_along_axis(walk, few, prior.spread[few] * rng.standard_normal((count, 2)), axis=1)
    leaps = np.where(rng.random((count, 1)) < WALKS, walk, leaps)
    if prior.noises:
        leaps[:, prior.common :: prior.per_rater] = 0.0  # raters' noise has moves of its own
    return leaps


def _rated(thetas: Array, fits: Fits, evidence: AnswerFit, rng: np.random.Generator) -> tuple[Array, Fits]:
    """With the noise of some raters drawn anew, by what their answers say given everybody else's, and accepted by
    evidence and prior (Metropolis and Hastings)."""
    prior, rows = evidence.prior, np.arange(len(thetas))
    chance = noise_chances(fits, evidence, thetas)
    proposed, odds = thetas.copy(), np.zeros(len(thetas))
    for rater in rng.choice(prior.noises, min(RATERS_AT_ONCE, prior.noises), replace=False):
        column = prior.common + rater * prior.per_rater
        edges = chance[:, rater].cumsum(axis=1)
        drawn = (rng.random((len(thetas), 1)) > edges).sum(axis=1).clip(0, len(NOISES) - 1)
        now = np.abs(thetas[:, column, None] - np.log(NOISES)).argmin(axis=1)
        proposed[:, column] = np.log(NOISES)[drawn] + rng.uniform(-0.5, 0.5, len(thetas)) * NOISE_STEP
        odds += np.log(chance[rows, rater, now]) - np.log(chance[rows, rater, drawn])
    new = evidence.fit(proposed, fits.sites, NEARLY)
    gain = new.log_evidence - fits.log_evidence + prior.log_density(proposed) - prior.log_density(thetas) + odds
    accepted = np.flatnonzero(np.log(rng.random(len(thetas))) < gain)
    thetas = thetas.copy()
    thetas[accepted] = proposed[accepted]
    return thetas, fits.replaced(accepted, new[accepted])


def noise_chances(fits: Fits, evidence: AnswerFit, thetas: Array) -> Array:
    """How likely each of `NOISES` is for each rater, by how well the other answers foresee his: (P, raters, NOISES)."""
    prior, answered = evidence.prior, evidence.answered
    centre, variance = fits.cavity[:, :, 0], fits.cavity[:, :, 1]
    tau = prior.unpack(thetas).tau if answered.tie.any() else np.zeros(len(thetas))
    shared = evidence.noise_variance(thetas)
    log_p = np.zeros((len(thetas), prior.noises, len(NOISES)))
    log_p -= 0.5 * np.square((np.log(NOISES) - np.log(model.NOISE[0])) / model.NOISE[1])
    for k, noise in enumerate(NOISES):
        # Noise that is part of the variance of a choice is exchanged for this one.
        spread = np.sqrt(np.maximum(variance - shared, 1e-12) + noise**2)
        told = log_likelihood(centre, answered.tie, tau[:, None], spread, model.LAPSES).log_p
        for rater in range(prior.noises):
            log_p[:, rater, k] += told[:, answered.rater == rater].sum(axis=1)
    chance = np.exp(log_p - log_p.max(axis=2, keepdims=True)) + 1e-9
    return np.asarray(chance / chance.sum(axis=2, keepdims=True))


def noise_of(fits: Fits, evidence: AnswerFit, thetas: Array) -> Array:
    """The noise of each rater, in the geometric mean over what is believed: (raters,)."""
    if not evidence.prior.noises:
        return np.ones(1)
    chance = noise_chances(fits, evidence, thetas).mean(axis=0)
    return np.asarray(np.exp(chance @ np.log(NOISES)))


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
