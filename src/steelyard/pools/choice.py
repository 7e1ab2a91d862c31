"""Which pairs to ask about next: by the worth of an answer, by double Thompson sampling, or for a ranking."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from steelyard.pools.bradley_terry import LOGISTIC, Strengths
from steelyard.typing import Array

TRIES = 64
"""Draws of the second candidate until it differs from the first."""
CONTENDERS = 64
"""The most candidates considered for a pair: those whose strength may be the highest, one deviation above the mean."""
WORTHLESS = 1e-6
"""An answer that is expected to raise the strength of the choice by less than this changes nothing."""
VALUED_REPEATS = 4.0
"""A question is valued as if it were asked this often: one answer alone seldom changes a choice, though several would.
Chosen among 1, 2 and 4, on seeds that plans/pools.py does not use."""
TIES_BROKEN = 0.02
"""By what part the worth of pairs is varied, so that chance decides between those that are alike."""
UNWEIGHTY = 0.05
"""Beliefs of less weight than this are passed over."""


def pairs_for_best(beliefs: Strengths, count: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """`count` pairs for finding the best: those whose answers are worth most, no candidate in two of them.

    Where too few answers are worth anything by themselves, the other pairs are duels.
    """
    who, worth = _worth_of_answers(beliefs)
    worth = worth * rng.uniform(1.0 - TIES_BROKEN, 1.0 + TIES_BROKEN, worth.shape)
    pairs: list[tuple[int, int]] = []
    while len(pairs) < count:
        i, j = np.unravel_index(int(worth.argmax()), worth.shape)
        if worth[i, j] < WORTHLESS:
            return pairs + [duel(beliefs, rng) for _ in range(count - len(pairs))]
        pairs.append((int(who[i]), int(who[j])) if rng.random() < 0.5 else (int(who[j]), int(who[i])))
        worth[[i, j]] = worth[:, [i, j]] = 0.0
    return pairs


def _worth_of_answers(beliefs: Strengths) -> tuple[NDArray[np.intp], Array]:
    """By how much an answer about each pair raises the expected strength of whom one would choose after it.

    That is the knowledge gradient (Frazier, Powell and Dayanik 2009), for answers instead of values: the better of two
    wins with the probability of a normal distribution function, and either answer shifts all means along the
    covariances with the difference. Contenders, and a matrix with the worth of each pair above its diagonal.
    """
    average = beliefs.average
    variance = beliefs.weights @ (np.diagonal(beliefs.covariance, axis1=1, axis2=2) + (beliefs.mean - average) ** 2)
    who = np.sort(np.argsort(-(average + np.sqrt(variance)))[:CONTENDERS])
    i, j = np.triu_indices(len(who), 1)
    worth = np.zeros((len(who), len(who)))
    for weight, mean, covariance in zip(beliefs.weights, beliefs.mean, beliefs.covariance, strict=True):
        if weight < UNWEIGHTY:
            continue
        mean, covariance = mean[who], covariance[np.ix_(who, who)]
        of_difference = covariance[:, i] - covariance[:, j]
        along = np.arange(len(i))
        deviation = np.sqrt(of_difference[i, along] - of_difference[j, along] + LOGISTIC**2 / VALUED_REPEATS)
        z = (mean[i] - mean[j]) / deviation
        shift, density = of_difference / deviation, np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi)
        wins, loses = (np.maximum(ndtr(side), 1e-12) for side in (z, -z))
        after_win = (mean[:, None] + shift * (density / wins)).max(axis=0)
        after_loss = (mean[:, None] - shift * (density / loses)).max(axis=0)
        worth[i, j] += weight * (wins * after_win + loses * after_loss - mean.max())
    return who, worth


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
