"""The prior: what the hyper-parameters mean."""

import numpy as np
import pytest

from steelyard.algorithms.preference_gp.coordinates import Coordinates
from steelyard.algorithms.preference_gp.model import RELIABLE, Prior


def test_the_less_reliable_the_person_the_weaker_the_pull_and_slopes_are_what_they_were():
    prior = Prior(Coordinates(2))
    thetas = np.tile(prior.median, (3, 1))
    thetas[:, 2] = np.log([RELIABLE / 2.0, RELIABLE, 2.0 * RELIABLE])
    hyper = prior.unpack(thetas)
    np.testing.assert_allclose(hyper.pull / hyper.s / (hyper.pull / hyper.s)[1], [0.25, 1.0, 1.0])
    np.testing.assert_allclose(hyper.slope / hyper.s, [hyper.slope[0] / hyper.s[0]] * 3)
    falls = hyper.mean(np.array([[0.5, 0.5], [1.0, 0.5]])) @ [1.0, -1.0]
    assert falls == pytest.approx(hyper.pull / 4.0)
