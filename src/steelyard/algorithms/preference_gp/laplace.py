"""The Laplace approximation of the difference process z_i = f(a_i) - f(b_i), given the answers.

Working with differences leaves the likelihood's curvature W diagonal and needs no jitter for points that are asked
about again and again. Symbols are those of Rasmussen and Williams (2006), chapter 3. All particles are fitted at once:
with tens of answers most of the time would go into calling NumPy.
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
class Fits:
    """For each of P particles the mode z = mean + K alpha (P, m), the root of its curvature W (P, m), the Cholesky
    factor L of B = I + W^.5 K W^.5 (P, m, m), and the log evidence (P,)."""

    z: Array
    alpha: Array
    root_w: Array
    L: Array
    log_evidence: Array

    def __getitem__(self, rows: NDArray[np.intp]) -> Fits:
        return Fits(self.z[rows], self.alpha[rows], self.root_w[rows], self.L[rows], self.log_evidence[rows])

    def replaced(self, rows: NDArray[np.intp], new: Fits) -> Fits:
        """With `new` fits for the particles `rows`."""
        changed = {name: part.copy() for name, part in vars(self).items()}
        for name, part in changed.items():
            part[rows] = getattr(new, name)
        return Fits(**changed)


@dataclass(frozen=True, eq=False)
class Answers:
    """What the likelihood needs to know of m answers: which are ties (m,), for each of P particles the tie width
    (P, 1), and the noise of each answer's rater (P, m) or (1, m)."""

    tie: NDArray[np.bool_]
    tau: Array
    sigma: Array

    def terms(self, z: Array) -> Terms:
        return log_likelihood(z, self.tie, self.tau, self.sigma)

    def __getitem__(self, rows: NDArray[np.intp]) -> Answers:
        return Answers(self.tie, self.tau[rows], self.sigma[rows])


def laplace(K: Array, mean: Array, answers: Answers, start: Array) -> Fits:
    """The modes of p(z | answers) by damped Newton steps from about z = `start`, and the log evidence there.

    K is (P, m, m), `mean` and `start` are (P, m).
    """
    P, m = mean.shape
    if not m:
        return Fits(start, start, start, K, np.zeros(P))
    # A full step from `start`, which need not be K times anything.
    alpha = _newton(K, start - mean, answers.terms(start))
    h = _times(K, alpha)
    psi, terms = _log_posterior(answers, alpha, h, mean)
    stale = ~(psi > m * np.log(0.5))  # worse than knowing nothing
    if stale.any():
        alpha[stale], h[stale] = 0.0, 0.0
        psi, terms = _log_posterior(answers, alpha, h, mean)
    going = np.arange(P)
    for _ in range(MOST_STEPS):
        gain, *better = _step(
            K[going], mean[going], answers[going], alpha[going], h[going], psi[going], _at(terms, going)
        )
        up = gain >= 0.0  # otherwise rounding is all that is left
        for now, new in zip((alpha, h, psi, *terms), better, strict=True):
            now[going[up]] = new[up]
        going = going[gain >= GAIN]
        if not going.size:
            break
    root_w, L = _factors(K, terms.curvature)
    log_det = np.log(np.einsum("pii->pi", L)).sum(axis=1)
    return Fits(h + mean, alpha, root_w, L, psi - log_det)


def _step(
    K: Array, mean: Array, answers: Answers, alpha: Array, h: Array, psi: Array, terms: Terms
) -> tuple[Array, ...]:
    """What a Newton step gains, shortened until it does, and alpha, h, psi and terms after it."""
    step = _newton(K, h, terms) - alpha
    K_step = _times(K, step)
    t = np.ones((len(psi), 1))
    while True:
        new_alpha, new_h = alpha + t * step, h + t * K_step
        new_psi, new_terms = _log_posterior(answers, new_alpha, new_h, mean)
        falls = ~(new_psi >= psi) & (t[:, 0] >= 1e-6)
        if not falls.any():
            gain = np.where(new_psi >= psi, new_psi - psi, -np.inf)
            return gain, new_alpha, new_h, new_psi, *new_terms
        t[falls] *= 0.4


def _log_posterior(answers: Answers, alpha: Array, h: Array, mean: Array) -> tuple[Array, Terms]:
    terms = answers.terms(h + mean)
    return terms.log_p.sum(axis=1) - 0.5 * (alpha * h).sum(axis=1), terms


def _newton(K: Array, h: Array, terms: Terms) -> Array:
    """The alpha to which a full Newton step from h leads."""
    root_w, L = _factors(K, terms.curvature)
    b = terms.curvature * h + terms.slope
    right = root_w * _times(K, b)
    for row, factor in zip(right, L, strict=True):
        row[:] = dpotrs(factor, row, lower=1)[0]
    return np.asarray(b - root_w * right)


def _factors(K: Array, W: Array) -> tuple[Array, Array]:
    root_w = np.sqrt(W)
    B = root_w[:, :, None] * K * root_w[:, None, :]
    B[:, np.arange(K.shape[1]), np.arange(K.shape[1])] += 1.0
    for block in B:
        # The transpose is in Fortran's order, as the factor is then; the block becomes its upper triangle.
        _, info = dpotrf(block.T, lower=1, clean=1, overwrite_a=1)
        if info != 0:
            raise np.linalg.LinAlgError("B = I + W^.5 K W^.5 is not positive definite")
    return root_w, B.swapaxes(1, 2)


def _times(K: Array, v: Array) -> Array:
    return np.asarray((K @ v[:, :, None])[:, :, 0])


def _at(terms: Terms, rows: NDArray[np.intp]) -> Terms:
    return Terms(*(part[rows] for part in terms))
