"""What is believed about f after the answers: mean, gradient of the mean and covariance, for each particle."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg.lapack import dtrtrs
from scipy.special import ndtr

from steelyard.algorithms.preference_gp.joint import Joint, normal_density
from steelyard.algorithms.preference_gp.model import SHARPER, Hyper, correlation
from steelyard.algorithms.preference_gp.propagation import Fits
from steelyard.typing import Array


@dataclass(frozen=True, eq=False)
class Posterior:
    """P Gaussian processes: hyper-parameters, features of the points asked about (better, then worse), the fits, and to
    what extent each answer is about the f of the person asked now (P, m)."""

    hyper: Hyper
    points: Array
    fits: Fits
    share: Array

    @property
    def weights(self) -> Array:
        """mean f(x) = prior mean + k(x, points) @ weights: (P, points)."""
        alpha = self.share * self.fits.alpha
        return np.concatenate([alpha, -alpha], axis=1)

    def mean(self, x: Array) -> Array:
        """Means of f at features x: (P, len(x))."""
        cross = self.hyper.kernel(x, self.points)
        means: Array = self.hyper.mean(x) + (cross @ self.weights[:, :, None])[:, :, 0]
        return means

    def average(self, x: Array) -> Array:
        """The mean of f in units, averaged over the particles, at features x: (len(x),)."""
        return np.asarray((self.mean(x) / self.hyper.unit[:, None]).mean(axis=0))

    def distance(self, points: Array) -> Array:
        """How far in liking the features `points` are from the first of them, in the median: (P,)."""
        mean, variance = self.joint(points, np.zeros_like(self.hyper.s)).difference(0)
        return np.asarray(np.sqrt(np.median((mean**2 + variance)[:, 1:], axis=1)))

    def joint(self, x: Array, tau: Array) -> Joint:
        """The beliefs about f at the rows of features x, if the zones of ties are of these widths."""
        cross = self.hyper.kernel(self.points, x)
        mean = self.hyper.mean(x) + (self.weights[:, None, :] @ cross)[:, 0]
        m = len(self.points) // 2
        learnt = cross[:, :m] - cross[:, m:]
        learnt *= (self.share * self.fits.root_w)[:, :, None]
        for block, L in zip(learnt, self.fits.L if m else (), strict=bool(m)):
            block[:] = dtrtrs(L, block, lower=1)[0]
        hyper = self.hyper
        return Joint(mean, tau, hyper.unit, hyper.variance(x), learnt, lambda rows: hyper.kernel(x[rows], x))

    def fantasised(self, pair: Array, tau: Array) -> Posterior:
        """Before the answer about a pair of features is known: means stay, the covariance is what is expected after it.

        The answer counts as one without a lesson (alpha = 0), whose curvature w makes the variance v of the difference
        v / (1 + w v).
        """
        joint = self.joint(pair, tau)
        D, v = (part[:, 1] for part in joint.difference(0))
        q = np.sqrt(1.0 + v)
        t1, t2 = (D - tau) / q, (-D - tau) / q
        g1, g2 = normal_density(t1) / q, -normal_density(t2) / q
        p1, p2 = ndtr(t1), ndtr(t2)
        # cov(f) = E[cov(f | answer)] + cov(E[f | answer]), and E[f; answer] = p mu + g cov(f, f(x) - f(y)).
        explained = g1**2 / np.maximum(p1, 1e-12) + g2**2 / np.maximum(p2, 1e-12)
        explained = explained + (g1 + g2) ** 2 / np.maximum(1.0 - p1 - p2, 1e-12)
        w = explained / np.maximum(1.0 - explained * v, 1e-12)
        P, m = self.fits.alpha.shape
        L = np.zeros((P, m + 1, m + 1))
        L[:, :m, :m] = self.fits.L
        L[:, m, :m] = np.sqrt(w)[:, None] * (joint.learnt[:, :, 0] - joint.learnt[:, :, 1])
        L[:, m, m] = np.sqrt(1.0 + w * v)
        nothing = np.zeros(P)
        cavity = np.column_stack([nothing, nothing])
        new = {"sites": np.column_stack([w, w * D]), "alpha": nothing, "root_w": np.sqrt(w), "cavity": cavity}
        longer = {name: np.concatenate([getattr(self.fits, name), row[:, None]], axis=1) for name, row in new.items()}
        points = np.concatenate([self.points[:m], pair[:1], self.points[m:], pair[1:]])
        share = np.concatenate([self.share, np.ones((P, 1))], axis=1)
        return replace(self, points=points, fits=replace(self.fits, L=L, **longer), share=share)


class AverageMean:
    """The mean of f in units, averaged over the particles, with its gradient."""

    def __init__(self, posterior: Posterior) -> None:
        hyper = posterior.hyper
        self._hyper = hyper
        self._points, self._weights = posterior.points, posterior.weights
        self._scaled_weights = (hyper.s**2 / (1.0 + hyper.rough))[:, None] * self._weights
        self._inverse_square = hyper.length**-2.0

    def __call__(self, x: Array) -> tuple[float, Array]:
        """Value and gradient in the features at the point x."""
        hyper, ordered = self._hyper, self._hyper.coordinates.ordered
        delta = self._points - x
        half_squares = 0.5 * self._inverse_square @ (delta**2).T
        k, fall = correlation(half_squares, hyper.bent)
        fine, fine_fall = correlation(SHARPER * half_squares, hyper.bent)
        weights, rough = self._scaled_weights, hyper.rough[:, None]
        gradient = (((fall + SHARPER * rough * fine_fall) * weights) @ delta) * self._inverse_square
        k = (k + rough * fine) * weights
        # The slope: linear in x, so its weights are summed first.
        slope = hyper.slope[:, None] ** 2 * (self._weights @ ((self._points - 0.5) * ordered))
        centred = (x - 0.5) * ordered
        pull = hyper.pull[:, None]
        value = k.sum(axis=1) + slope @ centred - pull[:, 0] * (centred @ centred)
        gradient = gradient + slope - 2.0 * pull * centred
        return float((value / hyper.unit).mean()), (gradient / hyper.unit[:, None]).mean(axis=0)
