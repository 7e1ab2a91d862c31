"""The Laplace approximation of the difference process z_i = f(a_i) - f(b_i), given the answers.

Working with differences leaves the likelihood's curvature W diagonal and needs no jitter for points that are asked
about again and again. Symbols are those of Rasmussen and Williams (2006), chapter 3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotrs

from steelyard.algorithms.preference_gp.likelihood import Terms, log_likelihood
from steelyard.typing import Array

MOST_STEPS = 60
GAIN = 1e-5
"""Newton's method stops when a step gains less than this in the log posterior; convergence is quadratic there."""


@dataclass(frozen=True, eq=False)
class Fit:
    """The mode z = mean + K alpha, the root of its curvature W, the Cholesky factor L of B = I + W^.5 K W^.5."""

    z: Array
    alpha: Array
    root_w: Array
    L: Array
    log_evidence: float


@dataclass(frozen=True, eq=False)
class Answers:
    """What the likelihood needs to know of the answers: which are ties, the tie width, and each rater's noise."""

    tie: NDArray[np.bool_]
    tau: float
    sigma: Array

    def terms(self, z: Array) -> Terms:
        return log_likelihood(z, self.tie, self.tau, self.sigma)


def laplace(K: Array, mean: Array, answers: Answers, start: Array) -> Fit:
    """The mode of p(z | answers) by damped Newton steps from about z = `start`, and the log evidence there."""
    if not len(mean):
        return Fit(start, start, start, K, 0.0)
    # A full step from `start`, which need not be K times anything.
    alpha = _newton(K, start - mean, answers.terms(start))
    h = K @ alpha
    terms = answers.terms(h + mean)
    psi = terms.log_p.sum() - 0.5 * alpha @ h
    if not psi > len(mean) * np.log(0.5):  # worse than knowing nothing: a stale start
        alpha, h = np.zeros_like(start), np.zeros_like(start)
        terms = answers.terms(mean)
        psi = terms.log_p.sum()
    for _ in range(MOST_STEPS):
        step = _newton(K, h, terms) - alpha
        K_step = K @ step
        t = 1.0
        while True:
            new_alpha, new_h = alpha + t * step, h + t * K_step
            new_terms = answers.terms(new_h + mean)
            new_psi = new_terms.log_p.sum() - 0.5 * new_alpha @ new_h
            if new_psi >= psi or t < 1e-6:
                break
            t *= 0.4
        if not new_psi >= psi:  # no step helps: rounding is all that is left
            break
        gain, alpha, h, terms, psi = new_psi - psi, new_alpha, new_h, new_terms, new_psi
        if gain < GAIN:
            break
    root_w, L = _factor(K, terms.curvature)
    return Fit(h + mean, alpha, root_w, L, float(psi - np.log(np.diag(L)).sum()))


def _newton(K: Array, h: Array, terms: Terms) -> Array:
    """The alpha to which a full Newton step from h leads."""
    root_w, L = _factor(K, terms.curvature)
    b = terms.curvature * h + terms.slope
    return np.asarray(b - root_w * dpotrs(L, root_w * (K @ b), lower=1)[0])


def _factor(K: Array, W: Array) -> tuple[Array, Array]:
    root_w = np.sqrt(W)
    B = root_w[:, None] * K * root_w
    B.flat[:: len(W) + 1] += 1.0
    L, info = dpotrf(B.T, lower=1, clean=1, overwrite_a=1)  # B.T: in Fortran's order, so nothing is copied
    if info != 0:
        raise np.linalg.LinAlgError("B = I + W^.5 K W^.5 is not positive definite")
    return root_w, L
