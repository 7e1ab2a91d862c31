import numpy as np
import pytest

from steelyard.algorithms.preference_gp.columns import Columns
from steelyard.algorithms.preference_gp.particles import Evidence
from steelyard.algorithms.preference_gp.posterior import AverageMean, Posterior
from steelyard.algorithms.preference_gp.recommend import recommend
from steelyard.algorithms.preference_gp.told import nothing_told

COLUMNS = Columns(3, levels=((), (), (1 / 6, 0.5, 5 / 6)), categorical=(False, False, True))


@pytest.fixture
def posterior():
    rng = np.random.default_rng(0)
    a, b = (COLUMNS.snap(x) for x in rng.random((2, 25, 3)))
    evidence = Evidence(nothing_told(3).add(a, b, rng.integers(-1, 2, 25).astype(np.int8)), COLUMNS)
    prior = evidence.prior
    thetas = prior.median + 0.5 * prior.spread * rng.standard_normal((4, prior.median.size))
    fits = evidence.fit(thetas, np.zeros((4, 25)))
    return Posterior(prior.unpack(thetas), evidence.points, fits)


def test_joint_is_the_textbook_formula(posterior):
    x = COLUMNS.features(COLUMNS.snap(np.random.default_rng(1).random((7, 3))))
    joint = posterior.joint(x, posterior.hyper.tau)
    covariance = joint.covariance(np.arange(7))
    np.testing.assert_allclose(joint.mean, posterior.mean(x), atol=1e-9)
    np.testing.assert_allclose(joint.variance, np.einsum("pii->pi", covariance), rtol=1e-9)
    k, cross = posterior.hyper.kernel(x, x), posterior.hyper.kernel(posterior.points, x)
    prior = posterior.hyper.kernel(posterior.points, posterior.points)
    for p in range(4):
        difference = np.hstack([np.eye(25), -np.eye(25)])
        K, k_z = difference @ prior[p] @ difference.T, difference @ cross[p]
        W = np.diag(posterior.fits.root_w[p] ** 2)
        # (K + W^-1)^-1 = W (I + K W)^-1, which needs no inverse of a W that may be almost 0.
        expected = k[p] - k_z.T @ W @ np.linalg.inv(np.eye(25) + K @ W) @ k_z
        np.testing.assert_allclose(covariance[p], expected, atol=1e-8 * k[p].max())


def test_gradient_against_differences(posterior):
    target = AverageMean(posterior)
    x = COLUMNS.features(np.array([[0.3, 0.8, 0.5]]))[0]
    value, gradient = target(x)
    assert value == pytest.approx(posterior.average(x[None])[0], rel=1e-9)
    for i in range(x.size):
        step = 1e-6 * np.eye(x.size)[i]
        slope = (target(x + step)[0] - target(x - step)[0]) / 2e-6
        assert gradient[i] == pytest.approx(slope, rel=1e-4, abs=1e-5)


def test_the_recommendation_beats_a_fine_grid(posterior):
    axis = np.linspace(0, 1, 41)
    grid = np.stack(np.meshgrid(axis, axis, [1 / 6, 0.5, 5 / 6], indexing="ij"), axis=-1).reshape(-1, 3)
    best = recommend(posterior, COLUMNS, np.random.default_rng(2).random((64, 3)))
    found = posterior.average(COLUMNS.features(best[None]))[0]
    assert found >= posterior.average(COLUMNS.features(grid)).max() - 1e-9
    assert best[2] in (1 / 6, 0.5, 5 / 6)


def test_any_two_categories_are_equally_far_apart():
    x = COLUMNS.features(np.array([[0.1, 0.2, t] for t in (1 / 6, 0.5, 5 / 6)]))
    distances = np.linalg.norm(x[:, None] - x, axis=-1)
    np.testing.assert_allclose(distances, 1.0 - np.eye(3), atol=1e-12)


def test_columns_snap_and_name_what_is_wrong():
    columns = Columns(3, levels=((), (0.0, 0.5, 1.0), ()), frozen=(None, None, 0.25))
    np.testing.assert_allclose(columns.snap(np.array([[1.3, 0.7, 0.9]])), [[1.0, 0.5, 0.25]])
    assert columns.continuous.tolist() == [True, False, False]
    with pytest.raises(ValueError, match="frozen must have 3 entries"):
        Columns(3, frozen=(None,))
    with pytest.raises(ValueError, match="levels of variable 0"):
        Columns(1, categorical=(True,))
