"""The question refined: both ends moved to where the knowledge gradient is largest.

A few hundred candidates are sparse in five or eight parameters, and so are the recommendations among which the answer
is imagined to choose. Let c_o be the recommendation after outcome o, with p_o and G_o as in `knowledge_gradient`. Then

    sum over o of avg(p_o mu(c_o) + G_o(c_o))

is at most the knowledge gradient of (x, y) plus a constant, and equal to it for the best c_o. It is smooth, so that x,
y and all c_o are found together by climbing (one-shot optimisation, Balandat et al. 2020). The gradient is worked out
backwards from the value, by hand.
"""

import numpy as np
from scipy.linalg.lapack import dtrtrs
from scipy.special import ndtr

from steelyard.algorithms.preference_gp.coordinates import Coordinates
from steelyard.algorithms.preference_gp.joint import normal_density
from steelyard.algorithms.preference_gp.model import SHARPER, correlation
from steelyard.algorithms.preference_gp.posterior import Posterior
from steelyard.algorithms.preference_gp.recommend import climbed
from steelyard.typing import Array

MOST_STEPS = 20


class OneShot:
    """The value of asking x against y and recommending c_o after each outcome, with its gradient."""

    def __init__(self, posterior: Posterior, tau: Array) -> None:
        self._hyper, self._points, self._alpha = posterior.hyper, posterior.points, posterior.fits.alpha
        self._share = posterior.share[:, None]
        self._tau = tau
        scaled = posterior.points / posterior.hyper.length[:, None]
        self._scaled = np.ascontiguousarray(scaled.swapaxes(1, 2))
        self._half_squares = 0.5 * np.square(scaled).sum(axis=2)[:, None]
        self._m = posterior.fits.alpha.shape[1]
        self._shrink = np.empty((len(tau), self._m, self._m))  # W^.5 B^-1 W^.5
        fits = zip(self._shrink, posterior.fits.L, posterior.fits.root_w, strict=True)
        for shrink, L, root_w in fits if self._m else ():
            half = dtrtrs(L, np.diag(root_w), lower=1)[0]
            np.matmul(half.T, half, out=shrink)

    def __call__(self, rows: Array) -> tuple[float, Array]:
        """Of the rows x, y, c_1 (x won), c_2 (y won) and, if there are ties, c_0, as features."""
        kernel, steepness, points = self._kernel(rows)
        m = self._m
        answered = self._share * (kernel[:, :, :m] - kernel[:, :, m : 2 * m])
        shrunk = answered @ self._shrink
        mu = self._hyper.mean(rows) + (answered @ self._alpha[:, :, None])[:, :, 0]
        covariance = kernel[:, :, 2 * m :] - shrunk @ answered.swapaxes(1, 2)
        value, d_mu, d_covariance = self._value(mu, covariance)
        # Each row's derivative is that of a sum of kernels: at the points answered about, and at the other rows.
        d_told = self._share * (d_mu[:, :, None] * self._alpha[:, None] - d_covariance @ shrunk)
        weights = np.concatenate([d_told, -d_told, d_covariance], axis=2)
        return value, self._pulled_back(rows, points, weights * steepness, weights, d_mu)

    def _kernel(self, rows: Array) -> tuple[Array, Array, Array]:
        """Covariances of f at the rows with f at all points (P, rows, points), and how steeply they fall: minus their
        derivatives in half the squared distance in length-scales."""
        hyper = self._hyper
        u = rows / hyper.length[:, None]
        half_squares = 0.5 * np.square(u).sum(axis=2)
        across, among = self._half_squares - u @ self._scaled, half_squares[:, None] - u @ u.swapaxes(1, 2)
        apart = np.concatenate([across, among], axis=2) + half_squares[:, :, None]
        amplitude, rough = (hyper.s**2 / (1.0 + hyper.rough))[:, None, None], hyper.rough[:, None, None]
        k, fall = correlation(apart, hyper.bent)
        fine, fine_fall = correlation(SHARPER * apart, hyper.bent)
        k = amplitude * (k + rough * fine)
        fall = amplitude * (fall + SHARPER * rough * fine_fall)
        points = np.concatenate([self._points, rows])
        linear = hyper.slope[:, None, None] ** 2 * (((rows - 0.5) * hyper.coordinates.ordered) @ (points - 0.5).T)
        return k + linear, fall, points

    def _value(self, mu: Array, covariance: Array) -> tuple[float, Array, Array]:
        """The value, its derivatives in `mu`, and in `covariance`, where each counts for its mirror image as well."""
        D = mu[:, 0] - mu[:, 1]
        q = np.sqrt(1.0 + np.maximum(covariance[:, 0, 0] - 2.0 * covariance[:, 0, 1] + covariance[:, 1, 1], 0.0))
        t1, t2 = (D - self._tau) / q, (-D - self._tau) / q
        r1, r2 = normal_density(t1) / q, normal_density(t2) / q
        p1, p2 = ndtr(t1), ndtr(t2)
        c = slice(2, 2 + 2 + bool(self._tau.any()))
        mu_c, with_c = mu[:, c].T, (covariance[:, c, 0] - covariance[:, c, 1]).T
        outcomes = len(mu_c)

        def every(first: Array, second: Array) -> Array:
            """For every outcome: what is lost or won by the first two is won or lost by a tie."""
            return np.array([first, second, -first - second][:outcomes])

        p = every(p1, p2)
        p[2:] += 1.0
        r = every(r1, -r2)
        by_D = (every(r1, -r2) * mu_c + every(-t1 * r1 / q, -t2 * r2 / q) * with_c).sum(axis=0)
        half = 0.5 / q
        p_by_v = every(-t1 * r1 * half, -t2 * r2 * half)
        r_by_v = every(r1 * (t1**2 - 1.0) * half / q, -r2 * (t2**2 - 1.0) * half / q)
        by_v = (p_by_v * mu_c + r_by_v * with_c).sum(axis=0)
        d_mu = np.concatenate([[by_D, -by_D], p]).T
        d_covariance = np.zeros_like(covariance)
        d_covariance[:, 0, 0] = d_covariance[:, 1, 1] = by_v
        d_covariance[:, 0, 1] = -2.0 * by_v
        d_covariance[:, c, 0], d_covariance[:, c, 1] = r.T, -r.T
        value = float(((p * mu_c + r * with_c).sum(axis=0) / self._hyper.unit).mean())
        return value, d_mu, d_covariance + d_covariance.swapaxes(1, 2)

    def _pulled_back(self, rows: Array, points: Array, falling: Array, weights: Array, d_mu: Array) -> Array:
        """The gradient in the rows, averaged over the particles, each in its unit."""
        hyper = self._hyper
        gradient = (falling @ points - falling.sum(axis=2)[:, :, None] * rows) / hyper.length[:, None] ** 2
        slope = hyper.slope[:, None, None] ** 2 * (weights @ (points - 0.5))
        pull = (2.0 * hyper.pull)[:, None, None] * d_mu[:, :, None] * (rows - 0.5)
        gradient += (slope - pull) * hyper.coordinates.ordered
        return np.asarray((gradient / hyper.unit[:, None, None]).mean(axis=0))


def refined(posterior: Posterior, coordinates: Coordinates, tau: Array, rows: Array) -> Array:
    """The rows (x, y, recommendations after the outcomes) moved along the continuous coordinates to a higher value."""
    if not coordinates.continuous.any():
        return rows
    target = OneShot(posterior, tau)
    now, _ = target(coordinates.features(rows))
    return climbed(target, coordinates, rows, now, MOST_STEPS)
