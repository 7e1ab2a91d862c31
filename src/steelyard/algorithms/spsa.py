"""SPSA by comparisons: simultaneous perturbation stochastic approximation (Spall 1992), as engine tuners use it."""

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np

from steelyard.bounds import Box
from steelyard.checks import check_at_least, check_positive, check_whole
from steelyard.dialogue import Capabilities, Compare, Dialogue, Step
from steelyard.typing import Array

DELAY = 0.1
"""The part of all answers that delays the fall of the steps (Spall 1998)."""
AVERAGING = 3.0
"""The recommendation is an average of the iterates in which late ones weigh more (Shamir and Zhang 2013, eta = 2)."""


@dataclass(frozen=True)
class SPSA:
    """The two points x + c D and x - c D, D of random signs, against each other; a step towards the winner.

    1 comparison per step. Step lengths and perturbations fall with fixed powers of the number of steps, whatever the
    answers: a simple and robust baseline when answers are noisy because the two are close, slow otherwise.
    """

    step: float = 0.5
    """The first step length, in units of the scale, times (k + stability)^alpha."""
    perturbation: float = 0.3
    """The first perturbation of each variable, in units of the scale."""
    alpha: float = 0.602
    """The power by which steps fall."""
    gamma: float = 0.101
    """The power by which perturbations fall."""
    answers: int = 1000
    """About how many answers there will be: a tenth of that delays the fall of the steps."""

    capabilities: ClassVar[Capabilities] = Capabilities(knows_box=True)

    def __post_init__(self) -> None:
        check_positive("step", self.step)
        check_positive("perturbation", self.perturbation)
        check_at_least("alpha", self.alpha, 0.0)
        check_at_least("gamma", self.gamma, 0.0)
        check_whole("answers", self.answers, 1)

    def run(self, x: Array, rng: np.random.Generator, box: Box | None = None) -> Dialogue:
        scale = _scale(x, box)
        average, k = x, 0
        while True:
            k += 1
            D = np.where(rng.random(x.size) < 0.5, 1.0, -1.0) * scale
            c = self.perturbation / k**self.gamma
            a = self.step / (k + DELAY * self.answers) ** self.alpha / sqrt(x.size)
            plus, minus = (_inside(x + sign * c * D, box) for sign in (1.0, -1.0))
            answer = yield Compare(plus[None], minus[None])
            x = _inside(x + a * float(answer[0]) * D, box)
            average = average + (AVERAGING / (k + AVERAGING - 1.0)) * (x - average)
            yield Step(average)


def _scale(x: Array, box: Box | None) -> Array:
    """Half the width of the box; the rms of x0 where there is none."""
    plain = np.full(x.size, sqrt(float(np.mean(x * x))) or 1.0)
    if box is None:
        return plain
    width = box.high - box.low
    return np.where(np.isfinite(width), 0.5 * width, plain)


def _inside(x: Array, box: Box | None) -> Array:
    return x if box is None else np.clip(x, box.low, box.high)
