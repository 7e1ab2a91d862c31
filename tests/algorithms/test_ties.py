"""What "can't tell" says: that two are close, or nothing at all."""

import numpy as np
import pytest

from steelyard import FunctionOracle, minimize
from steelyard.algorithms.bayes_quadratic.explanation import FLIPS
from steelyard.algorithms.bayes_quadratic.noise import Noise, Predictions, learn
from steelyard.parts.propagation import Differences, Sites, propagate
from steelyard.parts.quadratic import Quadratic
from steelyard.problems import get


def predictions(tied):
    """300 differences as they were predicted, nearly right, with the answers of a judge who ties some of them."""
    rng = np.random.default_rng(4)
    mean = rng.standard_normal(300)
    seen = mean + 0.1 * rng.standard_normal(300)
    answers = np.where(tied(seen, rng), 0.0, np.sign(seen))
    return Predictions(mean, np.full(300, 0.01), answers)


def test_ties_at_random_are_told_from_ties_of_what_is_close():
    at_random = learn(predictions(lambda d, rng: rng.random(d.size) < 0.3), FLIPS.prior, Noise())
    assert at_random.absent == pytest.approx(0.3, abs=0.07) and at_random.tie < 0.1
    of_the_close = learn(predictions(lambda d, rng: np.abs(d) < 0.4), FLIPS.prior, Noise())
    assert of_the_close.absent < 0.03 and of_the_close.tie == pytest.approx(0.4, rel=0.5)
    both = learn(predictions(lambda d, rng: (np.abs(d) < 0.4) | (rng.random(d.size) < 0.3)), FLIPS.prior, Noise())
    assert both.absent == pytest.approx(0.3, abs=0.1) and both.tie == pytest.approx(0.4, rel=0.5)


def slope_after_ties(noise):
    """The expected slope along the first of two variables, after one decided answer and ten ties about it."""
    u, m = np.tile([1.0, 0.0], (11, 1)), np.zeros((11, 2))
    posterior = Differences(Quadratic(2, 25.0, 0.5, np.zeros((2, 0))), u, m, Sites.flat(11))
    propagate(posterior, np.append(1.0, np.zeros(10)), noise, rounds=20)
    return float(posterior.predict(u[:1], m[:1])[0][0])


def test_ties_pull_a_difference_to_nothing_only_as_far_as_the_judge_looks():
    believed = slope_after_ties(Noise(0.1, 0.1, tie=0.5, absent=0.0))
    doubted = slope_after_ties(Noise(0.1, 0.1, tie=0.5, absent=0.9))
    unheard = slope_after_ties(Noise(0.1, 0.1))
    assert 0.0 < believed < 0.3 < doubted <= unheard


class Distracted:
    """Cannot tell three times in ten, whatever the two are, and errs in 15 % of the other answers."""

    def __init__(self, f, seed):
        self.oracle, self.rng = FunctionOracle(f), np.random.default_rng(seed)

    def compare(self, a, b):
        answers = self.oracle.compare(a, b)
        answers = np.where(self.rng.random(len(answers)) < 0.15, -answers, answers)
        return np.where(self.rng.random(len(answers)) < 0.3, 0, answers).astype(np.int8)


def test_a_judge_that_cannot_tell_at_random():
    """Ties taken for closeness left .3 of the gap (geometric mean)."""
    gaps = []
    for seed in range(6):
        problem = get(f"Ellipsoid?n=4&condition=10~rotated={seed + 40}")
        x = minimize(Distracted(problem.f, seed), problem.x0, method="bayes-quadratic", budget=250, rng=seed).x
        gaps.append((problem.f(x) - problem.f_best) / (problem.f(problem.x0) - problem.f_best))
    assert np.exp(np.mean(np.log(gaps))) < 0.03
