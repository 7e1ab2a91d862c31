"""Which points to show together where people choose among several: each added for what its choice is expected to teach.

The knowledge gradient of a set has no closed form. It is worked out from draws of f, with the noise of one look at each
point: for every point that may be chosen, the mean of f over the draws in which it is, at the best place for them.
"""

import numpy as np
from numpy.typing import NDArray

from steelyard.algorithms.preference_gp.joint import Joint
from steelyard.typing import Array

SET_DRAWS = 32
PLACES = 80


def best_set(
    joint: Joint, pair: tuple[int, int], size: int, among: NDArray[np.intp], rng: np.random.Generator
) -> list[int]:
    """`pair` and as many more of the candidates `among` as make it `size`, the one that teaches most first."""
    places = np.array(list(dict.fromkeys([*pair, *among[:PLACES].tolist()])))
    f = joint.draws(places, SET_DRAWS, rng)
    felt = f + np.sqrt(0.5) * rng.standard_normal(f.shape)
    chosen = [0, 1]
    while len(chosen) < min(size, len(places)):
        gains = _gains(f, felt, chosen)
        gains[chosen] = -np.inf
        chosen.append(int(gains.argmax()))
    return [int(places[i]) for i in chosen]


def _gains(f: Array, felt: Array, chosen: list[int]) -> Array:
    """The expected value of the best recommendation after a choice among `chosen` and each other place."""
    ahead = felt[:, chosen].argmax(axis=1)
    wins = (felt > felt[:, chosen].max(axis=1)[:, None]).astype(float)
    value = (f.T @ wins).max(axis=0)
    for i in range(len(chosen)):
        value = value + (f.T @ ((ahead == i)[:, None] * (1.0 - wins))).max(axis=0)
    return np.asarray(value / len(f))
