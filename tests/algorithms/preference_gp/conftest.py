import numpy as np
import pytest

from steelyard.algorithms.preference_gp.answers import no_answers
from steelyard.algorithms.preference_gp.coordinates import Coordinates
from steelyard.algorithms.preference_gp.particles import AnswerFit
from steelyard.algorithms.preference_gp.posterior import Posterior


@pytest.fixture
def posterior():
    """Four particles that heard 25 senseless answers, ties among them, about two numbers and a category."""
    return after_senseless_answers()


@pytest.fixture(params=[0.0, 2.0], ids=["errs", "hardly ever errs"])
def either(request):
    """The same, and one where two of them believe all the same in a person who hardly ever errs."""
    return after_senseless_answers(request.param)


def after_senseless_answers(surer=0.0):
    coordinates = Coordinates(3, levels=((), (), (1 / 6, 0.5, 5 / 6)), categorical=(False, False, True))
    rng = np.random.default_rng(0)
    a, b = (coordinates.snap(x) for x in rng.random((2, 25, 3)))
    evidence = AnswerFit(no_answers(3).add(a, b, rng.integers(-1, 2, 25).astype(np.int8)), coordinates)
    prior = evidence.prior
    drawn = np.column_stack([rng.standard_normal((4, prior.median.size - 1)), np.zeros(4)])  # of median roughness
    thetas = prior.median + 0.5 * prior.spread * drawn
    thetas[:2, coordinates.n] += surer * prior.spread[coordinates.n]
    fits = evidence.fit(thetas, np.zeros((4, 25, 2)))
    return Posterior(prior.unpack(thetas), evidence.points, fits, evidence.share(thetas))
