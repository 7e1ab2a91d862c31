"""Surfaces of least area over the unit square, free at the boundary, held down at one place."""

from collections.abc import Callable

import numpy as np

from steelyard.checks import check_range
from steelyard.problems.definitions import Definition, problem
from steelyard.problems.rows import row_sum
from steelyard.typing import Array

_SOURCE = "1, the area of the flat surface at height 0"
_NOTES = "P is the number of points on a side; n = P^2."


def _surface(P: int, height: Callable[[Array], Array], height_gradient: Array) -> Definition:
    """The mean over the squares of sqrt(1 + (P-1)^2/2 (a^2 + b^2)), a and b across the diagonals, plus height(x)^2.

    `height` is linear, with the gradient given.
    """
    cells = (P - 1) ** 2

    def parts(x: Array) -> tuple[Array, Array, Array]:
        X = x.reshape(-1, P, P)
        a = X[:, :-1, :-1] - X[:, 1:, 1:]
        b = X[:, :-1, 1:] - X[:, 1:, :-1]
        return a, b, np.sqrt(1.0 + 0.5 * cells * (a * a + b * b))

    def values(x: Array) -> Array:
        area = parts(x)[2].reshape(len(x), -1)
        return row_sum(area) / cells + height(x) ** 2

    def gradients(x: Array) -> Array:
        a, b, area = parts(x)
        # d area / da / cells = (cells / 2) a / area / cells.
        a, b = 0.5 * a / area, 0.5 * b / area
        g = np.zeros((len(x), P, P))
        g[:, :-1, :-1] += a
        g[:, 1:, 1:] -= a
        g[:, :-1, 1:] += b
        g[:, 1:, :-1] -= b
        return g.reshape(len(x), -1) + 2.0 * height(x)[:, None] * height_gradient

    return Definition(_frame(P), values, gradients, f_best=1.0)


def _frame(P: int) -> Array:
    """The start: the plane 1 + 8 u + 4 v on the edges, 0 inside (u runs along a row)."""
    t = np.arange(P) / (P - 1.0)
    x0 = 1.0 + 8.0 * t + 4.0 * t[:, None]
    x0[1:-1, 1:-1] = 0.0
    return x0.ravel()


@problem("FMINSRF2", family="sparse", source=_SOURCE, notes=_NOTES)
def fminsrf2(P: int = 11) -> Definition:
    """Held by the height in the middle, over P."""
    check_range("P", P, 2)
    middle = (P // 2 - 1) * (P + 1)
    gradient = np.zeros(P * P)
    gradient[middle] = 1.0 / P
    return _surface(P, lambda x: x[:, middle] / P, gradient)


@problem("FMINSURF", family="dense", source=_SOURCE, notes=_NOTES)
def fminsurf(P: int = 11) -> Definition:
    """Held by the mean height."""
    check_range("P", P, 2)
    return _surface(P, lambda x: row_sum(x) / P**2, np.full(P * P, 1.0 / P**2))
