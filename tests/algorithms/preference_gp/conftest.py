import numpy as np
import pytest

from steelyard.algorithms.preference_gp.columns import Columns
from steelyard.algorithms.preference_gp.particles import Evidence
from steelyard.algorithms.preference_gp.posterior import Posterior
from steelyard.algorithms.preference_gp.told import nothing_told


@pytest.fixture
def posterior():
    """Four particles that heard 25 senseless answers, ties among them, about two numbers and a category."""
    columns = Columns(3, levels=((), (), (1 / 6, 0.5, 5 / 6)), categorical=(False, False, True))
    rng = np.random.default_rng(0)
    a, b = (columns.snap(x) for x in rng.random((2, 25, 3)))
    evidence = Evidence(nothing_told(3).add(a, b, rng.integers(-1, 2, 25).astype(np.int8)), columns)
    prior = evidence.prior
    thetas = prior.median + 0.5 * prior.spread * rng.standard_normal((4, prior.median.size))
    fits = evidence.fit(thetas, np.zeros((4, 25, 2)))
    return Posterior(prior.unpack(thetas), evidence.points, fits)
