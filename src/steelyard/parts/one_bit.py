"""One-bit gradients: what m comparisons of x with its neighbours say about the slope of f, and how far to go by it."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from steelyard.checks import check_positive
from steelyard.dialogue import Compare, Question
from steelyard.errors import BadValue
from steelyard.parts.directions import Directions, sample_many
from steelyard.parts.line_search import line_search
from steelyard.parts.questions import rows_in_a_batch
from steelyard.typing import Array

FIRST_RADIUS = 0.3
"""How far to look at first, in steps over the square root of n, if nothing is said."""
FAILED = 1.0 / 16.0
"""By what the step and the radius change where no step was better: line searches have tried an eighth by then."""
MOVE = 6
"""Comparisons to keep for the line search that makes use of a one-bit gradient."""


def one_bit_sum(
    x: Array, r: float, m: int, directions: Directions, rng: np.random.Generator, reserve: int | None
) -> Question[Array]:
    """The sum of sign(f(x + r z_i) - f(x)) z_i over m random directions z_i: m comparisons, in one batch if it fits.

    In the mean it points along the gradient: for Gaussian z it is m sqrt(2/pi) times the unit gradient, as r goes to 0.
    With a `reserve` it may be the sum over fewer directions at the end of a budget.
    """
    n = x.size
    batch = rows_in_a_batch(n)  # the directions are drawn in the same order however they are cut
    total = np.zeros(n)
    for start in range(0, m, batch):
        z = sample_many(directions, min(batch, m - start), n, rng)
        question = Compare(np.broadcast_to(x, z.shape), x + r * z, reserve)
        y = yield question
        total = total + y @ z
        if question.cut_to is not None:
            break
    return total


@dataclass
class StepLength:
    """How far to go along a one-bit gradient and how far to look for the next: both follow the last line search."""

    a: float
    radius: float

    @staticmethod
    def first(step: float, radius: float | None, n: int, directions: Directions) -> StepLength:
        """With no radius given: so short that the slope along a random direction outweighs the curvature."""
        length = sqrt(n) if directions == "gaussian" else 1.0
        return StepLength(step, FIRST_RADIUS * step / (sqrt(n) * length) if radius is None else radius)

    def move(self, x: Array, g: Array) -> Question[Array]:
        """A better point in the direction of -g, or x: 2 to 5 comparisons as a rule."""
        norm = float(np.linalg.norm(g))
        moved = (yield from line_search(x, g / -norm, self.a, bits=0, shrinks=3)) if norm > 0.0 else None
        factor = FAILED if moved is None else moved.a / self.a
        self.a, self.radius = self.a * factor, self.radius * factor
        return x if moved is None else moved.x


def check_radius(radius: float | None, line_search: bool) -> None:
    """A fixed step says nothing about a good radius; a line search does."""
    if radius is not None:
        check_positive("radius", radius)
    elif not line_search:
        raise BadValue("radius must be given if line_search is off, got None")
