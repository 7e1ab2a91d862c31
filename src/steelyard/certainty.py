"""How settled a run is, for methods that keep a model of what they were told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from steelyard.typing import Array

BEFOREHAND = 0.9
"""How likely it is, before the first answer, that answers will not be given by chance."""


@dataclass(frozen=True, eq=False)
class Certainty:
    """What a method believes about its recommendation, given the answers so far.

    Probabilities are of being at least as good; an interval holds the best value of its parameter with 90 %. `missing`
    is how much better the best is expected to be still, as a part of what it is better than a typical point of the box.
    `gain` is what one more question is expected to win, in units in which a typical point of the box is worse than the
    recommendation by 1. `noise` compares named raters: 1
    is typical. `sense` is the probability that the answers say anything at all, rather than having been given by
    chance; everything else allows for that.
    """

    beats_start: float
    beats_runner_up: float
    runner_up: Array
    low: Array
    high: Array
    missing: float
    gain: float
    noise: Mapping[str, float] = field(default_factory=dict)
    sense: float = BEFOREHAND

    @property
    def no_better_than_chance(self) -> bool:
        """Are the answers more likely to be tossed coins than not? Then nothing else here should be relied on."""
        return self.sense < 0.5

    def mapped(self, outward: Callable[[Array], Array]) -> Certainty:
        """The same in other coordinates; `outward` must be increasing in each of them."""
        return replace(self, runner_up=outward(self.runner_up), low=outward(self.low), high=outward(self.high))
