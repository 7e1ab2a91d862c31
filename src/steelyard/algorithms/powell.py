"""Powell's conjugate directions (1964) with a line search and an exchange of directions that only compare."""

from dataclasses import dataclass

import numpy as np

from steelyard.checks import check_positive, check_whole
from steelyard.dialogue import Dialogue
from steelyard.parts.conjugate import Lines, search_lines
from steelyard.parts.stopping import reason_to_stop, settled
from steelyard.typing import Array

WHEN_TIED = 0.5
"""The factor of a length along whose line nothing could be distinguished."""


@dataclass(frozen=True)
class Powell:
    """Line searches along n directions that become conjugate: about 5 + bits comparisons per line, of n + 1 per round.

    The textbook method fits a parabola to values and drops the direction of the largest decrease, both of which need
    values. Here a line is searched by comparisons, and the move of a whole round replaces the direction
    that it went along furthest.
    """

    step: float = 0.5
    """The first step length, along each direction."""
    bits: int = 3
    """To how many bits a line is searched beyond the bracket."""

    def __post_init__(self) -> None:
        check_positive("step", self.step)
        check_whole("bits", self.bits, 0)

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        lines = Lines(list(range(x.size)), np.full(x.size, self.step), when_tied=WHEN_TIED)
        while True:
            x = yield from search_lines(x, lines, self.bits)
            if reason := reason_to_stop(float(lines.lengths.max()), x):
                return (yield from settled(reason, x, self.step, rng))
