"""The points that a question may be about: near the recommendation, all over the box, and those asked about before."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.stats import qmc

from steelyard.algorithms.preference_gp.columns import Columns
from steelyard.algorithms.preference_gp.joint import Joint
from steelyard.algorithms.preference_gp.posterior import Posterior
from steelyard.typing import Array

LOCAL, SPREAD, ASKED = 80, 80, 40
RECOMMENDABLE = 100


def candidates(
    best: Array, asked: Array, posterior: Posterior, columns: Columns, number: int, rng: np.random.Generator
) -> Array:
    """Row 0 is `best`; the others differ from it. `number` says how many questions came before."""
    points = [best[None], _local(best, rng), halton(columns.n, SPREAD, number * SPREAD)]
    if len(asked):
        mean = posterior.average(columns.features(asked))
        points.append(asked[np.argsort(-mean)[:ASKED]])
    rows = columns.snap(np.concatenate(points))
    differs = (np.abs(rows - rows[0]) > 1e-9).any(axis=1)
    differs[0] = True
    return np.asarray(rows[differs])


def halton(n: int, count: int, skip: int) -> Array:
    """`count` points of a scrambled Halton sequence in [0, 1]^n, from number `skip` on, round and round."""
    points = _halton(n)
    return points[(skip + np.arange(count)) % len(points)]


def recommendable(joint: Joint) -> NDArray[np.intp]:
    """The candidates that could turn out best, by mean + deviation of f - f(best), with the best itself."""
    worse_by, variance = joint.difference(0)
    promise = ((np.sqrt(variance) - worse_by) / joint.unit[:, None]).mean(axis=0)
    promise[0] = np.inf
    return np.argsort(-promise)[: RECOMMENDABLE + 1]


def _local(best: Array, rng: np.random.Generator) -> Array:
    """Steps of all sizes away from `best`, half of them along about a third of the coordinates only."""
    steps = rng.standard_normal((LOCAL, best.size)) * 10.0 ** rng.uniform(-2.2, -0.4, (LOCAL, 1))
    few = rng.random((LOCAL // 2, best.size)) < 0.35
    few[np.arange(len(few)), rng.integers(best.size, size=len(few))] = True
    steps[: len(few)] *= few
    return best + steps


@lru_cache(maxsize=16)
def _halton(n: int) -> Array:
    points: Array = qmc.Halton(n, scramble=True, seed=0).random(128 * SPREAD)
    return points
