"""Which question to ask: the one whose answer is expected to improve the recommendation most (knowledge gradient).

Exact for one step of the Laplace posterior and a recommendation among finitely many points, particle by particle. For
the pair (x, y) let D and v be the mean and variance of f(x) - f(y), q = sqrt(1 + v), t1 = (D - tau)/q and
t2 = (-D - tau)/q. The outcomes have probabilities p1 = Phi(t1), p2 = Phi(t2), p0 = 1 - p1 - p2, and

    E[f(c); x wins] = p1 mu_c + G1_c,   G1_c = cov(f(c), f(x) - f(y)) phi(t1)/q,   G2_c = -cov(..) phi(t2)/q,

    KG = max_c avg(p1 mu + G1) + max_c avg(p2 mu + G2) + max_c avg(p0 mu - G1 - G2) - max_c avg mu,

where each particle counts in units of its own.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from steelyard.algorithms.preference_gp.joint import Joint, normal_density
from steelyard.typing import Array

EXCHANGES = 2


def knowledge_gradient(joint: Joint, x: int, among: NDArray[np.intp], covariance: Array | None = None) -> Array:
    """The expected gain of asking x against each candidate, if the recommendation is chosen from `among`: (N,).

    `covariance` spares the time of working out `joint.covariance(among)` again.
    """
    covariance = joint.covariance(among) if covariance is None else covariance
    D, v = joint.difference(x)
    q = np.sqrt(1.0 + v)
    tau = joint.tau[:, None]
    t1, t2 = (D - tau) / q, (-D - tau) / q
    unit = joint.unit[:, None]
    mu = joint.mean[:, among] / unit

    def expected(p: Array, w: Array) -> Array:
        """The average over particles of p mu_c + w cov(f(c), f(x) - f(y)) in units, for every c and y."""
        w = w / unit
        cross = covariance[:, :, x].T @ w - np.einsum("pcy,py->cy", covariance, w)
        return np.asarray((mu.T @ p + cross) / len(mu))

    now = mu.mean(axis=0)
    first = expected(ndtr(t1), normal_density(t1) / q)
    rest = now[:, None] - first  # whatever else is answered
    if not joint.tau.any():
        return np.asarray(first.max(axis=0) + rest.max(axis=0) - now.max())
    second = expected(ndtr(t2), -normal_density(t2) / q)
    return np.asarray(first.max(axis=0) + second.max(axis=0) + (rest - second).max(axis=0) - now.max())


def best_question(
    joint: Joint, among: NDArray[np.intp], taken: Collection[frozenset[int]] = ()
) -> tuple[int, int, float]:
    """The pair of candidates (x, y) to ask about and its gain: from the recommendation, candidate 0, by exchanges.

    Pairs that are `taken` are in the same batch already, and are not asked twice while there are others.
    """
    x, y, best = 0, 0, -np.inf
    covariance = joint.covariance(among)
    for _ in range(1 + EXCHANGES):
        gains = knowledge_gradient(joint, x, among, covariance)
        gains[x] = -np.inf  # a thing against itself teaches nothing
        others = [next(iter(pair - {x})) for pair in taken if x in pair]
        if len(others) < len(gains) - 1:
            gains[others] = -np.inf
        found = int(gains.argmax())
        if gains[found] <= best:
            break
        # The next exchange keeps the end that was just found and replaces the other.
        x, y, best = found, x, float(gains[found])
    return y, x, best
