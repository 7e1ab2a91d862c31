"""Which question to ask: the one whose answer is expected to improve the recommendation most (knowledge gradient).

Exact for one step of the Gaussian posterior and a recommendation among finitely many points, particle by particle. For
the pair (x, y) let D and v be the mean and variance of f(x) - f(y), q = sqrt(1 + v), t1 = (D - tau)/q and
t2 = (-D - tau)/q. The outcomes have probabilities p1 = Phi(t1), p2 = Phi(t2), p0 = 1 - p1 - p2, and

    E[f(c); x wins] = p1 mu_c + G1_c,   G1_c = cov(f(c), f(x) - f(y)) phi(t1)/q,   G2_c = -cov(..) phi(t2)/q,

    KG = max_c avg(p1 mu + G1) + max_c avg(p2 mu + G2) + max_c avg(p0 mu - G1 - G2) - max_c avg mu,

where each particle counts in units of its own.
"""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from steelyard.algorithms.preference_gp.joint import Joint, normal_density
from steelyard.typing import Array

EXCHANGES = 2


class BestPair(NamedTuple):
    """Candidate x against candidate y, the expected gain, and what is recommended after each outcome: if x wins, if y
    wins, and after a tie where ties are known."""

    x: int
    y: int
    gain: float
    after: tuple[int, ...]


def knowledge_gradient(joint: Joint, x: int, among: NDArray[np.intp]) -> Array:
    """The expected gain of asking x against each candidate, if the recommendation is chosen from `among`: (N,)."""
    return _gains(joint, among, _after(joint, x, among, joint.covariance(among)))


def gain_of_a_win(joint: Joint) -> Array:
    """What asking candidate 0 against each other one is expected to win if it takes its place wherever it wins: E[f(y)
    - f(x); y wins] = p2 (mu_y - mu_x) + v phi(t2)/q, averaged; below 0 if it had better not (N,)."""
    lead, v = joint.difference(0)
    q = np.sqrt(1.0 + v)
    t = (-lead - joint.tau[:, None]) / q
    return np.asarray(((v * normal_density(t) / q - lead * ndtr(t)) / joint.unit[:, None]).mean(axis=0))


def _gains(joint: Joint, among: NDArray[np.intp], after: list[Array]) -> Array:
    now = (joint.mean[:, among] / joint.unit[:, None]).mean(axis=0)
    return np.asarray(np.sum([value.max(axis=0) for value in after], axis=0) - now.max())


def _after(joint: Joint, x: int, among: NDArray[np.intp], covariance: Array) -> list[Array]:
    """For each outcome of asking x against y: its probability times the mean of f after it, for every c and y.

    `covariance` is `joint.covariance(among)`.
    """
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
        return [first, rest]
    second = expected(ndtr(t2), -normal_density(t2) / q)
    return [first, second, rest - second]


def best_question(joint: Joint, among: NDArray[np.intp], taken: Collection[frozenset[int]] = ()) -> BestPair:
    """The pair of candidates to ask about: from the recommendation, candidate 0, by exchanges.

    Pairs that are `taken` are in the same batch already, and are not asked twice while there are others.
    """
    x, best = 0, BestPair(0, 0, -np.inf, ())
    covariance = joint.covariance(among)
    for _ in range(1 + EXCHANGES):
        after = _after(joint, x, among, covariance)
        gains = _gains(joint, among, after)
        gains[x] = -np.inf  # a thing against itself teaches nothing
        others = [next(iter(pair - {x})) for pair in taken if x in pair]
        if len(others) < len(gains) - 1:
            gains[others] = -np.inf
        y = int(gains.argmax())
        if gains[y] <= best.gain:
            break
        best = BestPair(x, y, float(gains[y]), tuple(int(among[value[:, y].argmax()]) for value in after))
        x = y  # the next exchange keeps the end that was just found and replaces the other
    return best
