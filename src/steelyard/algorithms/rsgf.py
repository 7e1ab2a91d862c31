"""RSGF (Ghadimi, Lan 2013): the paper's example of a zeroth-order method that comparisons cannot run.

It is kept out of the registry: it stands here as the counter-example for `is_comparison_only`.
"""

from dataclasses import dataclass

import numpy as np

from steelyard.checks import check_positive
from steelyard.dialogue import Dialogue, Evaluate, Step
from steelyard.typing import Array


@dataclass(frozen=True)
class RSGF:
    """Randomised gradient-free descent: 2 values of f per step, and how far it goes depends on their difference."""

    step: float = 0.01
    """The step length per unit of the gradient."""
    mu: float = 1e-4
    """The distance over which f is differenced."""

    def __post_init__(self) -> None:
        check_positive("step", self.step)
        check_positive("mu", self.mu)

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        while True:
            u = rng.standard_normal(x.size)
            f = yield Evaluate(np.stack([x + self.mu * u, x]))
            x = x - self.step * (f[0] - f[1]) / self.mu * u
            yield Step(x)
