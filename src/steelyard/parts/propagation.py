"""Expectation propagation: what answers say about the differences of f that they are about.

The differences are jointly Gaussian before any answer. Each answer multiplies in a factor that is not Gaussian; each
factor is replaced by the Gaussian with which the posterior has the right mean and variance there (Minka 2001), all of
them in parallel, a few rounds from where the last fit ended. With fewer answers M than unknowns P the posterior is kept
in its dual form (M x M), else in the primal one (P x P).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtrs
from scipy.special import ndtr

from steelyard.parts.quadratic import Quadratic
from steelyard.typing import Array

SMALLEST = 1e-12
"""Probabilities count as at least this, so that no logarithm fails."""
ROUNDS = 4
SETTLED = 0.02
"""Rounds end early once no precision changes by more than this, relative to the largest."""
KEEP = 0.2
"""The part of its last value that a factor keeps from the second round on: parallel updates overshoot."""
RAISED = (0.0, 1e-14, 1e-12, 1e-10)
"""By how much of its largest entry a diagonal is raised where rounding has made a matrix indefinite."""
MISFIT = 1e-4
"""The variance added to each answer's blur, in units of the prior variance of its difference: no f is a quadratic."""


class Errors(Protocol):
    """How a judge errs: the first is called better with probability first + trust Phi(difference / blur)."""

    @property
    def first(self) -> float:
        """How often the first is preferred although the second is much better."""
        ...

    @property
    def second(self) -> float:
        """How often the second is preferred although the first is much better."""
        ...

    @property
    def blur(self) -> float:
        """The difference of f at which a judge errs in one of six cases."""
        ...

    @property
    def tie(self) -> float:
        """The largest difference that is answered by "can't tell"."""
        ...

    @property
    def absent(self) -> float:
        """How often "can't tell" is said whatever the difference is."""
        ...

    @property
    def trust(self) -> float:
        """1 - first - second."""
        ...


@dataclass
class Sites:
    """The Gaussian factor that stands for each answer: its precision, and its precision times its mean."""

    precision: Array
    shift: Array

    @classmethod
    def flat(cls, count: int) -> Sites:
        return cls(np.zeros(count), np.zeros(count))

    def extended(self, count: int) -> Sites:
        return Sites(np.append(self.precision, np.zeros(count)), np.append(self.shift, np.zeros(count)))

    def last(self, count: int) -> Sites:
        return Sites(self.precision[-count:], self.shift[-count:]) if count else Sites.flat(0)

    def rescaled(self, factor: float) -> Sites:
        """The same factors when f is counted in units `factor` times smaller."""
        return Sites(self.precision / factor**2, self.shift / factor)


class Differences:
    """The differences given the answers: exact for the Gaussian factors `sites`."""

    def __init__(self, prior: Quadratic, u: Array, m: Array, sites: Sites) -> None:
        self.prior, self.u, self.m, self.sites = prior, u, m, sites
        self.expected = prior.mean(u, m)
        self.primal = prior.unknowns < len(u)
        self._rows = prior.features(u, m) if self.primal else prior.covariance(u, m, u, m)
        self._variance = prior.variance(u, m)
        self._factorise()

    def replace_sites(self, sites: Sites) -> None:
        self.sites = sites
        self._factorise()

    def marginals(self) -> tuple[Array, Array]:
        """Means and variances of the differences answered."""
        if self.primal:
            half = _solve(self._factor, self._rows.T)
            var = np.einsum("ij,ij->j", half, half)
        else:
            half = _solve(self._factor, (self._rows * self._root).T)
            var = self._variance - np.einsum("ij,ij->j", half, half)
        return self.expected + self._pull, np.maximum(var, 1e-13 * self._variance + 1e-300)

    def predict(self, u: Array, m: Array) -> tuple[Array, Array]:
        """Means and variances of the differences of other questions."""
        variance = self.prior.variance(u, m)
        if self.primal:
            features = self.prior.features(u, m)
            mean, half = features @ self._effects, _solve(self._factor, features.T)
            var = np.einsum("ij,ij->j", half, half)
        else:
            k = self.prior.covariance(self.u, self.m, u, m)
            mean, half = self.weights @ k, _solve(self._factor, self._root[:, None] * k)
            var = variance - np.einsum("ij,ij->j", half, half)
        return self.prior.mean(u, m) + mean, np.maximum(var, 1e-12 * variance + 1e-300)

    def gradient_covariance(self, z: Array) -> Array:
        """The covariance of the gradient at z."""
        u, m = self.prior.gradient_questions(z)
        if self.primal:
            half = _solve(self._factor, self.prior.features(u, m).T)
            return np.asarray(half.T @ half)
        half = _solve(self._factor, self._root[:, None] * self.prior.covariance(self.u, self.m, u, m))
        return np.asarray(self.prior.gradient_covariance(z) - half.T @ half)

    def with_gradient(self, z: Array, u: Array, m: Array) -> Array:
        """The covariances of the gradient at z with the differences of other questions, a column per question."""
        u0, m0 = self.prior.gradient_questions(z)
        if self.primal:
            half = _solve(self._factor, self.prior.features(u0, m0).T)
            return np.asarray(half.T @ _solve(self._factor, self.prior.features(u, m).T))
        mine, theirs = (
            _solve(self._factor, self._root[:, None] * self.prior.covariance(self.u, self.m, *which))
            for which in ((u0, m0), (u, m))
        )
        return np.asarray(self.prior.covariance(u0, m0, u, m) - mine.T @ theirs)

    def log_normaliser(self) -> float:
        """The logarithm of the integral of the prior times all Gaussian factors."""
        precision, shift = self.sites.precision, self.sites.shift
        at_expected = self.expected @ (shift - 0.5 * precision * self.expected)
        moved = 0.5 * (shift - precision * self.expected) @ self._pull
        return float(at_expected + moved - np.log(self._factor.diagonal()).sum())

    def _factorise(self) -> None:
        precision = self.sites.precision
        residual = self.sites.shift - precision * self.expected
        if self.primal:
            scaled = self._rows * precision[:, None]
            A = scaled.T @ self._rows
            A.flat[:: len(A) + 1] += 1.0
            self._factor = _cholesky(A)
            self._effects = _solve(self._factor, _solve(self._factor, self._rows.T @ residual), transposed=True)
            self._pull = self._rows @ self._effects
        else:
            self._root = np.sqrt(precision)
            B = (self._root[:, None] * self._rows) * self._root
            B.flat[:: len(B) + 1] += 1.0
            self._factor = _cholesky(B)
            inner = _solve(self._factor, self._root * (self._rows @ residual))
            weights = residual - self._root * _solve(self._factor, inner, transposed=True)
            self._pull = self._rows @ weights
        self.weights = residual - precision * self._pull


