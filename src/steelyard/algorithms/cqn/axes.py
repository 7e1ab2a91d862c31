"""A look along each axis, near and far: for basins that differ in few coordinates."""

import numpy as np

from steelyard.algorithms.cqn.lengths import ladder
from steelyard.algorithms.cqn.tuning import Tuning
from steelyard.dialogue import Compare, Question, Step, better
from steelyard.parts.questions import tournament_min
from steelyard.typing import Array

BOTTOM_SHRINKS = 0.6
"""By what the steps to a bottom shrink, each half as long as its probe: by half, an error would never be made good."""


def look_along_axes(x: Array, scale: float, rng: np.random.Generator, tuning: Tuning) -> Question[Array | None]:
    """A better point that differs from x in few coordinates, each by up to 10 scales; None if there is none.

    Some 24 comparisons per coordinate, independent of each other.
    """
    reaches = ladder(scale, *tuning.far_reaches)
    found = x
    for i in rng.permutation(x.size):
        found = yield from _along(found, i, reaches, rng, tuning)
    return None if found is x else found


def _along(x: Array, i: int, reaches: Array, rng: np.random.Generator, tuning: Tuning) -> Question[Array]:
    """The best of points about so far away along axis i, on either side, with the bottom next to it found."""
    ratio = float(reaches[1] / reaches[0])
    away = np.concatenate([reaches * ratio ** rng.uniform(), -reaches * ratio ** rng.uniform()])
    points = np.repeat(x[None], len(away), axis=0)
    points[:, i] += away
    answers = yield Compare(points, np.broadcast_to(x, points.shape))
    winners = points[answers > 0]
    if not len(winners):
        return x
    winner = winners[(yield from tournament_min(winners, rng))]
    if not (yield from better(winner, x)):  # asked alone, for answers that err
        return x
    h = 0.5 * (ratio - 1.0) * abs(float(winner[i] - x[i]))
    x = yield from _bottom(winner, i, h, tuning.axis_halvings)
    yield Step(x)
    return x


def _bottom(x: Array, i: int, h: float, halvings: int) -> Question[Array]:
    """The bottom within about h of x along axis i: 1 comparison per bit."""
    for _ in range(halvings):
        sides = np.repeat(x[None], 2, axis=0)
        sides[:, i] += [h, -h]
        answer = yield Compare(sides[:1], sides[1:])
        x = x.copy()
        x[i] += int(answer[0]) * 0.5 * h
        h *= BOTTOM_SHRINKS
    return x
