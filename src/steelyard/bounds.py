"""Box bounds for every method: the method walks in all of space, its questions are folded into the box.

A coordinate that leaves the box is reflected at the face it crossed (as often as needed), so every question and every
recommendation is inside, points inside are left exactly as they are, and the folded function is continuous. A method
that wants a box of its own (`unit_box = True`, such as the Gaussian process for people) walks in [0, 1]^n instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.typing import AnyArray, Array

BoundsLike = object
"""A scipy `Bounds`, or a sequence of n pairs `(low, high)`; `None` or an infinity leaves a side open."""


@dataclass(frozen=True, eq=False)
class Box:
    """The product of intervals [low_i, high_i]; either end may be infinite."""

    low: Array
    high: Array

    @property
    def finite(self) -> bool:
        return bool(np.isfinite(self.low).all() and np.isfinite(self.high).all())

    def contains(self, x: Array) -> bool:
        return bool(((x >= self.low) & (x <= self.high)).all())

    def fold(self, x: Array) -> Array:
        """Reflect the rows of x into the box; what is inside already comes back bit for bit."""
        if self.contains(x):
            return x
        low, high = self.low, self.high
        with np.errstate(invalid="ignore"):
            width = high - low
            period = 2.0 * width
            # Between two faces: a triangle wave. Past a single face: a mirror.
            t = np.mod(x - low, np.where(np.isfinite(period) & (width > 0), period, 1.0))
            wave = low + np.where(t > width, period - t, t)
            wave = np.where(width > 0, wave, low)
            mirror = np.where(x < low, 2.0 * low - x, np.where(x > high, 2.0 * high - x, x))
            folded = np.where(np.isfinite(width), wave, mirror)
        inside = (x >= low) & (x <= high)
        return np.where(inside | np.isnan(x), x, np.clip(folded, low, high))

    def to_unit(self, x: Array) -> Array:
        """The same point in coordinates in which the box is [0, 1]^n; a side of width 0 maps to 0."""
        width = self.high - self.low
        return (x - self.low) / np.where(width > 0, width, 1.0)

    def from_unit(self, t: Array) -> Array:
        return np.clip(self.low + np.clip(t, 0.0, 1.0) * (self.high - self.low), self.low, self.high)


def as_box(bounds: object, n: int) -> Box | None:
    """Check bounds in any accepted form for n variables; None stays None."""
    if bounds is None:
        return None
    if isinstance(bounds, Box):
        low, high = bounds.low, bounds.high
    elif hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        low, high = np.broadcast_to(bounds.lb, n).astype(float), np.broadcast_to(bounds.ub, n).astype(float)
    elif isinstance(bounds, Sequence | np.ndarray) and not isinstance(bounds, str):
        try:
            low, high = _low_and_high(bounds)
        except (TypeError, ValueError):
            low = high = np.empty(0)
        if low.shape != (n,):
            raise ValueError(f"bounds must be {n} pairs (low, high), one for each variable, got {bounds!r}")
    else:
        raise TypeError(f"bounds must be None, scipy.optimize.Bounds or pairs (low, high), got {type(bounds).__name__}")
    if low.shape != (n,) or high.shape != (n,):
        raise ValueError(f"bounds must be for {n} variables, got {low.size}")
    bad = np.flatnonzero(~(low <= high))
    if bad.size:
        i = int(bad[0])
        raise ValueError(f"bounds must have low <= high, got ({low[i]:g}, {high[i]:g}) for variable {i}")
    return Box(low, high)


def _low_and_high(pairs: Sequence[Any] | AnyArray) -> tuple[Array, Array]:
    low = np.array([-np.inf if low is None else low for low, _ in pairs], dtype=np.float64)
    high = np.array([np.inf if high is None else high for _, high in pairs], dtype=np.float64)
    return low, high
