import numpy as np
import pytest
from scipy.special import ndtr

from steelyard.algorithms.preference_gp.joint import Joint
from steelyard.algorithms.preference_gp.knowledge_gradient import best_question, gain_of_a_win, knowledge_gradient


def beliefs(ties, particles=3, n=6):
    rng = np.random.default_rng(4)
    roots = rng.standard_normal((particles, n, n))
    tau = rng.uniform(0.3, 1.0, particles) if ties else np.zeros(particles)
    return joint_of(rng.standard_normal((particles, n)), roots @ roots.transpose(0, 2, 1), tau)


def joint_of(mean, covariance, tau):
    learnt = np.zeros((len(mean), 0, mean.shape[1]))
    unit = np.array([1.0, 3.0, 0.4])
    return Joint(mean, tau, unit, np.einsum("pii->pi", covariance), learnt, lambda rows: covariance[:, rows])


def brute_force(joint, x, y, among):
    """Every outcome's expected best recommendation, by quadrature over z = f(x) - f(y) in each particle."""
    nodes = np.linspace(-9, 9, 4001)
    weights = np.exp(-0.5 * nodes**2) / np.exp(-0.5 * nodes**2).sum()
    outcomes = np.zeros((3, len(among)))
    particles = zip(joint.mean, joint.covariance(np.arange(6)), joint.tau, joint.unit, strict=True)
    for mean, covariance, tau, unit in particles:
        direction = np.eye(len(mean))[x] - np.eye(len(mean))[y]
        v = direction @ covariance @ direction
        z = direction @ mean + np.sqrt(v) * nodes
        f = mean + np.outer(z - direction @ mean, covariance @ direction / v)  # E[f | z]
        first, second = ndtr(z - tau), ndtr(-z - tau)
        for k, p in enumerate((first, second, 1 - first - second)):
            outcomes[k] += (weights * p) @ f[:, among] / unit / len(joint.mean)
    now = (joint.mean[:, among] / joint.unit[:, None]).mean(axis=0)
    return outcomes.max(axis=1).sum() - now.max()


@pytest.mark.parametrize("ties", [False, True])
def test_gain_is_what_quadrature_says(ties):
    joint = beliefs(ties)
    among = np.array([0, 2, 3, 5])
    for x in (0, 4):
        gains = knowledge_gradient(joint, x, among)
        others = [y for y in range(6) if y != x]
        np.testing.assert_allclose(gains[others], [brute_force(joint, x, y, among) for y in others], atol=1e-8)
        assert (gains > -1e-12).all()


def test_gain_of_a_win_is_that_of_a_choice_between_the_two_and_a_neighbour_has_little():
    joint = beliefs(ties=False)
    mean = joint.mean.copy()
    mean[:, 0] = mean.max(axis=1) + 0.5  # the recommendation
    joint = joint_of(mean, joint.covariance(np.arange(6)), joint.tau)
    between = [knowledge_gradient(joint, 0, np.array([0, y]))[y] for y in range(1, 6)]
    assert max(between) > 0.01
    np.testing.assert_allclose(np.maximum(gain_of_a_win(joint)[1:], 0.0), between, atol=1e-12)
    covariance = np.array([[[1.0, 0.9999, 0.0], [0.9999, 1.0, 0.0], [0.0, 0.0, 1.0]]] * 3)
    near, far = gain_of_a_win(joint_of(np.array([[0.0, -0.01, -0.5]] * 3), covariance, np.zeros(3)))[1:]
    assert near < 0.001 < far


def test_gain_does_not_depend_on_an_unknown_constant():
    joint = beliefs(ties=True)
    shift = np.array([[3.0], [-7.0], [11.0]])
    shifted = joint_of(joint.mean + shift, joint.covariance(np.arange(6)) + 50.0, joint.tau)
    among = np.arange(6)
    np.testing.assert_allclose(knowledge_gradient(joint, 1, among), knowledge_gradient(shifted, 1, among), atol=1e-9)


@pytest.mark.parametrize("ties", [False, True])
def test_best_question_is_at_least_the_best_about_the_recommendation(ties):
    joint = beliefs(ties)
    among = np.arange(6)
    x, y, gain, after = best_question(joint, among)
    assert x != y
    # With only what is recommended after some outcome, the question is worth as much, but for what is best now.
    now = (joint.mean / joint.unit[:, None]).mean(axis=0)
    assert len(after) == (3 if ties else 2)
    few = np.array(sorted({*after, int(now.argmax())}))
    assert brute_force(joint, x, y, few) == pytest.approx(gain)
    assert gain == pytest.approx(knowledge_gradient(joint, x, among)[y])
    assert gain >= knowledge_gradient(joint, 0, among)[1:].max()
