"""Searches along each axis, near and far: for basins that differ in few coordinates, and sums of rugged functions."""

from __future__ import annotations

from math import ceil, log

import numpy as np

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
    reaches = _reaches(scale, *tuning.far_reaches)
    found = x
    for i in rng.permutation(x.size):
        found = yield from _along(found, i, reaches, rng, tuning)
    return None if found is x else found


def search_axes(x: Array, scale: float, rng: np.random.Generator, tuning: Tuning) -> Question[Array]:
    """The best point found by a global search along each axis, for a sum of functions of one coordinate each.

    About 65 comparisons per variable to find its basin along each axis, one after another: far and coarsely first, then
    from bottom to bottom. At most 52 more for its bottom, along all axes at once.
    """
    far, near = _reaches(scale, *tuning.far_reaches), _reaches(scale, *tuning.near_reaches)
    for i in rng.permutation(x.size):
        x = yield from _along(x, i, far, rng, tuning)
        x = yield from _best_bottom(x, i, near, tuning)
    h = np.full(x.size, tuning.polish_from * scale)
    for _ in range(tuning.polish_halvings):
        points = np.concatenate([x + np.diag(h), x - np.diag(h)])
        wins = (yield Compare(points, np.broadcast_to(x, points.shape))) > 0
        up, down = wins[: x.size], wins[x.size :]
        x = x + h * np.where(up, 1.0, -1.0) * (up != down)
        h = np.where(up != down, h, 0.5 * h)
        yield Step(x)
    return x


def _best_bottom(x: Array, i: int, reaches: Array, tuning: Tuning) -> Question[Array]:
    """From bottom to better bottom along axis i, until the next ones are worse: some 13 comparisons each."""
    start = x
    for side in (1.0, -1.0):
        for _ in range(tuning.near_moves):
            bottom = yield from _next_bottom(x, i, side * reaches, tuning)
            if bottom is None or not (yield from better(bottom, x)):
                break
            x = bottom
            yield Step(x)
        if x is not start:
            break
    return x


def _next_bottom(x: Array, i: int, away: Array, tuning: Tuning) -> Question[Array | None]:
    """The nearest bottom behind a rise, among points so far away from x along axis i; None if f only rises."""
    path = np.repeat(x[None], len(away) + 1, axis=0)
    path[1:, i] += away
    risen = falling = False
    for start in range(0, len(away), tuning.near_batch):
        end = min(start + tuning.near_batch, len(away))
        falls = (yield Compare(path[start + 1 : end + 1], path[start:end])) > 0
        for k, falls_here in enumerate(falls, start):
            if risen and falling and not falls_here:
                h = 0.5 * abs(float(path[k, i] - path[k - 1, i]))
                return (yield from _bottom(path[k], i, h, tuning.near_halvings))
            falling, risen = bool(falls_here), risen or not falls_here
    return None


def _reaches(scale: float, near: float, far: float, ratio: float) -> Array:
    steps = np.arange(ceil(log(far / near) / log(ratio)), dtype=np.float64)
    return np.asarray(scale * near * ratio**steps, dtype=np.float64)


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
