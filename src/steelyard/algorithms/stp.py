"""Stochastic three points (Bergou, Gorbunov, Richtarik 2020), comparison-based by CompMin."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from steelyard.checks import check_choice, check_positive
from steelyard.dialogue import Dialogue, Step
from steelyard.parts.directions import Directions, check_directions, sample
from steelyard.parts.questions import AskingForm, best_point
from steelyard.parts.stopping import LONGEST_STEP
from steelyard.typing import Array

CHANGE = 1.25
"""The factor of the schedule "success", which is ours: the paper's steps do not grow."""


@dataclass(frozen=True)
class STP:
    """Stochastic three points: the best of x and x +- a random step; 2 comparisons per step."""

    step: float = 0.1
    """The first step length."""
    directions: Directions = "gaussian"
    """The distribution of the random directions: "gaussian", "sphere", "coordinate" or "rademacher"."""
    schedule: Literal["constant", "sqrt", "success"] = "success"
    """"constant" keeps the step; "sqrt" divides it by sqrt(k + 1); "success" multiplies it by 1.25 after a move and
    divides it by 1.25 after none, which makes convergence linear on smooth functions."""
    form: AskingForm = "comparison"
    """"comparison", or "value" for the paper's zeroth-order form (step 3a), which sees values of f."""

    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "paper": {"step": 0.1, "schedule": "constant"},
        "paper-toy": {"step": 0.01, "schedule": "constant"},
    }

    def __post_init__(self) -> None:
        check_positive("step", self.step)
        check_directions(self.directions)
        check_choice("schedule", self.schedule, ("constant", "sqrt", "success"))
        check_choice("form", self.form, ("comparison", "value"))

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        a, k = self.step, 0
        while True:
            s = a * sample(self.directions, x.size, rng)  # 1.
            points = [x - s, x + s, x]  # 2.
            best = yield from best_point(points, rng, self.form)  # 3a, 3b
            x, k = points[best], k + 1
            yield Step(x)
            if self.schedule == "sqrt":
                a = self.step / np.sqrt(k + 1)
            elif self.schedule == "success":  # with a limit, as an oracle may like whatever is far away
                a = a / CHANGE if best == 2 else min(a * CHANGE, LONGEST_STEP)
