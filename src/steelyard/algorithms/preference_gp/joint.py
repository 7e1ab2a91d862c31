"""Beliefs about f at a set of candidates, shared by the choice of questions and the judgement of certainty."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from steelyard.typing import Array


@dataclass(frozen=True, eq=False)
class Joint:
    """P Gaussian beliefs about f at N candidates; covariances are made by rows, as few of them are ever needed.

    `mean` and `prior_variance` are (P, N), `tau` (tie widths) and `unit` (what counts as 1) are (P,). What the answers
    taught is `learnt`, (P, m, N): the covariance is that of the prior, of which `prior_rows` gives rows (P, rows, N),
    less learnt' learnt.

    Questions are chosen with units of 1, those of liking, or a little more where the amplitude is huge: in units of the
    box, particles that believe in an unreliable person ask far too coarse questions of a reliable one. People are
    answered what is missing in units of the box.
    """

    mean: Array
    tau: Array
    unit: Array
    prior_variance: Array
    learnt: Array
    prior_rows: Callable[[NDArray[np.intp]], Array]

    @cached_property
    def variance(self) -> Array:
        return np.asarray(self.prior_variance - np.einsum("pmi,pmi->pi", self.learnt, self.learnt))

    def covariance(self, rows: NDArray[np.intp]) -> Array:
        """Covariances of f at candidates `rows` with f at all of them: (P, rows, N)."""
        return np.asarray(self.prior_rows(rows) - self.learnt[:, :, rows].swapaxes(1, 2) @ self.learnt)

    def difference(self, x: int) -> tuple[Array, Array]:
        """Mean and variance of f(x) - f(y) for every candidate y: (P, N) each."""
        variance = self.variance[:, x, None] - 2.0 * self.covariance(np.array([x]))[:, 0] + self.variance
        variance[:, x] = 0.0
        return self.mean[:, x, None] - self.mean, np.maximum(variance, 0.0)

    @property
    def improvement(self) -> Array:
        """By how much each candidate is expected to exceed candidate 0 where it does: (P, N)."""
        worse_by, variance = self.difference(0)
        deviation = np.sqrt(np.maximum(variance, 1e-18))
        t = -worse_by / deviation
        return np.asarray(deviation * (t * ndtr(t) + normal_density(t)))

    def draws(self, among: NDArray[np.intp], count: int, rng: np.random.Generator, wider: float = 1.0) -> Array:
        """`count` draws for each particle of f - f(first) in units, at the candidates `among`, the first of which that
        is, with deviations `wider` than they are: (draws, among)."""
        drawn = []
        believed = zip(self.mean[:, among], self.covariance(among)[:, :, among], self.unit, strict=True)
        for mean, covariance, unit in believed:
            jitter = 1e-9 * float(np.diag(covariance).max()) + 1e-12
            L = np.linalg.cholesky(covariance + jitter * np.eye(len(mean)))
            f = mean + wider * rng.standard_normal((count, len(mean))) @ L.T
            drawn.append((f - f[:, :1]) / unit)
        return np.concatenate(drawn)


def normal_density(t: Array) -> Array:
    return np.asarray(np.exp(-0.5 * t**2) / np.sqrt(2.0 * np.pi))
