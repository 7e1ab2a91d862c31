"""A judge that has not been seen to err is asked at first whether what the model recommends is ahead of its anchor.

A start may be a thousand times nearer to the minimum than is expected of it. Until the model has found that out, all
that it recommends is far worse, however sure it is. The judge can say so at once. What speaks against a claim is asked
again: a single error must not make the region smaller.
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
    """What the judge said of a claim."""

    held: bool
    refuted: bool
    """Did it say twice that the claim does not hold?"""
    heard: Heard
    """What was asked for the first time ..."""
    again: Array
    """... and the answers of the second: who heard the first would think too well of having predicted them."""


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
        """Is x better than the anchor? One comparison, two if it is not."""
        self._next = AGAIN * asked + 1.0
        first = yield Compare(x[None], anchor[None])
        held, again = bool(first[0] > 0), np.empty(0)
        self._held = self._held + 1 if held else 0
        if first[0] < 0:
            way, (near, far) = x - anchor, MOVED_BY * rng.random(2)
            second = yield Compare((anchor + near * way)[None], (x - far * way)[None])  # the places exchanged
            again = second.astype(np.float64)
        heard = Heard(x[None], anchor[None], first.astype(np.float64))
        return Said(held, bool((again > 0).any()), heard, again)
