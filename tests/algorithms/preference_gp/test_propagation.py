from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import ndtr
from scipy.stats import multivariate_normal

from steelyard.algorithms.preference_gp.answers import no_answers
from steelyard.algorithms.preference_gp.context import Context
from steelyard.algorithms.preference_gp.coordinates import Coordinates
from steelyard.algorithms.preference_gp.model import Prior
from steelyard.algorithms.preference_gp.particles import AnswerFit
from steelyard.algorithms.preference_gp.propagation import Outcomes, propagate


def quadrature(K, mean, tau, ties, size=801):
    """AnswerFit and posterior mean of two differences, by a fine grid over 8 deviations."""
    L = np.linalg.cholesky(K)
    u = np.linspace(-8, 8, size)
    grid = np.stack(np.meshgrid(u, u, indexing="ij"), axis=-1)
    weight = np.exp(-0.5 * np.square(grid).sum(axis=-1)) / (2 * np.pi) * (u[1] - u[0]) ** 2
    z = mean + grid @ L.T
    win, tie = ndtr(z - tau), ndtr(tau - z) - ndtr(-tau - z)
    posterior = weight * np.where(ties, tie, win).prod(axis=-1)
    p = posterior[..., None] / posterior.sum()
    centre = (p * z).sum(axis=(0, 1))
    return posterior.sum(), centre, np.sqrt((p * np.square(z - centre)).sum(axis=(0, 1)))


def fitted(K, mean, answers):
    """The fit of a single particle."""
    fits = propagate(K[None], mean[None], answers, np.zeros((1, len(mean), 2)))
    return SimpleNamespace(**{name: value[0] for name, value in vars(fits).items()})


@pytest.mark.parametrize("ties", [(False, False), (False, True), (True, True)])
@pytest.mark.parametrize("scale", [0.5, 2.0, 20.0])
def test_close_to_exact_integration_on_two_answers(ties, scale):
    K = scale**2 * np.array([[1.0, 0.4], [0.4, 1.5]])
    mean = np.array([0.3, -0.8])
    fit = fitted(K, mean, Outcomes(np.array(ties), np.array([[0.4]]), np.ones((1, 2))))
    evidence, z, deviation = quadrature(K, mean, 0.4, np.array(ties))
    assert fit.log_evidence == pytest.approx(np.log(evidence), abs=2e-3)
    np.testing.assert_allclose(mean + K @ fit.alpha, z, atol=0.01 * deviation.max())
    approximate = np.sqrt(np.diag(K - K @ np.linalg.solve(K + np.diag(fit.root_w**-2.0), K)))
    np.testing.assert_allclose(approximate, deviation, rtol=0.01)


@pytest.mark.parametrize("amplitude", [1.0, 10.0, 100.0])
def test_evidence_of_wins_is_an_orthant_of_a_normal_distribution(amplitude):
    rng = np.random.default_rng(8)
    root = amplitude * rng.standard_normal((5, 5))
    K, mean, sigma = root @ root.T, rng.standard_normal(5), np.array([1.0, 0.5, 2.0, 1.0, 0.7])
    fit = fitted(K, mean, Outcomes(np.zeros(5, dtype=bool), np.array([[0.6]]), sigma[None]))
    # All z + noise are above the tie width: as likely as that all of its negative are below minus it.
    exact = multivariate_normal(-mean, K + np.diag(sigma**2), seed=0).logcdf(np.full(5, -0.6))
    assert fit.log_evidence == pytest.approx(exact, abs=0.05)


def test_after_one_win_the_mean_is_exact_where_laplace_stays_at_the_mode():
    fit = fitted(np.array([[100.0]]), np.zeros(1), Outcomes(np.array([False]), np.array([[0.0]]), np.ones((1, 1))))
    assert 100.0 * fit.alpha[0] == pytest.approx(100.0 / np.sqrt(101.0) * np.sqrt(2.0 / np.pi), rel=1e-3)  # 7.9
    mode = minimize_scalar(lambda z: z**2 / 200.0 - np.log(ndtr(z)), bounds=(0.0, 10.0), method="bounded").x
    assert mode == pytest.approx(2.4, abs=0.05)


