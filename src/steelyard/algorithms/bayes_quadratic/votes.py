"""Two points compared until one is ahead by enough votes, for the error rate that is believed."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, log
from typing import NamedTuple

import numpy as np

from steelyard.dialogue import Compare, Question
from steelyard.typing import Array

MOST_VOTES = 8
"""The largest lead that is waited for."""
PATIENCE = 3
"""Where a defeat may be found as well as a victory, votes wait for this many times the lead."""
VARIED, VARIED_ALONE = 0.3, 0.1
"""By how much of the way between them two points are varied at most, so that no question repeats, and by how much if
only the first is."""
MORE_TIES = 4
"""Votes end when this many more of them were ties than were not: the judge cannot distinguish the two."""
LEAST_RATE, MOST_RATE = 0.01, 0.45
"""Error rates count as at least and at most this."""


class Votes(NamedTuple):
    """How the votes went, with what was asked: rows of a against rows of b."""

    lead: int
    """By how many votes the first point was ahead."""
    a: Array
    b: Array
    answers: Array

    @classmethod
    def none(cls, n: int) -> Votes:
        return cls(0, np.empty((0, n)), np.empty((0, n)), np.empty(0))

    def followed_by(self, more: Votes) -> Votes:
        """These votes and more of them."""
        parts = (np.concatenate(pair) for pair in zip(self[1:], more[1:], strict=True))
        return Votes(self.lead + more.lead, *parts)

    @property
    def ties(self) -> int:
        return int((self.answers == 0.0).sum())


def needed(rate: float, odds: float) -> int:
    """The lead at which it is `odds` times as probable that a point is better as that it is not."""
    rate = min(max(rate, LEAST_RATE), MOST_RATE)
    return min(ceil(log(odds) / log((1.0 - rate) / rate)), MOST_VOTES)


def between(x: Array, other: Array, rng: np.random.Generator) -> Callable[[], tuple[Array, Array]]:
    """The two points as pairs to vote on, each varied towards the other."""
    way = VARIED * (x - other)
    return lambda: (x - way * rng.random(), other + way * rng.random())


def against(other: Array, x: Array, rng: np.random.Generator) -> Callable[[], tuple[Array, Array]]:
    """The same, but the other stays as it is: f may fall at once along any way that leads off."""
    way = VARIED_ALONE * (x - other)
    return lambda: (x - way * rng.random(), other)


def vote(
    pair: Callable[[], tuple[Array, Array]], win: int, lose: int, most: int, rng: np.random.Generator
) -> Question[Votes]:
    """Ask pairs, in random order, until the first is `win` votes ahead or `lose` behind: at most `most` comparisons."""
    lead, undecided, a, b = 0, 0, [], []
    answers: list[float] = []
    while -lose < lead < win and len(answers) < most and undecided < MORE_TIES:
        one, other = pair()
        turned = rng.random() < 0.5
        a.append(other if turned else one)
        b.append(one if turned else other)
        (answer,) = yield Compare(a[-1][None], b[-1][None])
        answers.append(float(answer))
        lead += int(-answer if turned else answer)
        undecided += -1 if answer else 1
    return Votes(lead, np.array(a), np.array(b), np.array(answers))
