"""Gradientless descent (Golovin et al. 2019), comparison-based by CompMin."""

from dataclasses import dataclass
from math import floor, log2
from typing import Any, ClassVar

import numpy as np

from steelyard.checks import check_choice, check_flag, check_positive
from steelyard.dialogue import Dialogue, Step
from steelyard.errors import BadValue
from steelyard.parts.directions import Directions, check_directions, sample_many
from steelyard.parts.questions import AskingForm, best_point
from steelyard.typing import Array

SLACK = 1e-9
"""So that a power of two counts as one although its logarithm is rounded."""


@dataclass(frozen=True)
class GLD:
    """Gradientless descent with binary search: a trial at each of the radii step, step/2, step/4, ..., smallest.

    log2(step/smallest) + 1 comparisons per step. The paper calls the two radii R and r.

    The published code halves only log10(R/r) times, so it never comes near r, and its Gaussian steps at radius rho have
    a length of about rho/sqrt(n). The presets "published" and "published-toy" reproduce its recorded results, on the
    toy problems and for n = 2 to 12.
    """

    step: float = 1.0
    """The largest radius, with which every step begins."""
    smallest: float = 1e-4
    """The smallest radius."""
    directions: Directions = "sphere"
    """The distribution of the random directions: "gaussian", "sphere", "coordinate" or "rademacher"."""
    over_n: bool = False
    """Divide the directions by n, as the published code does."""
    form: AskingForm = "comparison"
    """"comparison", or "value" for the paper's zeroth-order form (step 3a), which sees values of f."""

    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "paper": {"step": 0.1, "smallest": 1e-4},
        "published": {"step": 0.1, "smallest": 0.05, "directions": "gaussian", "over_n": True},
        "paper-toy": {"step": 10.0, "smallest": 0.01},
        "published-toy": {"step": 10.0, "smallest": 5.0, "directions": "gaussian", "over_n": True},
    }

    def __post_init__(self) -> None:
        check_positive("step", self.step)
        check_flag("over_n", self.over_n)
        check_positive("smallest", self.smallest)
        check_directions(self.directions)
        check_choice("form", self.form, ("comparison", "value"))
        if self.smallest > self.step:
            raise BadValue(f"smallest must be at most step, got {self.smallest:g} and step={self.step:g}")

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        K = floor(log2(self.step / self.smallest) + SLACK)
        radii = self.step * 0.5 ** np.arange(K + 1) / (x.size if self.over_n else 1)
        while True:
            points = np.empty((K + 2, x.size))
            points[0] = x
            np.multiply(radii[:, None], sample_many(self.directions, K + 1, x.size, rng), out=points[1:])
            points[1:] += x
            x = points[(yield from best_point(points, rng, self.form))]
            yield Step(x)
