"""What is said of the certainty, from beliefs made by hand."""

import numpy as np
import pytest

from steelyard.algorithms.preference_gp.certainty import certainty_of
from steelyard.algorithms.preference_gp.joint import Joint


def said(mean, sense=1.0, points=None):
    """Of row 0, with row 1 the start, rows 0 to 2 as candidates and the others typical; f is known exactly."""
    mean = np.array([mean])
    n = mean.size
    joint = Joint(
        mean=mean,
        tau=np.zeros(1),
        unit=np.full(1, 7.0),
        prior_variance=np.zeros((1, n)),
        learnt=np.zeros((1, 0, n)),
        prior_rows=lambda rows: np.zeros((1, len(rows), n)),
    )
    points = np.linspace(0.0, 1.0, n)[:, None] if points is None else np.array(points)
    box = np.array([[0.0] * points.shape[1], [1.0] * points.shape[1]])
    return certainty_of(joint, points, np.arange(3), np.arange(3, n), box, 0.0, {}, sense, 20)


@pytest.mark.parametrize(("best", "part"), [(1.0, 0.25), (0.0, 0.0), (3.0, 0.5)])
def test_what_is_missing_is_a_part_of_what_the_best_gains_on_the_typical(best, part):
    certainty = said([0.0, -1.0, best, -2.0, -3.0, -9.0])
    assert certainty.missing == pytest.approx(part, abs=1e-3)


def test_a_recommendation_worse_than_the_typical_misses_all_and_no_more():
    assert said([0.0, -1.0, 2.0, 1.0, 1.0, 1.0]).missing == pytest.approx(1.0)
    assert said([0.0, -1.0, 2.0, -8.0, -8.0, -8.0], sense=0.0).missing == pytest.approx(1.0)


def test_an_interval_that_ends_near_a_face_ends_there():
    points = [[0.9, 0.5], [0.5, 0.5], [0.88, 0.3], [0.9, 0.4], [0.9, 0.4]]
    certainty = said([0.0, -1.0, 2.0, -9.0, -9.0], points=points)
    assert (certainty.low[0], certainty.high[0]) == pytest.approx((0.88, 1.0))
    assert (certainty.low[1], certainty.high[1]) == pytest.approx((0.3, 0.5))
