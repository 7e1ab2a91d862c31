"""Strengths of candidates from comparisons: a Bradley-Terry model with a Gaussian prior.

P(i beats j) = 1 / (1 + exp(s_j - s_i)),   s ~ N(0, scale^2 K),

K the identity, or a kernel between candidates that resemble each other. The posterior is taken for Gaussian. How much
candidates differ, compared with the judge's noise, is not known beforehand: a few scales are fitted side by side, and
weighed by how well they explain the answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.special import expit, log_expit

from steelyard.algorithms.preference_gp.propagation import Outcomes, propagate
from steelyard.typing import Array

FittedStrengths = tuple[Array, Array, Array, Array | None]

SCALES = (0.5, 1.0, 2.0, 4.0, 8.0)
"""From candidates that can hardly be distinguished to those that nearly always can."""
MOST_PROPAGATED = 300
LOGISTIC = 1.7
"""The logistic function is the normal distribution function of its argument divided by this, to 1 %."""
TIE_THRESHOLD = 0.3
NEWTON_STEPS, NEWTON_LONGEST, NEWTON_CLOSE = 30, 5.0, 1e-5


@dataclass(frozen=True, eq=False)
class AnswerCounts:
    """What was answered: in row m `won[m]` beat `lost[m]`, or they tied; each counts `times[m]`."""

    won: NDArray[np.intp]
    lost: NDArray[np.intp]
    tie: NDArray[np.bool_]
    times: Array

    def __len__(self) -> int:
        return len(self.won)

    @staticmethod
    def of(i: NDArray[np.intp], j: NDArray[np.intp], answers: NDArray[np.int8]) -> AnswerCounts:
        """From questions i against j and their answers -1, 0, +1."""
        first = answers >= 0
        return AnswerCounts(np.where(first, i, j), np.where(first, j, i), answers == 0, np.ones(len(answers)))

    def split_ties(self) -> AnswerCounts:
        """With every tie as half a win of either side."""
        won, lost = np.concatenate([self.won, self.lost[self.tie]]), np.concatenate([self.lost, self.won[self.tie]])
        times = np.concatenate([np.where(self.tie, 0.5, self.times), np.full(int(self.tie.sum()), 0.5)])
        return AnswerCounts(won, lost, np.zeros(len(won), dtype=bool), times)


@dataclass(frozen=True, eq=False)
class Strengths:
    """P Gaussian beliefs about N strengths, `mean` (P, N) and `covariance` (P, N, N), with their `weights` (P,)."""

    mean: Array
    covariance: Array
    weights: Array
    sites: Array | None = None

    @property
    def average(self) -> Array:
        """The expected strength of each candidate."""
        return np.asarray(self.weights @ self.mean)

    @cached_property
    def _roots(self) -> list[Array]:
        """R with R'R the covariance, which may be singular where candidates are alike."""
        roots = []
        for covariance in self.covariance:
            values, vectors = np.linalg.eigh(covariance)
            roots.append(np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T)
        return roots

    def draws(self, count: int, rng: np.random.Generator) -> Array:
        """Strengths drawn from the beliefs, one draw per row."""
        which = rng.choice(len(self.weights), count, p=self.weights)
        n = self.mean.shape[1]
        drawn = np.empty((count, n))
        for p in range(len(self.weights)):
            rows = np.flatnonzero(which == p)
            if rows.size:
                drawn[rows] = self.mean[p] + rng.standard_normal((rows.size, n)) @ self._roots[p]
        return drawn


def fit(
    counts: AnswerCounts, kernel: Array | int, scales: tuple[float, ...] = SCALES, before: Strengths | None = None
) -> Strengths:
    """The beliefs after these answers about N candidates: of no known likeness (`kernel` is N), or with this kernel.

    By expectation propagation up to MOST_PROPAGATED answers m, some m^3 per scale and round; from the beliefs `before`
    the last few answers a few rounds are enough. Beyond that by Laplace's method, N^3 per scale and Newton step: by
    then the posterior is nearly Gaussian.
    """
    K = np.eye(kernel) if isinstance(kernel, int) else kernel + 1e-8 * np.eye(len(kernel))
    known = None if before is None or before.sites is None else before.sites
    mean, covariance, evidence, sites = (_propagated if len(counts) <= MOST_PROPAGATED else _by_laplace)(
        counts, K, scales, known
    )
    weights = np.exp(evidence - evidence.max())
    return Strengths(mean, covariance, weights / weights.sum(), sites)


