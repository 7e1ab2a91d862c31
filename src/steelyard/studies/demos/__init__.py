"""Three demonstrations that need nothing else, each with a simulated person who knows what is good.

`badness(values)` is what the simulated person minimises; real people are never asked for a number.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from steelyard.space import Value
from steelyard.studies.demos.person import gait_badness, palette_badness, typography_badness
from steelyard.studies.runs import Choice
from steelyard.studies.study import Study, load_study

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Demo:
    """A built-in study, and what its simulated person finds bad: 0 is perfect, 1 a typical setting."""

    name: str
    about: str
    badness: Callable[[Mapping[str, Value]], float]

    def study(self) -> Study:
        return load_study(HERE / f"{self.name}.toml")


DEMOS = {
    demo.name: demo
    for demo in (
        Demo("palette", "paint a landscape like the one you see", palette_badness),
        Demo("typography", "make a page pleasant to read", typography_badness),
        Demo("gait", "teach a figure to walk", gait_badness),
    )
}


class Person:
    """A simulated person: prefers what is less bad, errs when the two are close, sometimes can't tell."""

    def __init__(self, demo: Demo, seed: int = 0, noise: float = 0.05, unsure: float = 0.02) -> None:
        self.demo, self.noise, self.unsure = demo, noise, unsure
        self._rng = np.random.default_rng(seed)

    def choose(self, left: Mapping[str, Value], right: Mapping[str, Value]) -> Choice:
        """left, right or tie."""
        difference = self.demo.badness(right) - self.demo.badness(left)  # positive: the left is better
        if abs(difference) < self.unsure:
            return "tie"
        return "left" if difference + self._rng.logistic(0.0, self.noise) > 0 else "right"
