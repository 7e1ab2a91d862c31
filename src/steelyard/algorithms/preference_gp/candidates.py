"""The points that a question may be about: near the recommendation, all over the box, and those asked about before."""

import numpy as np
from numpy.typing import NDArray

from steelyard.algorithms.preference_gp.coordinates import Coordinates
from steelyard.algorithms.preference_gp.halton import scrambled_halton
from steelyard.algorithms.preference_gp.joint import Joint
from steelyard.algorithms.preference_gp.posterior import Posterior
from steelyard.typing import Array

FEW_CANDIDATES, MANY_CANDIDATES, THOROUGH = 40, 80, 150
"""Enough where the best pair is refined, where it is not, and where the best of all is looked for among them: the
sparser they are, the more of what is missing is missed."""
EXPONENTS = -2.2, -0.4
"""Steps away from the recommendation are ten to a power between these, in widths of the box."""
SPARSE = 0.35
"""The share of coordinates along which every second of these steps goes."""
SAME_POINT = 1e-9
HALTON = 128 * MANY_CANDIDATES


def candidates(
    best: Array, asked: Array, coordinates: Coordinates, number: int, rng: np.random.Generator, size: int
) -> Array:
    """Row 0 is `best`; the others differ from it: `size` near it, as many all over the box, and half as many of those
    `asked` before, of which the most promising come first. `number` says how many questions came before."""
    points = [best[None], _local(best, size, rng), halton(coordinates.n, size, number * size), asked[: size // 2]]
    rows = coordinates.snap(np.concatenate(points))
    differs = (np.abs(rows - rows[0]) > SAME_POINT).any(axis=1)
    differs[0] = True
    return np.asarray(rows[differs])


def most_promising(asked: Array, posterior: Posterior, coordinates: Coordinates) -> Array:
    """As many of the points `asked` before as any question may be about, by their mean."""
    mean = posterior.average(coordinates.features(asked))
    return np.asarray(asked[np.argsort(-mean)[: THOROUGH // 2]])


def halton(n: int, count: int, skip: int) -> Array:
    """`count` points of a scrambled Halton sequence in [0, 1]^n, from number `skip` on, round and round."""
    points = scrambled_halton(n, HALTON)
    return points[(skip + np.arange(count)) % len(points)]


def recommendable(joint: Joint) -> NDArray[np.intp]:
    """The half of the candidates that could turn out best, by mean + deviation of f - f(best), with the best itself."""
    worse_by, variance = joint.difference(0)
    promise = ((np.sqrt(variance) - worse_by) / joint.unit[:, None]).mean(axis=0)
    promise[0] = np.inf
    return np.argsort(-promise)[: (len(promise) + 1) // 2]


def _local(best: Array, count: int, rng: np.random.Generator) -> Array:
    """Steps of all sizes away from `best`, half of them along about a third of the coordinates only."""
    steps = rng.standard_normal((count, best.size)) * 10.0 ** rng.uniform(*EXPONENTS, (count, 1))
    few = rng.random((count // 2, best.size)) < SPARSE
    few[np.arange(len(few)), rng.integers(best.size, size=len(few))] = True
    steps[: len(few)] *= few
    return best + steps
