"""How settled the recommendation is, from draws of the posterior over the candidates. It asks nothing."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from steelyard.algorithms.preference_gp.joint import Joint, normal_density
from steelyard.certainty import Certainty
from steelyard.typing import Array

DRAWS = 64
INTERVAL = (0.05, 0.95)


def certainty_of(
    joint: Joint, points: Array, start: int, typical: slice, gain: float, noise: dict[str, float]
) -> Certainty:
    """About candidate 0 among the rows of `points`, of which `start` is the start and `typical` are spread evenly."""
    worse_by, variance = joint.difference(0)
    deviation = np.sqrt(np.maximum(variance, 1e-18))
    t = -worse_by / deviation
    beaten = ndtr(-t).mean(axis=0)  # P[the recommendation is at least as good as each candidate]
    improvement = (deviation * (t * ndtr(t) + normal_density(t))).mean(axis=0)
    improvement[0] = -np.inf
    runner_up = int(improvement.argmax())
    drawn = _draws(joint)
    winners = points[drawn.argmax(axis=1)]
    low, high = np.quantile(winners, INTERVAL, axis=0)
    # In units of how much better the recommendation is than a typical point of the box.
    unit = max(float(np.median(worse_by[:, typical].mean(axis=0))), 1e-12)
    return Certainty(
        beats_start=float(beaten[start]) if start else 1.0,
        beats_runner_up=float(beaten[runner_up]),
        runner_up=points[runner_up],
        low=np.minimum(low, points[0]),
        high=np.maximum(high, points[0]),
        missing=float(drawn.max(axis=1).mean()) / unit,
        gain=max(gain, 0.0) / unit,
        noise=noise,
    )


def _draws(joint: Joint) -> Array:
    """Draws of f - f(recommendation) at the candidates, equally many from each particle: (draws, candidates)."""
    rng = np.random.default_rng(0)  # of its own: to look at the certainty must not change the run
    drawn = []
    for mean, covariance in zip(joint.mean, joint.covariance(np.arange(joint.mean.shape[1])), strict=True):
        jitter = 1e-9 * float(np.diag(covariance).max()) + 1e-12
        L = np.linalg.cholesky(covariance + jitter * np.eye(len(mean)))
        f = mean + rng.standard_normal((DRAWS, len(mean))) @ L.T
        drawn.append(f - f[:, :1])
    return np.concatenate(drawn)