def _propagated(counts: AnswerCounts, K: Array, scales: tuple[float, ...], known: Array | None) -> FittedStrengths:
    """The normal distribution function stands for the logistic one, which it follows to 1 % in units of LOGISTIC."""
    m, P = len(counts), len(scales)
    priors = np.square(np.array(scales) / LOGISTIC)[:, None, None] * K
    sides = priors[:, :, counts.won] - priors[:, :, counts.lost]
    differences = sides[:, counts.won] - sides[:, counts.lost]
    start = np.zeros((P, m, 2))
    if known is not None:
        start[:, : known.shape[1]] = known[:, :m]
    tau = np.full((P, 1), TIE_THRESHOLD if counts.tie.any() else 0.0)
    fits = propagate(differences, np.zeros((P, m)), Outcomes(counts.tie, tau, np.ones((P, m))), start)
    mean = (sides @ fits.alpha[:, :, None])[:, :, 0]
    covariance = priors.copy()
    for block, side, root_w, L in zip(covariance, sides, fits.root_w, fits.L, strict=True):
        learnt = solve_triangular(L, root_w[:, None] * side.T, lower=True) if m else np.zeros((0, len(K)))
        block -= learnt.T @ learnt
    return LOGISTIC * mean, LOGISTIC**2 * covariance, fits.log_evidence, fits.sites


def _by_laplace(counts: AnswerCounts, K: Array, scales: tuple[float, ...], known: Array | None) -> FittedStrengths:
    precision, log_det = np.asarray(np.linalg.inv(K), dtype=np.float64), float(np.linalg.slogdet(K)[1])
    fits = [_laplace(counts, precision / scale**2, log_det + len(K) * np.log(scale**2)) for scale in scales]
    mean, covariance, evidence = (np.array(part) for part in zip(*fits, strict=True))
    return mean, covariance, evidence, known


def _laplace(counts: AnswerCounts, precision: Array, log_det: float) -> tuple[Array, Array, float]:
    """Mode, covariance and log evidence, by Newton's method; the likelihood is log-concave, so it finds the one mode.

    `log_det` is that of the prior covariance, whose inverse is `precision`.
    """
    n = len(precision)
    s = np.zeros(n)
    counts = counts.split_ties()
    for _ in range(NEWTON_STEPS):
        p = expit(s[counts.won] - s[counts.lost])
        missed = counts.times * (1.0 - p)
        slope = np.bincount(counts.won, missed, n) - np.bincount(counts.lost, missed, n) - precision @ s
        step = np.asarray(cho_solve(cho_factor(precision + _curvature(counts, p, n)), slope))
        s = s + step * min(1.0, NEWTON_LONGEST / max(float(np.abs(step).max()), 1e-300))
        if float(np.abs(step).max()) < NEWTON_CLOSE:
            break
    hessian = precision + _curvature(counts, expit(s[counts.won] - s[counts.lost]), n)
    root = np.linalg.cholesky(hessian)
    covariance = np.asarray(cho_solve((root, True), np.eye(n)))
    likelihood = float(counts.times @ log_expit(s[counts.won] - s[counts.lost]))
    log_evidence = likelihood - 0.5 * float(s @ precision @ s) - 0.5 * log_det - float(np.log(np.diag(root)).sum())
    return s, covariance, log_evidence


def _curvature(counts: AnswerCounts, p: Array, n: int) -> Array:
    w = counts.times * p * (1.0 - p)
    across = np.bincount(counts.won * n + counts.lost, w, n * n).reshape(n, n)
    across = across + across.T
    return np.asarray(np.diag(across.sum(axis=1)) - across)
