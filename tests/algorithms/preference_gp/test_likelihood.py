import numpy as np
import pytest
from scipy.special import log_ndtr

from steelyard.algorithms.preference_gp.likelihood import log_likelihood

Z = np.linspace(-6, 6, 41)
ONES = np.ones(41)
WIN, TIE = np.zeros(41, dtype=bool), np.ones(41, dtype=bool)


def test_win_loss_and_tie_are_all_there_is():
    for tau, sigma in ((0.0, 1.0), (0.5, 1.0), (1.3, 2.5), (1e-3, 0.4)):
        p = np.exp(log_likelihood(Z, WIN, tau, sigma * ONES).log_p)
        q = np.exp(log_likelihood(-Z, WIN, tau, sigma * ONES).log_p)
        tie = np.exp(log_likelihood(Z, TIE, tau, sigma * ONES).log_p) if tau else 0.0
        np.testing.assert_allclose(p + q + tie, 1.0, atol=1e-12)


def test_slope_and_curvature_are_the_derivatives():
    h = 1e-4
    for tie in (WIN, TIE):
        for tau, sigma in ((0.3, 1.0), (2.0, 0.7), (0.05, 3.0)):
            at, up, down = (log_likelihood(z, tie, tau, sigma * ONES) for z in (Z, Z + h, Z - h))
            np.testing.assert_allclose(at.slope, (up.log_p - down.log_p) / (2 * h), rtol=1e-5, atol=1e-7)
            np.testing.assert_allclose(at.curvature, -(up.slope - down.slope) / (2 * h), rtol=1e-4, atol=1e-6)


def test_far_out_nothing_overflows_or_cancels():
    z = np.array([-1e6, -1e3, -40.0, 40.0, 1e3, 1e6])
    win = log_likelihood(z, WIN[:6], 0.5, ONES[:6])
    np.testing.assert_allclose(win.log_p[:3], log_ndtr(z[:3] - 0.5), rtol=1e-9)
    np.testing.assert_allclose(win.log_p[3:], 0.0, atol=1e-12)
    np.testing.assert_allclose(win.slope[:3], 0.5 - z[:3], rtol=1e-3)
    np.testing.assert_allclose(win.curvature, [1, 1, 1, 0, 0, 0], atol=1e-2)
    tie = log_likelihood(z, TIE[:6], 0.5, ONES[:6])
    assert np.isfinite(tie.log_p).all()
    np.testing.assert_allclose(tie.slope, np.sign(z) * (0.5 - np.abs(z)), rtol=1e-2)
    assert (tie.curvature >= 0).all() and (tie.curvature <= 1).all()


def test_with_lapses_a_win_has_a_floor_and_all_answers_together_are_certain():
    z = np.linspace(-12.0, 12.0, 41)
    win, tie, ones = np.zeros(41, dtype=bool), np.ones(41, dtype=bool), np.ones(41)
    for tau in (0.0, 0.7):
        p = np.exp(log_likelihood(z, win, tau, ones, lapses=0.1).log_p)
        q = np.exp(log_likelihood(-z, win, tau, ones, lapses=0.1).log_p)
        equal = np.exp(log_likelihood(z, tie, tau, ones, lapses=0.1).log_p) if tau else 0.0
        np.testing.assert_allclose(p + q + equal, 1.0, atol=1e-12)
        assert p[0] == pytest.approx(0.05, abs=1e-6)


def test_slopes_with_lapses_against_differences():
    z = np.linspace(-6.0, 6.0, 25)
    win, sigma, step = np.zeros(25, dtype=bool), np.full(25, 0.7), 1e-5
    up, at, down = (log_likelihood(z + s, win, 0.3, sigma, lapses=0.05) for s in (step, 0.0, -step))
    np.testing.assert_allclose(at.slope, (up.log_p - down.log_p) / (2 * step), atol=1e-6)
    curvature = -(up.slope - down.slope) / (2 * step)
    np.testing.assert_allclose(at.curvature, np.maximum(curvature, 0.0), atol=1e-5)
    assert (curvature < -1e-3).any()  # which is why it is cut off
