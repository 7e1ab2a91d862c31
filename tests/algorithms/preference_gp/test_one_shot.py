import numpy as np
import pytest

from steelyard.algorithms.preference_gp.coordinates import Coordinates
from steelyard.algorithms.preference_gp.knowledge_gradient import best_question, knowledge_gradient
from steelyard.algorithms.preference_gp.one_shot import OneShot, refined
from steelyard.algorithms.preference_gp.recommend import recommend


def question(posterior, ties):
    """Rows x, y and the recommendations after the outcomes, what is recommended now, tie widths, and the gain."""
    coordinates = posterior.hyper.coordinates
    points = coordinates.snap(np.random.default_rng(3).random((60, 3)))
    points[0] = recommend(posterior, coordinates, points)
    tau = posterior.hyper.tau if ties else np.zeros(4)
    x, y, gain, after = best_question(posterior.joint(coordinates.features(points), tau), np.arange(60))
    assert gain > 1e-6
    return points[[x, y, *after]], points[0], tau, gain


@pytest.mark.parametrize("ties", [False, True])
def test_value_is_the_knowledge_gradient_and_has_this_gradient(either, ties):
    rows, best, tau, gain = question(either, ties)
    coordinates = either.hyper.coordinates
    rows = coordinates.features(rows)
    target = OneShot(either, tau)
    value, gradient = target(rows)
    assert value - either.average(coordinates.features(best[None]))[0] == pytest.approx(gain, rel=1e-6)
    for at in np.ndindex(*rows.shape):
        step = np.zeros_like(rows)
        step[at] = 1e-5
        slope = (target(rows + step)[0] - target(rows - step)[0]) / 2e-5
        assert gradient[at] == pytest.approx(slope, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("ties", [False, True])
def test_a_refined_question_is_worth_more_and_keeps_its_levels(posterior, ties):
    rows, best, tau, gain = question(posterior, ties)
    coordinates = posterior.hyper.coordinates
    better = refined(posterior, coordinates, tau, rows)
    np.testing.assert_array_equal(better[:, 2], rows[:, 2])
    assert ((better >= 0) & (better <= 1)).all()
    features = coordinates.features(np.concatenate([better, best[None]]))
    assert knowledge_gradient(posterior.joint(features, tau), 0, np.arange(len(features)))[1] > 1.1 * gain


def test_where_nothing_can_be_moved_the_question_stays(posterior):
    rows, _, tau, _ = question(posterior, ties=False)
    frozen = Coordinates(3, frozen=(0.5, 0.5, 0.5))
    np.testing.assert_array_equal(refined(posterior, frozen, tau, rows), rows)
