"""How settled the recommendation is, from draws of the posterior over the candidates. It asks nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from steelyard.algorithms.preference_gp.joint import Joint, normal_density
from steelyard.certainty import Certainty
from steelyard.typing import Array

DRAWS = 64
INTERVAL = (0.05, 0.95)


def certainty_of(
    joint: Joint, points: Array, among: NDArray[np.intp], gain: float, noise: dict[str, float]
) -> Certainty:
    """About row 0 of `points`; row 1 is the start. The best of all is looked for `among` some of the rows only."""
    worse_by, variance = joint.difference(0)
    deviation = np.sqrt(np.maximum(variance, 1e-18))
    t = -worse_by / deviation
    beaten = ndtr(-t).mean(axis=0)  # P[the recommendation is at least as good as each candidate]
    improvement = (deviation * (t * ndtr(t) + normal_density(t)) / joint.unit[:, None]).mean(axis=0)
    improvement[0] = -np.inf
    runner_up = int(improvement.argmax())
    drawn = _draws(joint, among)
    low, high = np.quantile(points[among[drawn.argmax(axis=1)]], INTERVAL, axis=0)
    return Certainty(
        beats_start=float(beaten[1]),
        beats_runner_up=float(beaten[runner_up]),
        runner_up=points[runner_up],
        low=np.minimum(low, points[0]),
        high=np.maximum(high, points[0]),
        missing=float(drawn.max(axis=1).mean()),
        gain=max(gain, 0.0),
        noise=noise,
    )


def _draws(joint: Joint, among: NDArray[np.intp]) -> Array:
    """Draws of f - f(recommendation), in units, at the candidates `among`, the first of which it is: (draws, among)."""
    rng = np.random.default_rng(0)  # of its own: to look at the certainty must not change the run
    drawn = []
    believed = zip(joint.mean[:, among], joint.covariance(among)[:, :, among], joint.unit, strict=True)
    for mean, covariance, unit in believed:
        jitter = 1e-9 * float(np.diag(covariance).max()) + 1e-12
        L = np.linalg.cholesky(covariance + jitter * np.eye(len(mean)))
        f = mean + rng.standard_normal((DRAWS, len(mean))) @ L.T
        drawn.append((f - f[:, :1]) / unit)
    return np.concatenate(drawn)
