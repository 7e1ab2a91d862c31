"""VANDANMSLS: a cubic B-spline fitted to ten points of a neutron detector's pattern."""

import numpy as np

from steelyard.checks import check_range
from steelyard.problems.cutest.structure import least_squares
from steelyard.problems.definitions import Definition, problem
from steelyard.problems.rows import row_matmul
from steelyard.typing import Array

X = np.array([0.245569, 0.245927, 0.246285, 0.246642, 0.247, 0.247358, 0.248074, 0.248431, 0.248789, 0.249147])
Y = np.array([0.262172, 1.73783, 0.960973, 0.0390275, 2.57713, 1.42287, 2.0, 1.22819, 0.771811, 4.0])
E = np.array([0.512028, 1.31827, 0.980292, 0.197554, 1.60534, 1.19284, 1.41421, 1.10824, 0.878528, 2.0])


def _spline(offset: Array, h: float) -> Array:
    """The SIF's B-spline, which in its outer pieces is not the textbook's cubic, at these distances."""
    two_h = h + h
    cube, square = offset * offset * offset, offset * offset
    inner = two_h * h * h / 3.0 - 0.5 * (two_h - np.abs(offset)) * square
    outer = (two_h - np.abs(cube)) / 6.0
    return np.where(np.abs(offset) >= two_h, 0.0, np.where(np.abs(offset) >= h, outer, inner))


@problem(
    "VANDANMSLS",
    family="ill-conditioned",
    f_best=7.0796757537,
    source="linear least squares in rational arithmetic, at |x| about 3e8",
    notes="follows the SIF, whose spline takes its argument in single precision; only 4 of the 22 variables matter; "
    "0.05 f(x0) lies below the minimum",
)
def vandanmsls(KNOTS: int = 20) -> Definition:
    check_range("KNOTS", KNOTS, 2)
    h = 5.5 / (KNOTS - 1)
    k = np.arange(-1.0, KNOTS + 1)
    offset = (X[:, None] - k * h).astype(np.float32).astype(np.float64)
    weight = 1.0 / E
    basis = _spline(offset, h)
    target = weight * Y
    active = np.flatnonzero(basis.any(axis=0))
    slopes = weight[:, None] * basis[:, active]

    def residuals(x: Array) -> Array:
        # Near the minimum the terms are 1e8 times their sum: only CUTEst's own order of operations agrees with it.
        r: Array = np.zeros((x.shape[0], 1)) - target
        for column in active:
            r += weight * (x[:, column, None] * basis[:, column])
        return r

    def pullback(x: Array, w: Array) -> Array:
        g = np.zeros_like(x)
        g[:, active] = row_matmul(w, slopes)
        return g

    return least_squares(np.zeros(k.size), residuals, pullback, f_best=None)
