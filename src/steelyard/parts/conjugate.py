"""Line searches along directions that become conjugate, as in Powell's method (1964), by comparisons alone."""

from dataclasses import dataclass

import numpy as np

from steelyard.dialogue import Question, Step, better, compare
from steelyard.parts.line_search import line_search
from steelyard.parts.stopping import LONGEST_STEP
from steelyard.typing import Array

FLAT_SET = 0.1
"""A direction is not replaced if that made the volume of all of them less than this part of what it was."""
ASIDE = 0.1
"""How far to either side a line is first probed, as a part of the length; and the next length if nothing is found."""
SHRINKS_PER_LINE = 4
"""How often a line search shortens its step before it gives a line up."""


@dataclass
class Lines:
    """n directions of unit length, and how far to look along each."""

    directions: list[Array | int]  # a number stands for its unit vector, to save memory
    lengths: Array
    when_tied: float
    """By what the length is multiplied where its two sides tie."""


def search_lines(x: Array, lines: Lines, bits: int) -> Question[Array]:
    """One round: where n line searches lead from x, one after another, 5 + bits comparisons each.

    If going on along the move of the whole round helps, it is searched as well and replaces the direction that it went
    along furthest, which keeps the directions as independent as any exchange can.
    """
    n, start, moves = x.size, x, np.zeros(x.size)
    for i in range(n):
        d, a = _vector(lines.directions[i], n), float(lines.lengths[i])
        x, moves[i], lines.lengths[i] = yield from _along(x, d, a, lines.when_tied, bits)
        yield Step(x)
    far = float(np.linalg.norm(x - start))
    if n == 1 or not 0.0 < far < LONGEST_STEP:
        return x
    u = (x - start) / far
    i = int(np.argmax(np.abs(moves)))
    # Of unit directions, the volume they span changes by this factor; a flat set cannot leave its plane.
    if abs(moves[i]) < FLAT_SET * far or not (yield from better(x + far * u, start)):
        return x
    x, _, length = yield from _along(x, u, far, lines.when_tied, bits)
    yield Step(x)
    lines.directions = [*lines.directions[:i], *lines.directions[i + 1 :], u]
    lines.lengths = np.append(np.delete(lines.lengths, i), length)
    return x


def _along(x: Array, d: Array, a: float, when_tied: float, bits: int) -> Question[tuple[Array, float, float]]:
    """The best point found on the line, how far it is, and how far to look next time."""
    side = yield from compare(x + ASIDE * a * d, x - ASIDE * a * d)
    if side == 0:
        return x, 0.0, when_tied * a
    moved = yield from line_search(x, side * d, a, bits=bits, shrinks=SHRINKS_PER_LINE)
    if moved is None:
        return x, 0.0, ASIDE * a
    return moved.x, moved.a, moved.a


def _vector(direction: Array | int, n: int) -> Array:
    if not isinstance(direction, int):
        return direction
    e = np.zeros(n)
    e[direction] = 1.0
    return e
