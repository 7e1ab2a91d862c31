"""Levels and categories for methods that know of neither: every point is shown as an allowed setting.

Rounding alone would end most runs: once steps are shorter than the distance between two levels, no level changes any
more. So two things are added. A fresh candidate that would look just like its opponent is pushed to the next level in
the direction in which it differs most. And between the method's own questions, its point is compared with the same
setting at another level (`level_steps`). Where such a candidate wins and the method goes there, the origin moves along:
what the method calls its point stays the setting that won.
"""

from __future__ import annotations  # np.random is loaded when it is used, not for an annotation

import zlib
from collections import OrderedDict
from collections.abc import Iterator

import numpy as np

from steelyard.bounds import Walls
from steelyard.dialogue import Compare, Dialogue, Step, intercept
from steelyard.space import Space
from steelyard.typing import Answers, Array

MEMORY = 4096
"""The last points shown, whose settings are remembered."""
OFTEN, SELDOM = 3, 96
"""Comparisons of the method between two that look at another level: at first, and at most, after none was found."""


class Rounding:
    """How a run in the unit box of `space` shows its points. Decided by the dialogue alone, so a replay shows the same.

    `walls` bring the method's points into the box first.
    """

    def __init__(self, space: Space, walls: Walls) -> None:
        self._space, self._walls = space, walls
        self._levels = [np.array(levels) for levels in space.levels]
        self._discrete = np.flatnonzero([levels.size > 1 for levels in self._levels])
        self._categorical = np.array(space.categorical)
        self._offset = np.zeros(len(space))
        self._shown: OrderedDict[bytes, Array] = OrderedDict()
        self._pushed: dict[bytes, int] = {}

    def show(self, x: Array) -> Array:
        """The setting, as a point of the unit box, that stands for the method's point x."""
        known = self._shown.get(x.tobytes())
        return self._space.snap(self._walls.outward(x + self._offset)) if known is None else known

    def question(self, a: Array, b: Array) -> tuple[Array, Array]:
        """Both sides of a batch as settings; a fresh candidate is pushed away from an opponent that it looks like."""
        pairs = [self._pair(x, y) for x, y in zip(a, b, strict=True)]
        return np.array([x for x, _ in pairs]), np.array([y for _, y in pairs])

    def moved_to(self, x: Array) -> None:
        """The method recommends x now: if it was pushed, the origin follows."""
        i = self._pushed.get(x.tobytes())
        if i is not None:
            self.move_origin(x, i, self._shown[x.tobytes()][i])

    def at_level(self, x: Array, i: int, level: float) -> Array:
        """The method's point that is shown as x is, except for coordinate i, which is at `level`."""
        point = x.copy()
        point[i] = self._inward(x, i, level) - self._offset[i]
        return point

    def move_origin(self, x: Array, i: int, level: float) -> None:
        """From now on x, and all around it, is shown with coordinate i at `level`."""
        self._offset[i] = self._inward(x, i, level) - x[i]
        self._shown.clear()
        self._pushed.clear()

    def other_levels(self, x: Array) -> Iterator[tuple[int, float]]:
        """What can be changed by one step at x: the coordinate and its new level. Any category, or a neighbour."""
        shown = self.show(x)
        for i in self._discrete:
            levels = self._levels[i]
            at = int(np.abs(levels - shown[i]).argmin())
            near = range(levels.size) if self._categorical[i] else range(max(at - 1, 0), min(at + 2, levels.size))
            yield from ((int(i), float(levels[k])) for k in near if k != at)

    @property
    def has_levels(self) -> bool:
        """Is any coordinate not continuous?"""
        return self._discrete.size > 0

    def _inward(self, x: Array, i: int, level: float) -> float:
        target = self.show(x).copy()
        target[i] = level
        return float(self._walls.inward(target)[i])

    def _pair(self, x: Array, y: Array) -> tuple[Array, Array]:
        shown_x, shown_y = self.show(x), self.show(y)
        if self.has_levels and not np.array_equal(x, y) and np.array_equal(shown_x, shown_y):
            if y.tobytes() not in self._shown:
                shown_y = self._push(y, shown_y, y - x)
            elif x.tobytes() not in self._shown:
                shown_x = self._push(x, shown_x, x - y)
        self._remember(x, shown_x)
        self._remember(y, shown_y)
        return shown_x, shown_y

    def _push(self, point: Array, shown: Array, way: Array) -> Array:
        steps = [abs(way[i]) * self._levels[i].size for i in self._discrete]
        if max(steps) == 0.0:
            return shown
        i = int(self._discrete[int(np.argmax(steps))])
        levels = self._levels[i]
        at = int(np.abs(levels - shown[i]).argmin())
        if self._categorical[i]:  # without order: any other one
            to = (at + 1 + zlib.crc32(point.tobytes()) % (levels.size - 1)) % levels.size
        else:
            to = at + (1 if way[i] > 0.0 else -1)
            to = to if 0 <= to < levels.size else 2 * at - to
        pushed = shown.copy()
        pushed[i] = levels[to]
        self._pushed[point.tobytes()] = i
        return pushed

    def _remember(self, point: Array, shown: Array) -> None:
        self._shown[point.tobytes()] = shown
        if len(self._shown) > MEMORY:
            old, _ = self._shown.popitem(last=False)
            self._pushed.pop(old, None)


def level_steps(dialogue: Dialogue, x: Array, rounding: Rounding, rng: np.random.Generator) -> Dialogue:
    """A method's dialogue from x, with comparisons in between that look at other levels: 1 in 4 at first, fewer later.

    Every level within one step of the recommendation is tried in random order. One that wins is moved to at once. When
    none has won, they are looked at half as often from then on.
    """
    waiting: list[tuple[int, float]] = []
    gap, asked, won = OFTEN, 0, True
    answers: Answers | None = None
    speaker = intercept(dialogue)
    while (message := speaker.next(answers)) is not None:
        answers = yield message
        if isinstance(message, Step):
            answers, x = None, message.x
            continue
        asked += len(message)
        if asked < gap:
            continue
        asked = 0
        if not waiting:
            gap, won = OFTEN if won else min(2 * gap, SELDOM), False
            waiting = list(rounding.other_levels(x))
            rng.shuffle(waiting)
        i, level = waiting.pop()
        if rounding.show(x)[i] == level:
            continue  # that is where the method has gone meanwhile
        told = yield Compare(x[None], rounding.at_level(x, i, level)[None])
        if told[0] < 0:
            rounding.move_origin(x, i, level)
            waiting, won = [], True
            yield Step(x)
    return speaker.result