def answered(m, n, rng, random_answers=False):
    x, y = rng.random((2, m, n))
    best = np.full(n, 0.3)
    signs = np.sign(np.linalg.norm(y - best, axis=1) - np.linalg.norm(x - best, axis=1)).astype(np.int8)
    if random_answers:
        signs = rng.integers(-1, 2, m).astype(np.int8)
    return no_answers(n).add(x, y, signs)


@pytest.mark.parametrize("amplitude", [0.1, 1.0, 30.0, 300.0, 1000.0])
@pytest.mark.parametrize("random_answers", [False, True])
def test_sites_agree_with_their_answers_at_every_amplitude(amplitude, random_answers):
    rng = np.random.default_rng(3)
    evidence = AnswerFit(answered(60, 4, rng, random_answers), Coordinates(4))
    thetas = np.tile(evidence.prior.median, (3, 1))
    thetas[:, 4] = np.log(amplitude)
    starts = np.zeros((3, 60, 2))
    starts[1], starts[2] = (0.1, 0.05), np.abs(rng.normal(size=(60, 2)))
    fits = evidence.fit(thetas, starts)
    K, mean, answers = evidence.differences(thetas)
    for p in range(3):
        covariance = K[p] - K[p] @ np.linalg.solve(K[p] + np.diag(fits.root_w[p] ** -2.0), K[p])
        z, variance = mean[p] + K[p] @ fits.alpha[p], np.diag(covariance)
        cavity = 1.0 / (1.0 / variance - fits.root_w[p] ** 2)
        centre = z - cavity * fits.alpha[p]
        terms = answers[np.array([p])].terms(centre[None], cavity[None])
        deviation = np.sqrt(variance)
        np.testing.assert_allclose(z / deviation, (centre + cavity * terms.slope[0]) / deviation, atol=0.01)
        np.testing.assert_allclose(variance, cavity - cavity**2 * terms.curvature[0], rtol=0.02)
    np.testing.assert_allclose(fits.log_evidence, fits.log_evidence[0], atol=0.01)


def test_particles_do_not_touch_each_other():
    rng = np.random.default_rng(9)
    evidence = AnswerFit(answered(20, 3, rng, random_answers=True), Coordinates(3))
    prior = evidence.prior
    thetas = prior.median + prior.spread * rng.standard_normal((6, prior.median.size))
    together = evidence.fit(thetas, np.zeros((6, 20, 2)))
    for p in range(6):
        alone = evidence.fit(thetas[p : p + 1], np.zeros((1, 20, 2)))
        np.testing.assert_allclose(together.alpha[p], alone.alpha[0], atol=1e-9)
        np.testing.assert_allclose(together.L[p], alone.L[0], atol=1e-9)
        assert together.log_evidence[p] == pytest.approx(alone.log_evidence[0], abs=1e-9)


def test_ten_times_the_same_question_needs_no_jitter():
    a, b = np.tile([[0.2, 0.7]], (10, 1)), np.tile([[0.9, 0.1]], (10, 1))
    evidence = AnswerFit(no_answers(2).add(a, b, np.array([1, -1] * 5, dtype=np.int8)), Coordinates(2))
    fits = evidence.fit(evidence.prior.median[None], np.zeros((1, 10, 2)))
    K, mean, _ = evidence.differences(evidence.prior.median[None])
    z = mean[0] + K[0] @ fits.alpha[0]
    assert abs(z[0]) < 0.3 and np.isfinite(fits.log_evidence).all()  # five against five


def test_prior_density_is_highest_at_the_median():
    prior = Prior(Coordinates(3), raters=2)
    assert prior.log_density(prior.median) > prior.log_density(prior.median + 0.1 * prior.spread)
    assert prior.median.size == 3 + 6 + 2
    several = Prior(Coordinates(3), 2, Context(tastes=3, drift=True))
    assert several.median.size == several.spread.size == 3 + 6 + 2 + 2 * 2
