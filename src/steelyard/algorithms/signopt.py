"""SignOPT (Cheng et al., "Sign-OPT: a query-efficient hard-label adversarial attack", 2020)."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from steelyard.checks import check_flag, check_positive, check_whole
from steelyard.dialogue import Capabilities, Dialogue, Step
from steelyard.parts.directions import Directions, check_directions
from steelyard.parts.one_bit import MOVE, StepLength, check_radius, one_bit_sum
from steelyard.parts.stopping import reason_to_stop, settled
from steelyard.typing import Array

DIRECTIONS_PER_STEP = 50
"""The most directions per step by default."""


@dataclass(frozen=True)
class SignOPT:
    """A step against the mean of m signed random directions: m comparisons per step, in one batch, and a line search.

    g = (1/m) sum of sign(f(x + radius u_i) - f(x)) u_i."""

    step: float = 0.2
    """The first step length; the only one without `line_search`."""
    m: int | None = None
    """Directions per step; min(n, 50) by default."""
    radius: float | None = None
    """How far the directions reach; with `line_search` only at first, and by default derived from `step`."""
    directions: Directions = "gaussian"
    """The distribution of the random directions: "gaussian", "sphere", "coordinate" or "rademacher"."""
    line_search: bool = True
    """The step goes along -g/|g|, its length found by comparisons, and the radius follows the length. Without it every
    step is -step * g, as published."""

    capabilities: ClassVar[Capabilities] = Capabilities(in_flight="m", cut=True)
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "paper": {"step": 0.2, "m": 10, "radius": 0.1, "line_search": False},
        "paper-toy": {"step": 0.2, "m": 100, "radius": 0.1, "line_search": False},
    }

    def __post_init__(self) -> None:
        check_positive("step", self.step)
        check_flag("line_search", self.line_search)
        check_radius(self.radius, self.line_search)
        if self.m is not None:
            check_whole("m", self.m, 1)
        check_directions(self.directions)

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        m = self.m or min(x.size, DIRECTIONS_PER_STEP)
        length = StepLength.first(self.step, self.radius, x.size, self.directions)
        reserve = MOVE if self.line_search else None  # a fixed step is taken on all m answers or not at all
        while True:
            total = yield from one_bit_sum(x, length.radius, m, self.directions, rng, reserve)
            if self.line_search:
                x = yield from length.move(x, total)
                if reason := reason_to_stop(length.a, x):
                    return (yield from settled(reason, x, self.step, rng))
            else:
                x = x - self.step * (total / m)
            yield Step(x)
