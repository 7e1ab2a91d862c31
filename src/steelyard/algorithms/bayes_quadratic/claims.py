"""A judge that has not been seen to err is asked at first whether what the model recommends is ahead of its anchor.

A start may be a thousand times nearer to the minimum than is expected of it. Until the model has found that out, all
that it recommends is far worse, however sure it is. The judge can say so at once. It is asked twice, so that an error
shows.
"""

from typing import NamedTuple

import numpy as np

from steelyard.algorithms.bayes_quadratic.repeats import MOVED_BY
from steelyard.dialogue import Compare, Question
from steelyard.parts.hearing import Heard
from steelyard.typing import Array

ENOUGH_HELD = 2
"""Claims are made until this many in a row have held."""
AGAIN = 1.3
"""The next claim is made when the answers have grown by this factor."""
MUCH_NEARER = 4.0
"""By what the region becomes smaller where a claim did not hold."""


class Said(NamedTuple):
    """What the judge said of a claim: that it holds, that it does not, or neither."""

    seen: Heard
    """The question ..."""
    again: Heard
    """... and the same once more, the places exchanged, if there was an answer."""

    @property
    def held(self) -> bool:
        return self._said_twice(1.0)

    @property
    def refuted(self) -> bool:
        return self._said_twice(-1.0)

    def _said_twice(self, answer: float) -> bool:
        return bool((self.seen.answers == answer).all() and (self.again.answers == -answer).any())


class Claims:
    """How many claims have held, and when it is time for the next."""

    def __init__(self) -> None:
        self._held, self._next = 0, 0.0

    @property
    def open(self) -> bool:
        """Is there anything left to claim?"""
        return self._held < ENOUGH_HELD

    @property
    def last_held(self) -> bool:
        """Did the last claim hold?"""
        return self._held > 0

    def due(self, asked: int) -> bool:
        """Is it time for the next?"""
        return asked >= self._next

    def make(self, x: Array, anchor: Array, asked: int, rng: np.random.Generator) -> Question[Said]:
        """Is x better than the anchor? Two comparisons."""
        self._next = AGAIN * asked + 1.0
        seen, again = (yield from _asked(x, anchor)), Heard.nothing(x.size)
        if seen.answers[0] != 0.0:
            way, (near, far) = x - anchor, MOVED_BY * rng.random(2)
            again = yield from _asked(anchor + near * way, x - far * way)
        said = Said(seen, again)
        self._held = self._held + 1 if said.held else 0
        return said


def _asked(a: Array, b: Array) -> Question[Heard]:
    answer = yield Compare(a[None], b[None])
    return Heard(a[None], b[None], answer.astype(np.float64))
