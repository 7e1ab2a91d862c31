"""Which pair to ask about next: by double Thompson sampling, or for a ranking by what is least certain."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from steelyard.pools.bradley_terry import Strengths
from steelyard.typing import Array

TRIES = 64
"""Draws of the second candidate until it differs from the first."""


def duel(beliefs: Strengths, rng: np.random.Generator) -> tuple[int, int]:
    """A pair for finding the best: the best of one draw of all strengths, against the best of another draw.

    Either is drawn as often as it is believed to be the best (Wu and Liu 2016; with redraws until the two differ, as in
    the top-two sampling of Russo 2016). Where all draws agree, the second is the one most likely to turn out better.
    """
    draws = beliefs.draws(TRIES, rng)
    first = int(draws[0].argmax())
    for draw in draws[1:]:
        second = int(draw.argmax())
        if second != first:
            return first, second
    promise = (draws - draws[:, [first]]).mean(axis=0) + (draws - draws[:, [first]]).std(axis=0)
    promise[first] = -np.inf
    return first, int(promise.argmax())


def unclear(beliefs: Strengths, rng: np.random.Generator, draws: int = 128) -> tuple[int, int]:
    """A pair for a ranking: neighbours in the order believed in, of whom it is least certain which is better."""
    order = np.argsort(-beliefs.average)
    drawn = beliefs.draws(draws, rng)
    ahead = (drawn[:, order[:-1]] > drawn[:, order[1:]]).mean(axis=0)
    spread = (drawn[:, order[:-1]] - drawn[:, order[1:]]).std(axis=0)
    worth = ahead * (1.0 - ahead) * spread * rng.uniform(0.9, 1.1, len(ahead))
    k = int(worth.argmax())
    return int(order[k]), int(order[k + 1])


def probabilities_of_best(draws: Array) -> Array:
    """How often each candidate is the best of a draw."""
    counts: NDArray[np.intp] = np.bincount(draws.argmax(axis=1), minlength=draws.shape[1])
    return np.asarray(counts / len(draws))
