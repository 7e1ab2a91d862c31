"""Which question to ask: the one whose answer is expected to improve the recommendation most (knowledge gradient).

Exact for one step of the Laplace posterior and a recommendation among finitely many points, particle by particle. For
the pair (x, y) let D and v be the mean and variance of f(x) - f(y), q = sqrt(1 + v), t1 = (D - tau)/q and
t2 = (-D - tau)/q. The outcomes have probabilities p1 = Phi(t1), p2 = Phi(t2), p0 = 1 - p1 - p2, and

    E[f(c); x wins] = p1 mu_c + G1_c,   G1_c = cov(f(c), f(x) - f(y)) phi(t1)/q,   G2_c = -cov(..) phi(t2)/q,

    KG = max_c avg(p1 mu + G1) + max_c avg(p2 mu + G2) + max_c avg(p0 mu - G1 - G2) - max_c avg mu.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from steelyard.typing import Array

EXCHANGES = 2


@dataclass(frozen=True, eq=False)
class Joint:
    """Beliefs about f at N candidates: means (P, N), covariances (P, N, N), and tie widths (P,)."""

    mean: Array
    covariance: Array
    tau: Array

    @property
    def variance(self) -> Array:
        return np.asarray(np.einsum("pii->pi", self.covariance))

    def difference(self, x: int) -> tuple[Array, Array]:
        """Mean and variance of f(x) - f(y) for every candidate y: (P, N) each."""
        variance = self.covariance[:, x, x, None] - 2.0 * self.covariance[:, x] + self.variance
        return self.mean[:, x, None] - self.mean, np.maximum(variance, 0.0)

    def fantasised(self, x: int, y: int) -> Joint:
        """Before the answer about (x, y) is known: means stay, the covariance is what is expected after the answer."""
        D, v = (part[:, y] for part in self.difference(x))
        q = np.sqrt(1.0 + v)
        t1, t2 = (D - self.tau) / q, (-D - self.tau) / q
        g1, g2 = _phi(t1) / q, -_phi(t2) / q
        p1, p2 = ndtr(t1), ndtr(t2)
        # cov(f) = E[cov(f | answer)] + cov(E[f | answer]), and E[f; answer] = p mu + g cross.
        shrink = g1**2 / np.maximum(p1, 1e-12) + g2**2 / np.maximum(p2, 1e-12)
        shrink = shrink + (g1 + g2) ** 2 / np.maximum(1.0 - p1 - p2, 1e-12)
        cross = np.sqrt(shrink)[:, None] * (self.covariance[:, x] - self.covariance[:, y])
        return Joint(self.mean, self.covariance - cross[:, :, None] * cross[:, None, :], self.tau)


def knowledge_gradient(joint: Joint, x: int, among: NDArray[np.intp]) -> Array:
    """The expected gain of asking x against each candidate, if the recommendation is chosen from `among`: (N,)."""
    D, v = joint.difference(x)
    q = np.sqrt(1.0 + v)
    tau = joint.tau[:, None]
    t1, t2 = (D - tau) / q, (-D - tau) / q
    mu = joint.mean[:, among]
    covariance = joint.covariance[:, among]

    def expected(p: Array, w: Array) -> Array:
        """The average over particles of p mu_c + w cov(f(c), f(x) - f(y)), for every c and y."""
        cross = covariance[:, :, x].T @ w - np.einsum("pcy,py->cy", covariance, w)
        return np.asarray((mu.T @ p + cross) / len(mu))

    first, second = expected(ndtr(t1), _phi(t1) / q), expected(ndtr(t2), -_phi(t2) / q)
    now = mu.mean(axis=0)
    gain = first.max(axis=0) + second.max(axis=0) - now.max()
    if joint.tau.any():
        gain = gain + (now[:, None] - first - second).max(axis=0)
    return np.asarray(gain)


def best_question(joint: Joint, among: NDArray[np.intp]) -> tuple[int, int, float]:
    """The pair of candidates (x, y) to ask about and its gain: from the recommendation, candidate 0, by exchanges."""
    x, y, best = 0, 0, -np.inf
    for _ in range(1 + EXCHANGES):
        gains = knowledge_gradient(joint, x, among)
        gains[x] = -np.inf  # a thing against itself teaches nothing
        found = int(gains.argmax())
        if gains[found] <= best:
            break
        # The next exchange keeps the end that was just found and replaces the other.
        x, y, best = found, x, float(gains[found])
    return y, x, best


def _phi(t: Array) -> Array:
    return np.asarray(np.exp(-0.5 * t**2) / np.sqrt(2.0 * np.pi))
