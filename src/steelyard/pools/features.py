"""Strengths about candidates that are described by numbers: those who resemble each other are liked alike.

The model is that of `preference-gp`: a Gaussian process over the features, with its hyper-parameters learnt.
"""

import numpy as np
from numpy.typing import NDArray

from steelyard.algorithms.preference_gp.answers import no_answers
from steelyard.algorithms.preference_gp.coordinates import Coordinates
from steelyard.algorithms.preference_gp.particles import AnswerFit, first_particles, update
from steelyard.algorithms.preference_gp.posterior import Posterior
from steelyard.pools.bradley_terry import LOGISTIC, Strengths
from steelyard.typing import Array

PARTICLES, MOVES = 6, 2


def fit_features(
    x: Array, i: NDArray[np.intp], j: NDArray[np.intp], answers: NDArray[np.int8], raters: tuple[str, ...], seed: int
) -> Strengths:
    """The beliefs about rows of x (N, d) after answers about rows i against rows j."""
    low, width = x.min(axis=0), np.ptp(x, axis=0)
    unit = np.where(width > 0.0, (x - low) / np.where(width > 0.0, width, 1.0), 0.5)
    coordinates = Coordinates(x.shape[1])
    rng = np.random.default_rng(seed)
    answered = no_answers(x.shape[1])
    particles = first_particles(coordinates, PARTICLES, rng)
    if len(answers):
        answered = answered.add(unit[i], unit[j], answers, raters)
    evidence = AnswerFit(answered, coordinates)
    count = 1
    while count < len(answered):
        particles, _ = update(particles, AnswerFit(answered.first(count), coordinates), PARTICLES, MOVES, rng)
        count *= 2
    particles, fits = update(particles, evidence, PARTICLES, MOVES if len(answered) else 0, rng)
    posterior = Posterior(
        evidence.prior.unpack(particles.thetas), evidence.points, fits, evidence.share(particles.thetas)
    )
    joint = posterior.joint(coordinates.features(unit), np.zeros(PARTICLES))
    covariance = joint.covariance(np.arange(len(x)))
    return Strengths(LOGISTIC * joint.mean, LOGISTIC**2 * covariance, np.full(PARTICLES, 1.0 / PARTICLES))
