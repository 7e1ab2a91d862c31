"""Coordinates in which another method walks freely: those of x, or in a finite box those of a smooth map into it."""

from collections.abc import Generator
from typing import TypeVar

import numpy as np

from steelyard.algorithms.bayes_quadratic.mind import Mind
from steelyard.bounds import Box, SmoothMap
from steelyard.dialogue import Message
from steelyard.parts.stretched import mapped
from steelyard.typing import Answers, Array

SCALE_IN_BOX = 0.25
"""How far a coordinate may be expected to move, in widths of the box."""

T = TypeVar("T")


class Ground:
    """Where methods walk that know of no box. `open` says whether there is such a ground: a box needs all its sides."""

    def __init__(self, box: Box | None, scale: float) -> None:
        self.open = box is None or box.finite
        self.scale = scale if box is None else SCALE_IN_BOX
        """How far a coordinate may be expected to move."""
        self._box = box
        if box is not None and box.finite:
            n = box.low.size
            self._map = SmoothMap(Box(np.zeros(n), np.ones(n)), np.full(n, 0.5))

    def inward(self, x: Array) -> Array:
        """Where a walk from x begins; in a box a little inside."""
        return x if self._box is None else self._map.inward(self._box.to_unit(x))

    def off_faces(self, x: Array) -> Array:
        """x, or a point near it around which lines do not cross faces: beyond a face f is seen as in a mirror."""
        if self._box is None:
            return x
        return np.clip(self._box.to_unit(x), SCALE_IN_BOX, 1.0 - SCALE_IN_BOX)

    def width_of(self, mind: Mind) -> float:
        """How wide the region of the model is here, along the coordinates."""
        out = mind.radius * np.linalg.norm(mind.region.out, axis=1)
        return float(np.max(out if self._box is None else self._box.to_unit(self._box.low + out)))

    def spoken(self, dialogue: Generator[Message, Answers, T]) -> Generator[Message, Answers, T]:
        """A dialogue that walks here, in the coordinates of x."""
        if (box := self._box) is None:
            return dialogue
        return mapped(dialogue, lambda z: box.from_unit(self._map.outward(z)))
