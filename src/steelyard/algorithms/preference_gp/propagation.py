"""Expectation propagation for the difference process z_i = f(a_i) - f(b_i), given the answers (Minka 2001).

Each answer is replaced by a Gaussian factor, its site exp(nu z - w z^2 / 2), such that with everything else unchanged
the answer and its site give z the same mean and variance. Laplace's approximation, at the mode, fails where the
amplitude is large against the noise: the posterior of a win leans far to the winning side of its mode, and the evidence
falls with the amplitude however consistent the answers are, so that a person who never errs is taken for one who does.

Working with differences keeps the sites apart and needs no jitter for points that are asked about again and again.
Symbols are those of Rasmussen and Williams (2006), sections 3.4 and 3.6, with W = diag(w). All particles are fitted at
once: with tens of answers most of the time would go into calling NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotrs, dtrtri

from steelyard.algorithms.preference_gp.likelihood import Terms, log_likelihood
from steelyard.typing import Array

MOST_ROUNDS = 40
CLOSE, NEARLY = 5e-3, 2e-2
"""Rounds stop when no answer would change the mean of its z by more than this, in deviations, nor its variance by more
than this share. The second is enough for the evidence, which is stationary in the sites: within some .01."""
FLAT = 1e-6
"""A site is flat if it would shrink the prior variance by a smaller share than this."""
BOLD, CAUTIOUS, BOLD_ROUNDS = 0.9, 0.5, 8
"""The part of the way that sites go towards what their answers want, at first, and after this many rounds."""


@dataclass(frozen=True, eq=False)
class Fits:
    """For each of P particles the sites (w, nu) of m answers (P, m, 2), the mean of z as mean + K alpha (P, m), the
    root of w (P, m), the Cholesky factor L of B = I + W^.5 K W^.5 (P, m, m), the log evidence (P,), and the mean and
    variance of z without its own answer (P, m, 2)."""

    sites: Array
    alpha: Array
    root_w: Array
    L: Array
    log_evidence: Array
    cavity: Array

    def __getitem__(self, rows: NDArray[np.intp]) -> Fits:
        return Fits(**{name: part[rows] for name, part in vars(self).items()})

    def replaced(self, rows: NDArray[np.intp], new: Fits) -> Fits:
        """With `new` fits for the particles `rows`."""
        changed = {name: part.copy() for name, part in vars(self).items()}
        for name, part in changed.items():
            part[rows] = getattr(new, name)
        return Fits(**changed)


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What the likelihood needs to know of m answers: which are ties (m,), for each of P particles the tie width
    (P, 1), the noise of each answer's rater (P, m) or (1, m), and the part of answers given without looking."""

    tie: NDArray[np.bool_]
    tau: Array
    sigma: Array
    lapses: float = 0.0

    def terms(self, mean: Array, variance: Array) -> Terms:
        """If z is Gaussian: the log probability of each answer, its slope and minus its curvature in the mean of z.

        A probit blurred by a Gaussian is a probit again, with more noise."""
        return log_likelihood(mean, self.tie, self.tau, np.sqrt(self.sigma**2 + variance), self.lapses)

    def __getitem__(self, rows: NDArray[np.intp]) -> Outcomes:
        return Outcomes(self.tie, self.tau[rows], self.sigma[rows], self.lapses)


def propagate(K: Array, mean: Array, answers: Outcomes, start: Array, close: float = CLOSE) -> Fits:
    """The sites, from `start`, all updated at once, damped, until each agrees with its answer within `close`.

    K is (P, m, m), `mean` (P, m), `start` (P, m, 2), all 0 if nothing better is known.
    """
    P, m = mean.shape
    fits = Fits(start.copy(), np.zeros((P, m)), np.zeros((P, m)), np.zeros((P, m, m)), np.zeros(P), np.zeros((P, m, 2)))
    going = np.arange(P)
    for done in range(MOST_ROUNDS if m else 0):
        sites = fits.sites[going]
        fit, wanted, change = _round(K[going], mean[going], answers[going], sites)
        for name in ("alpha", "root_w", "L", "log_evidence", "cavity"):
            getattr(fits, name)[going] = getattr(fit, name)
        on = change > close
        going = going[on]
        if not going.size:
            break
        fits.sites[going] += (BOLD if done < BOLD_ROUNDS else CAUTIOUS) * (wanted - sites)[on]
    return fits


def _round(K: Array, mean: Array, answers: Outcomes, sites: Array) -> tuple[Fits, Array, Array]:
    """What the sites say together, the sites that the answers want instead, and how far apart these are (P,)."""
    w, nu = sites[:, :, 0], sites[:, :, 1]
    root_w = np.sqrt(w)
    L = root_w[:, :, None] * K * root_w[:, None, :]
    L[:, np.arange(K.shape[1]), np.arange(K.shape[1])] += 1.0
    b = nu - w * mean
    right = root_w * _times(K, b)
    variance = np.einsum("pii->pi", K).copy()
    for block, row, v, site, prior in zip(L, right, variance, w, K, strict=True):
        # The transpose is in Fortran's order, as the factor is then; the block becomes its upper triangle.
        _, info = dpotrf(block.T, lower=1, clean=1, overwrite_a=1)
        if info != 0:
            raise np.linalg.LinAlgError("B = I + W^.5 K W^.5 is not positive definite")
        row[:] = dpotrs(block.T, row, lower=1)[0]
        # W^.5 cov(z) W^.5 = I - B^-1, at half the price of K - K W^.5 B^-1 W^.5 K, which sites of almost 0 need.
        inverse = dtrtri(block.T, lower=1)[0]
        flat = np.flatnonzero(site * v < FLAT)
        learnt = inverse @ (np.sqrt(site)[:, None] * prior[:, flat])
        rest = v[flat] - np.einsum("ij,ij->j", learnt, learnt)
        v[:] = (1.0 - np.einsum("ij,ij->j", inverse, inverse)) / np.maximum(site, 1e-300)
        v[flat] = rest
    variance = np.maximum(variance, 1e-12)
    alpha = b - root_w * right
    h = _times(K, alpha)
    # The cavity: z without this answer's own site.
    v = variance / np.maximum(1.0 - w * variance, 1e-10)
    centre = h + mean - v * alpha
    terms = answers.terms(centre, v)
    parts = terms.log_p + 0.5 * np.log1p(w * v) + 0.5 * alpha * (v * alpha - h)
    log_evidence = parts.sum(axis=1) - np.log(np.einsum("pii->pi", L)).sum(axis=1)
    rest = np.maximum(1.0 - v * terms.curvature, 1e-10)
    wanted = np.stack([terms.curvature / rest, (terms.slope + centre * terms.curvature) / rest], axis=2)
    # A site that agrees with its answer has alpha = slope.
    moved = np.abs(alpha - terms.slope) * np.sqrt(v)
    change = np.maximum(moved, np.abs(wanted[:, :, 0] - w) * variance).max(axis=1)
    return Fits(sites, alpha, root_w, L.swapaxes(1, 2), log_evidence, np.stack([centre, v], axis=2)), wanted, change


def _times(K: Array, v: Array) -> Array:
    return np.asarray((K @ v[:, :, None])[:, :, 0])
