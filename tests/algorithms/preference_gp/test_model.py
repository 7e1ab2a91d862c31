"""The prior: what the hyper-parameters mean."""

import numpy as np
import pytest

from steelyard.algorithms.preference_gp.coordinates import Coordinates
from steelyard.algorithms.preference_gp.model import (
    AMPLITUDE,
    LARGEST_AMPLITUDE,
    LOUD,
    RELIABLE,
    SURE_FROM_SPREADS,
    Prior,
    correlation,
)


def test_the_less_reliable_the_person_the_weaker_the_pull_and_slopes_are_what_they_were():
    prior = Prior(Coordinates(2))
    thetas = np.tile(prior.median, (3, 1))
    thetas[:, 2] = np.log([RELIABLE / 2.0, RELIABLE, 2.0 * RELIABLE])
    hyper = prior.unpack(thetas)
    np.testing.assert_allclose(hyper.pull / hyper.s / (hyper.pull / hyper.s)[1], [0.25, 1.0, 1.0])
    np.testing.assert_allclose(hyper.slope / hyper.s, [hyper.slope[0] / hyper.s[0]] * 3)
    falls = hyper.mean(np.array([[0.5, 0.5], [1.0, 0.5]])) @ [1.0, -1.0]
    assert falls == pytest.approx(hyper.pull / 4.0)


def test_who_hardly_ever_errs_has_an_amplitude_of_hundreds_a_quiet_voice_and_a_kernel_less_smooth():
    prior = Prior(Coordinates(2))
    thetas = np.tile(prior.median, (4, 1))
    thetas[:, 2] += AMPLITUDE[1] * np.array([0.0, SURE_FROM_SPREADS, SURE_FROM_SPREADS + 1.0, SURE_FROM_SPREADS + 9.0])
    hyper = prior.unpack(thetas)
    edge = AMPLITUDE[0] * np.exp(AMPLITUDE[1] * SURE_FROM_SPREADS)
    assert hyper.s[:2] == pytest.approx([AMPLITUDE[0], edge])
    assert hyper.s[2] > 10.0 * edge and hyper.s[3] == LARGEST_AMPLITUDE
    assert hyper.s / hyper.unit == pytest.approx([AMPLITUDE[0], LOUD, LOUD, LOUD])
    np.testing.assert_array_equal(hyper.bent, [False, False, True, True])
    x = np.array([[0.2, 0.5], [0.9, 0.4]])
    r = np.linalg.norm((x[0] - x[1]) / hyper.length[2]) * np.sqrt(5.0)
    linear = hyper.slope[2] ** 2 * ((x[0] - 0.5) @ (x[1] - 0.5))
    matern = (1.0 + r + r**2 / 3.0) * np.exp(-r)
    assert hyper.kernel(x, x)[2, 0, 1] == pytest.approx(hyper.s[2] ** 2 * matern + linear)


@pytest.mark.parametrize("bent", [False, True])
def test_a_correlation_falls_as_it_says(bent):
    half_squares, particle = np.array([[0.01, 0.4, 3.0]]), np.array([bent])
    k, fall = correlation(half_squares, particle)
    above, below = correlation(half_squares + 1e-6, particle)[0], correlation(half_squares - 1e-6, particle)[0]
    np.testing.assert_allclose(fall, (below - above) / 2e-6, rtol=1e-5)
    assert correlation(np.zeros((1, 1)), particle)[0] == 1.0 and (np.diff(k) < 0.0).all()
