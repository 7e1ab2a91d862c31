"""What the coordinates of the unit box stand for: real numbers, a few levels, categories, or a frozen value."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import BadValue
from steelyard.typing import Array


@dataclass(frozen=True)
class Coordinates:
    """The n coordinates of a study and their features, the coordinates in which the kernel measures distance.

    A real coordinate is its own feature. One with levels is rounded to the nearest, so that points that look the same
    to the person are the same to the model. A categorical one becomes as many features as it has levels, placed so that
    any two levels are at distance 1: no order is made up. A frozen one keeps its value in every question.
    """

    n: int
    levels: tuple[tuple[float, ...], ...] = ()
    categorical: tuple[bool, ...] = ()
    frozen: tuple[float | None, ...] = ()

    def __post_init__(self) -> None:
        for name in ("levels", "categorical", "frozen"):
            given = getattr(self, name)
            if given and len(given) != self.n:
                raise BadValue(f"{name} must have {self.n} entries, one for each variable, got {len(given)}")
        for i in np.flatnonzero(self.is_categorical):
            if len(self.levels_of(int(i))) < 2:
                raise BadValue(f"levels of variable {i} must be at least two, as it is categorical")

    def levels_of(self, i: int) -> tuple[float, ...]:
        return self.levels[i] if self.levels else ()

    @cached_property
    def is_categorical(self) -> NDArray[np.bool_]:
        return np.array(self.categorical if self.categorical else (False,) * self.n)

    @cached_property
    def free(self) -> NDArray[np.bool_]:
        """Which coordinates questions may vary."""
        return np.array([value is None for value in self.frozen] if self.frozen else (True,) * self.n)

    @cached_property
    def continuous(self) -> NDArray[np.bool_]:
        """Which coordinates can be moved by any small amount."""
        return np.asarray(self.free & np.array([not self.levels_of(i) for i in range(self.n)]))

    @cached_property
    def owner(self) -> NDArray[np.intp]:
        """The coordinate that each feature belongs to."""
        width = [len(self.levels_of(i)) if self.is_categorical[i] else 1 for i in range(self.n)]
        return np.repeat(np.arange(self.n), width)

    @cached_property
    def ordered(self) -> NDArray[np.bool_]:
        """Which features are numbers along which one can speak of a middle and a slope."""
        return ~self.is_categorical[self.owner]

    def snap(self, x: Array) -> Array:
        """The rows of x brought into the box, to their levels and to the frozen values."""
        x = np.clip(x, 0.0, 1.0)
        for i in range(self.n):
            levels = np.array(self.levels_of(i))
            if not self.free[i]:
                x[:, i] = self.frozen[i]
            elif levels.size:
                x[:, i] = levels[np.abs(x[:, i, None] - levels).argmin(axis=1)]
        return x

    def features(self, x: Array) -> Array:
        """The rows of x as the kernel sees them."""
        if not self.is_categorical.any():
            return x
        parts = []
        for i in range(self.n):
            column = x[:, i, None]
            if self.is_categorical[i]:
                nearest = np.abs(column - np.array(self.levels_of(i))).argmin(axis=1)
                # Two different corners of the unit simplex are sqrt(2) apart; this makes it 1.
                column = np.eye(len(self.levels_of(i)))[nearest] * np.sqrt(0.5)
            parts.append(column)
        return np.concatenate(parts, axis=1)
