import numpy as np
import pytest
from scipy.special import ndtr

from steelyard.algorithms.preference_gp.coordinates import Coordinates
from steelyard.algorithms.preference_gp.knowledge_gradient import best_question, knowledge_gradient
from steelyard.algorithms.preference_gp.posterior import AverageMean
from steelyard.algorithms.preference_gp.recommend import recommend

COLUMNS = Coordinates(3, levels=((), (), (1 / 6, 0.5, 5 / 6)), categorical=(False, False, True))


def test_joint_is_the_textbook_formula(either):
    x = COLUMNS.features(COLUMNS.snap(np.random.default_rng(1).random((7, 3))))
    joint = either.joint(x, either.hyper.tau)
    covariance = joint.covariance(np.arange(7))
    np.testing.assert_allclose(joint.mean, either.mean(x), atol=1e-9)
    np.testing.assert_allclose(joint.variance, np.einsum("pii->pi", covariance), rtol=1e-9)
    k, cross = either.hyper.kernel(x, x), either.hyper.kernel(either.points, x)
    prior = either.hyper.kernel(either.points, either.points)
    for p in range(4):
        difference = np.hstack([np.eye(25), -np.eye(25)])
        K, k_z = difference @ prior[p] @ difference.T, difference @ cross[p]
        W = np.diag(either.fits.root_w[p] ** 2)
        # (K + W^-1)^-1 = W (I + K W)^-1, which needs no inverse of a W that may be almost 0.
        expected = k[p] - k_z.T @ W @ np.linalg.inv(np.eye(25) + K @ W) @ k_z
        np.testing.assert_allclose(covariance[p], expected, atol=1e-8 * k[p].max())


def test_gradient_against_differences(either):
    target = AverageMean(either)
    x = COLUMNS.features(np.array([[0.3, 0.8, 0.5]]))[0]
    value, gradient = target(x)
    assert value == pytest.approx(either.average(x[None])[0], rel=1e-9)
    for i in range(x.size):
        step = 1e-6 * np.eye(x.size)[i]
        slope = (target(x + step)[0] - target(x - step)[0]) / 2e-6
        assert gradient[i] == pytest.approx(slope, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("ties", [False, True])
def test_a_fantasised_question_is_worth_less_the_second_time(posterior, ties):
    points = COLUMNS.features(COLUMNS.snap(np.random.default_rng(3).random((60, 3))))
    tau = posterior.hyper.tau if ties else np.zeros(4)
    among = np.arange(60)
    joint = posterior.joint(points, tau)
    x, y, gain, _ = best_question(joint, among)
    assert gain > 1e-6
    after = posterior.fantasised(points[[x, y]], tau).joint(points, tau)
    np.testing.assert_allclose(after.mean, joint.mean, atol=1e-9)
    assert knowledge_gradient(after, x, among)[y] < gain
    assert (np.linalg.eigvalsh(after.covariance(among)) > -1e-9).all()
    nodes = np.linspace(-9, 9, 4001)
    weights = np.exp(-0.5 * nodes**2) / np.exp(-0.5 * nodes**2).sum()
    for i in range(4):
        D, v = (part[i, y] for part in joint.difference(x))
        z = D + np.sqrt(v) * nodes
        outcomes = [ndtr(z - tau[i]), ndtr(-z - tau[i]), 1 - ndtr(z - tau[i]) - ndtr(-z - tau[i])]
        expected = sum(_probability_times_variance(z, weights * p) for p in outcomes[: 3 if ties else 2])
        assert after.difference(x)[1][i, y] == pytest.approx(expected, rel=1e-6)


def _probability_times_variance(z, weights):
    return weights @ z**2 - (weights @ z) ** 2 / weights.sum()


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
    coordinates = Coordinates(3, levels=((), (0.0, 0.5, 1.0), ()), frozen=(None, None, 0.25))
    np.testing.assert_allclose(coordinates.snap(np.array([[1.3, 0.7, 0.9]])), [[1.0, 0.5, 0.25]])
    assert coordinates.continuous.tolist() == [True, False, False]
    with pytest.raises(ValueError, match="frozen must have 3 entries"):
        Coordinates(3, frozen=(None,))
    with pytest.raises(ValueError, match="levels of variable 0"):
        Coordinates(1, categorical=(True,))
