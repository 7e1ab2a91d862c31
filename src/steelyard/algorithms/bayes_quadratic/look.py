"""Where the judge is steady and a quadratic mispredicts: is f rugged, or are its axes measured in different units?

The questions are CQN's. They cost too much to be asked of every f: a quadratic that predicts well needs neither.
"""

import numpy as np

from steelyard.algorithms.bayes_quadratic.overheard import overheard
from steelyard.algorithms.cqn.landscape import Landscape, landscape
from steelyard.algorithms.cqn.stretches import stretches
from steelyard.algorithms.cqn.tuning import DEFAULT
from steelyard.dialogue import Question
from steelyard.parts.hearing import Heard
from steelyard.typing import Array

MISPREDICTED, SINCE = 0.12, 8
"""The share of mispredicted answers from which on a quadratic is not taken to fit, at any time after this many answers
per variable: later it may fit the nearest of many basins."""
RUGGED_AFTER, RUGGED_AT_LEAST = 12, 100
"""After how many answers, per variable and at least, it is asked whether f is rugged ..."""
UNITS_AFTER, UNITS_AT_LEAST = 20, 150
"""... and whether the axes are measured in different units."""


class Look:
    """What has been asked about f at large; each question once."""

    def __init__(self, scale: float) -> None:
        self._scale, self._rugged, self._units, self._misfit = scale, False, False, False

    def notice(self, asked: int, n: int, mispredicted: float) -> None:
        """Take in how often answers are mispredicted."""
        self._misfit = self._misfit or (asked >= SINCE * n and mispredicted > MISPREDICTED)

    def rugged_due(self, asked: int, n: int) -> bool:
        """Is it time to ask whether f is rugged?"""
        return self._misfit and not self._rugged and asked >= max(RUGGED_AFTER * n, RUGGED_AT_LEAST)

    def units_due(self, asked: int, n: int) -> bool:
        """Is it time to ask about the units of the axes?"""
        return self._misfit and not self._units and asked >= max(UNITS_AFTER * n, UNITS_AT_LEAST)

    def landscape(self, x: Array, rng: np.random.Generator) -> Question[tuple[Landscape, Heard]]:
        """What f is like around x: 12 or 24 comparisons, about 80 or 140 if it is rugged."""
        self._rugged = True
        return (yield from overheard(landscape(x, self._scale, rng, DEFAULT), rng))

    def units(self, x: Array, rng: np.random.Generator) -> Question[tuple[Array | None, Heard]]:
        """The units of the axes compared with each other; None if they are much alike. 2 to 7 n comparisons."""
        self._units = True
        uphill = rng.choice([-1.0, 1.0], x.size)  # near a minimiser both ways lead up
        return (yield from overheard(stretches(x, uphill, self._scale, DEFAULT), rng))
