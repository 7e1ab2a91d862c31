"""How likely an answer is, given the difference in liking: the probit model of Thurstone with a zone of ties.

With z = f(winner) - f(loser), a tie width tau and the rater's noise sigma,

    P[win] = Phi((z - tau) / sigma),    P[tie] = Phi((tau - z) / sigma) - Phi((-tau - z) / sigma).

Both are log-concave in z, and minus the second derivative of their logarithm is between 0 and 1 / sigma^2.

People also slip: a part `lapses` of the answers names one of the two without looking. A win then has a floor of
lapses / 2, so that one answer against all others says little. It is not log-concave there; curvatures below 0 are taken
for 0.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx

from steelyard.typing import Array

SQRT_HALF = np.sqrt(0.5)
SQRT_TWO_OVER_PI = np.sqrt(2.0 / np.pi)


class Terms(NamedTuple):
    """log p of each answer, its slope and minus its curvature in z."""

    log_p: Array
    slope: Array
    curvature: Array


def log_likelihood(z: Array, tie: NDArray[np.bool_], tau: Array | float, sigma: Array, lapses: float = 0.0) -> Terms:
    """The terms of every answer; where `tie` is not set the answer is a win of the first."""
    win = _win((z - tau) / sigma)
    if lapses:
        win = _lapsed(win, lapses)
    if tie.any():
        equal = _tie(z / sigma, tau / sigma)
        equal = equal._replace(log_p=equal.log_p + np.log1p(-lapses))
        win = Terms(*(np.where(tie, e, w) for e, w in zip(equal, win, strict=True)))
    return Terms(win.log_p, win.slope / sigma, win.curvature / (sigma * sigma))


def _lapsed(terms: Terms, lapses: float) -> Terms:
    """With some answers given at random: p becomes (1 - lapses) p + lapses / 2."""
    heard = np.exp(terms.log_p) * (1.0 - lapses)
    p = heard + lapses / 2.0
    slope = terms.slope * heard / p
    bend = (terms.slope**2 - terms.curvature) * heard / p  # p'' / p
    return Terms(np.log(p), slope, np.maximum(slope**2 - bend, 0.0))


def _win(u: Array) -> Terms:
    log_phi, r = _log_phi_and_hazard(u)
    return Terms(log_phi, r, np.maximum(r * (r + u), 0.0))


def _tie(z: Array, tau: Array) -> Terms:
    upper, lower = tau - np.abs(z), -tau - np.abs(z)
    log_upper, r_upper = _log_phi_and_hazard(upper)
    log_lower, r_lower = _log_phi_and_hazard(lower)
    log_ratio = log_lower - log_upper
    ratio, rest = np.exp(log_ratio), -np.expm1(log_ratio)  # Phi(lower) / Phi(upper), and 1 minus it
    r_lower = r_lower * ratio
    slope = (r_lower - r_upper) / rest
    curvature = slope**2 + (upper * r_upper - lower * r_lower) / rest
    return Terms(log_upper + np.log(rest), slope * np.sign(z), np.clip(curvature, 0.0, 1.0))


def _log_phi_and_hazard(u: Array) -> tuple[Array, Array]:
    """log Phi(u) and phi(u) / Phi(u), from one special function, and without cancellation far out."""
    u = np.minimum(u, 37.0)  # beyond, Phi is 1 to the last bit, and erfcx overflows
    e = erfcx(u * -SQRT_HALF)  # 2 Phi(u) exp(u^2 / 2)
    return np.log(0.5 * e) - 0.5 * u * u, SQRT_TWO_OVER_PI / e
