"""Powell's conjugate directions (1964) with a line search and an exchange of directions that only compare."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.checks import check_positive, check_whole
from steelyard.dialogue import Dialogue, Question, Step, better, compare
from steelyard.linesearch import line_search
from steelyard.stopping import LONGEST, reason_to_stop
from steelyard.typing import Array


@dataclass(frozen=True)
class Powell:
    """Line searches along n directions that become conjugate: about 5 + bits comparisons a line, n + 1 lines a round.

    The textbook method fits a parabola to values and drops the direction of the largest decrease, both of which need
    values. Here a line is searched by comparisons to `bits` bits, and the move of a whole round replaces the direction
    that it went along furthest, which keeps the directions as independent as any exchange can.
    """

    step: float = 0.5
    bits: int = 3

    def __post_init__(self) -> None:
        check_positive("step", self.step)
        check_whole("bits", self.bits, 0)

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        n = x.size
        directions: list[Array | int] = list(range(n))  # a number stands for its unit vector, to save memory
        lengths = np.full(n, self.step)
        while True:
            start = x
            moves = np.zeros(n)
            for i in range(n):
                x, moves[i], lengths[i] = yield from self._along(x, _vector(directions[i], n), float(lengths[i]))
                yield Step(x)
            if reason := reason_to_stop(float(lengths.max()), x):
                return reason
            far = float(np.linalg.norm(x - start))
            if n == 1 or not 0.0 < far < LONGEST:
                continue
            u = (x - start) / far
            i = int(np.argmax(np.abs(moves)))
            # Of unit directions, the volume they span changes by this factor; a flat set cannot leave its plane.
            if abs(moves[i]) < 0.1 * far or not (yield from better(x + far * u, start)):
                continue
            x, _, length = yield from self._along(x, u, far)
            yield Step(x)
            directions = [*directions[:i], *directions[i + 1 :], u]
            lengths = np.append(np.delete(lengths, i), length)

    def _along(self, x: Array, d: Array, a: float) -> Question[tuple[Array, float, float]]:
        """The best point found on the line, how far it is, and how far to look next time."""
        side = yield from compare(x + 0.1 * a * d, x - 0.1 * a * d)
        if side == 0:
            return x, 0.0, 0.5 * a
        moved = yield from line_search(x, side * d, a, bits=self.bits, shrinks=4)
        if moved is None:
            return x, 0.0, 0.1 * a
        return moved.x, moved.a, moved.a


def _vector(direction: Array | int, n: int) -> Array:
    if not isinstance(direction, int):
        return direction
    e = np.zeros(n)
    e[direction] = 1.0
    return e
