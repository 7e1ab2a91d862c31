"""What is believed about f after the answers: mean, gradient of the mean and covariance, for each particle."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg.lapack import dtrtrs

from steelyard.algorithms.preference_gp.joint import Joint
from steelyard.algorithms.preference_gp.laplace import Fit
from steelyard.algorithms.preference_gp.model import Hyper
from steelyard.typing import Array


@dataclass(frozen=True, eq=False)
class Posterior:
    """P Gaussian processes: hyper-parameters, features of the points told about (better, then worse), and the fits.

    `unit` (P,) is what counts as a difference of 1 in each when they are averaged.
    """

    hyper: Hyper
    points: Array
    fits: list[Fit]
    unit: Array

    @property
    def weights(self) -> Array:
        """mean f(x) = prior mean + k(x, points) @ weights: (P, points)."""
        alpha = np.array([fit.alpha for fit in self.fits])
        return np.concatenate([alpha, -alpha], axis=1)

    def mean(self, x: Array) -> Array:
        """Means of f at features x: (P, len(x))."""
        cross = self.hyper.kernel(x, self.points)
        means: Array = self.hyper.mean(x) + (cross @ self.weights[:, :, None])[:, :, 0]
        return means

    def average(self, x: Array) -> Array:
        """The mean of f in its units, averaged over the particles, at features x: (len(x),)."""
        return np.asarray((self.mean(x) / self.unit[:, None]).mean(axis=0))

    def in_units_of_the_box(self, best: Array, typical: Array, power: float = 1.0) -> Posterior:
        """With the unit of each particle set to how far typical points are from the best (both features), to a power.

        With power 0, in units of liking itself, particles with a large amplitude, which merely believe in a reliable
        person, outvote all others when they are averaged; with power 1, those that believe in an unreliable one, which
        ask far too coarse questions of a person who can tell.
        """
        joint = self.joint(np.concatenate([best[None], typical]), np.zeros_like(self.unit))
        mean, variance = joint.difference(0)
        far = np.sqrt((mean**2 + variance)[:, 1:].mean(axis=1))
        return replace(self, unit=far**power + 1e-12)

    def joint(self, x: Array, tau: Array) -> Joint:
        """The beliefs about f at the rows of features x, if the zones of ties are of these widths."""
        cross = self.hyper.kernel(self.points, x)
        mean = self.hyper.mean(x) + (self.weights[:, None, :] @ cross)[:, 0]
        m = len(self.points) // 2
        learnt = cross[:, :m] - cross[:, m:]
        for p, fit in enumerate(self.fits):
            if m:
                learnt[p] = dtrtrs(fit.L, fit.root_w[:, None] * learnt[p], lower=1)[0]
        return Joint(mean, tau, self.unit, self.hyper.variance(x), learnt, lambda rows: self.hyper.kernel(x[rows], x))


class AverageMean:
    """The mean of f in its units, averaged over the particles, with its gradient."""

    def __init__(self, posterior: Posterior) -> None:
        hyper = posterior.hyper
        self._hyper = hyper
        self._points, self._weights, self._unit = posterior.points, posterior.weights, posterior.unit
        self._inverse_square = hyper.length**-2.0

    def __call__(self, x: Array) -> tuple[float, Array]:
        """Value and gradient in the features at the point x."""
        hyper, ordered = self._hyper, self._hyper.columns.ordered
        delta = self._points - x
        k = np.exp(-0.5 * self._inverse_square @ (delta**2).T) * (hyper.s**2)[:, None] * self._weights
        gradient = (k @ delta) * self._inverse_square
        # The slope: linear in x, so its weights are summed first.
        slope = (2.0 * hyper.c * hyper.s * hyper.rho)[:, None] ** 2 * (self._weights @ ((self._points - 0.5) * ordered))
        centred = (x - 0.5) * ordered
        pull = (hyper.c * hyper.s)[:, None]
        value = k.sum(axis=1) + slope @ centred - pull[:, 0] * (centred @ centred)
        gradient = gradient + slope - 2.0 * pull * centred
        return float((value / self._unit).mean()), (gradient / self._unit[:, None]).mean(axis=0)
