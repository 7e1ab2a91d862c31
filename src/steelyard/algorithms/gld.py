"""Gradientless descent (Golovin et al. 2019), comparison-based by CompMin."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log2
from typing import Any, ClassVar

import numpy as np

from steelyard.checks import check_choice, check_flag, check_positive
from steelyard.dialogue import Dialogue, Step
from steelyard.errors import BadValue
from steelyard.parts.directions import Directions, check_directions, sample_many
from steelyard.parts.questions import Form, best_of
from steelyard.typing import Array


@dataclass(frozen=True)
class GLD:
    """Gradientless descent with binary search: one trial at each radius R, R/2, R/4, ..., r; log2(R/r) + 1 comparisons.

    The published code halves only as often as log10(R/r) says, so never comes near r, and its Gaussian steps at radius
    rho measure about rho/sqrt(n): `over_n` divides the directions by n. Its recorded results, on the toy problems and
    for n = 2 to 12, are met by the presets "published" and "published-toy".
    """

    R: float = 1.0
    r: float = 1e-4
    directions: Directions = "sphere"
    over_n: bool = False
    form: Form = "comparison"

    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "paper": {"R": 0.1, "r": 1e-4},
        "published": {"R": 0.1, "r": 0.05, "directions": "gaussian", "over_n": True},
        "paper-toy": {"R": 10.0, "r": 0.01},
        "published-toy": {"R": 10.0, "r": 5.0, "directions": "gaussian", "over_n": True},
    }

    def __post_init__(self) -> None:
        check_positive("R", self.R)
        check_flag("over_n", self.over_n)
        check_positive("r", self.r)
        check_directions(self.directions)
        check_choice("form", self.form, ("comparison", "value"))
        if self.r > self.R:
            raise BadValue(f"r must be at most R, got r={self.r:g} and R={self.R:g}")

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        K = floor(log2(self.R / self.r) + 1e-9)
        radii = self.R * 0.5 ** np.arange(K + 1) / (x.size if self.over_n else 1)
        while True:
            points = np.empty((K + 2, x.size))
            points[0] = x
            np.multiply(radii[:, None], sample_many(self.directions, K + 1, x.size, rng), out=points[1:])
            points[1:] += x
            x = points[(yield from best_of(points, rng, self.form))]
            yield Step(x)