def propagate(
    posterior: Differences, answers: Array, noise: Errors, rounds: int = ROUNDS, misfit: float = MISFIT
) -> None:
    """Improve the sites of a posterior: O(M min(M, P)^2) per round."""
    blur2 = noise.blur**2 + misfit * posterior._variance
    for i in range(rounds):
        mean, var = posterior.marginals()
        old = posterior.sites
        cavity_mean, cavity_var, cavity_precision = _cavities(mean, var, old)
        slope, bend = _derivatives(answers, noise, blur2, cavity_mean, cavity_var)
        new_var = np.maximum(cavity_var + cavity_var**2 * bend, 1e-6 * cavity_var)
        informs = new_var < cavity_var  # else the answer was a surprise that widens: it only shifts
        precision = np.where(informs, 1.0 / new_var - cavity_precision, SMALLEST * cavity_precision)
        shift = np.where(
            informs,
            (cavity_mean + cavity_var * slope) / new_var - cavity_mean * cavity_precision,
            slope + cavity_mean * precision,
        )
        keep = KEEP if i else 0.0
        settled = np.abs(precision - old.precision).max() <= SETTLED * precision.max()
        posterior.replace_sites(
            Sites(keep * old.precision + (1 - keep) * precision, keep * old.shift + (1 - keep) * shift)
        )
        if settled:
            break


def log_evidence(posterior: Differences, answers: Array, noise: Errors) -> float:
    """The logarithm of the probability of answers, none of them a tie, before any was known: that of Minka (2001)."""
    mean, var = posterior.marginals()
    precision, shift = posterior.sites.precision, posterior.sites.shift
    cavity_mean, cavity_var, _ = _cavities(mean, var, posterior.sites)
    z = answers * cavity_mean / np.sqrt(cavity_var + noise.blur**2 + MISFIT * posterior._variance)
    right = np.where(answers > 0, noise.first, noise.second) + noise.trust * ndtr(z)
    grown = 1.0 + precision * cavity_var
    apart = (precision * cavity_mean**2 - 2.0 * shift * cavity_mean - shift**2 * cavity_var) / grown
    each = np.log(np.maximum(right, SMALLEST)) + 0.5 * (np.log(grown) + apart)
    return float(each.sum()) + posterior.log_normaliser()


def _cavities(mean: Array, var: Array, sites: Sites) -> tuple[Array, Array, Array]:
    """Means, variances and precisions of the differences answered without the factor of their own answer."""
    cavity_precision = np.maximum(1.0 / var - sites.precision, 1e-3 / var)
    cavity_var = 1.0 / cavity_precision
    return cavity_var * (mean / var - sites.shift), cavity_var, cavity_precision


def _derivatives(answers: Array, noise: Errors, blur2: Array, mean: Array, var: Array) -> tuple[Array, Array]:
    """The first two derivatives of log P(answer) by the mean of a Gaussian difference."""
    spread2 = var + blur2
    sd = np.sqrt(spread2)
    z = mean / sd
    sign = np.where(answers >= 0, 1.0, -1.0)
    floor = np.where(sign > 0, noise.first, noise.second)
    likelihood = np.maximum(floor + noise.trust * ndtr(sign * z), SMALLEST)
    first = sign * noise.trust * np.exp(-0.5 * z * z) / (np.sqrt(2.0 * np.pi) * sd * likelihood)
    second = -first * (first + mean / spread2)
    tied = answers == 0
    if tied.any():  # a Gaussian at 0, as wide as what cannot be distinguished, or nothing
        wide = spread2 + noise.tie**2
        close = (1.0 - noise.absent) * noise.tie / np.sqrt(wide) * np.exp(-0.5 * mean * mean / wide)
        looked = close / np.maximum(noise.absent + close, SMALLEST)
        pull = -looked * mean / wide
        first = np.where(tied, pull, first)
        second = np.where(tied, looked * (mean * mean / wide - 1.0) / wide - pull * pull, second)
    return first, second


def _cholesky(A: Array) -> Array:
    """The factor of a positive definite matrix; rounding may have made it indefinite, then its diagonal is raised."""
    if np.isfinite(A).all():
        for more in RAISED:
            raised = A.copy()
            raised.flat[:: len(A) + 1] += more * float(A.diagonal().max())
            factor, info = dpotrf(raised.T, lower=1, clean=0, overwrite_a=1)  # the transpose is in LAPACK's order
            if not info:
                return np.asarray(factor)
    raise FloatingPointError("the covariance of the answers is not positive definite")


def _solve(factor: Array, b: Array, transposed: bool = False) -> Array:
    return np.asarray(dtrtrs(factor, b, lower=1, trans=int(transposed))[0])
