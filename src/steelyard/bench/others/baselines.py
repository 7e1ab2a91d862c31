"""What a person would do without a method: try random things against the best so far, or hold a tournament."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from steelyard.dialogue import Capabilities, Dialogue, Step, better
from steelyard.typing import Array


@dataclass(frozen=True)
class RandomChallenger:
    """The best so far against a random point of the box, again and again; 1 comparison each."""

    capabilities: ClassVar[Capabilities] = Capabilities(unit_box=True)

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        while True:
            challenger = rng.random(x.size)
            if (yield from better(challenger, x)):
                x = challenger
                yield Step(x)


@dataclass(frozen=True)
class Knockout:
    """Knockout tournaments of random points, whose winner meets the best so far; `size` comparisons each."""

    size: int = 16
    """Points per tournament."""
    capabilities: ClassVar[Capabilities] = Capabilities(unit_box=True)

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        while True:
            players = list(rng.random((self.size, x.size)))
            while len(players) > 1:
                first, second = players.pop(0), players.pop(0)
                players.append(first if (yield from better(first, second)) else second)
            if (yield from better(players[0], x)):
                x = players[0]
                yield Step(x)
