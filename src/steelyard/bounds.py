"""Box bounds for every method: the method walks in all of space, its questions are mapped into the box.

The way into the box is smooth (`SmoothMap`): inside the box nothing changes, and in the last 5 % of the width at each
face a parabola slows the walk down, so that it meets the face with slope 0 and comes back behind it. A smooth function
stays smooth, and a minimum on a face becomes an ordinary one; a mirror at the face would make a kink of it, at which
methods that expect smooth functions come to rest too early. (Hansen's pycma has such a map.) A method that wants a box
of its own (`Capabilities.unit_box`, such as the Gaussian process for people) walks in [0, 1]^n instead (`UnitCube`);
one that asks only inside a box it is given (`knows_box`) needs no map (`Inside`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

from steelyard.dialogue import Algorithm, capabilities_of
from steelyard.errors import BadType, BadValue
from steelyard.typing import AnyArray, Array

LAYER = 0.05
"""The part of the width at each face in which the map bends (as in pycma); beyond one face alone, the part of the
distance from the face to the start."""
ON_FACE, OFF_FACE = 1e-3, 0.5
"""A start nearer to a face than ON_FACE of a layer is walked from OFF_FACE of it: on the face itself the smooth map is
symmetric, and probes on both sides of it would tie."""


class LowerUpper(Protocol):
    """What has a lower and an upper bound for every variable, as `scipy.optimize.Bounds` does."""

    @property
    def lb(self) -> Any: ...

    @property
    def ub(self) -> Any: ...


BoundsLike: TypeAlias = "Box | LowerUpper | Sequence[Sequence[float | None]] | AnyArray | None"
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


class Walls(Protocol):
    """Between the coordinates of a method, which walks freely, and those of the box."""

    def inward(self, x: Array) -> Array:
        """Where a method starts to walk for a start x inside the box."""
        ...

    def outward(self, z: Array) -> Array:
        """The points of the box that belong to rows of the method's own."""
        ...


@dataclass(frozen=True, eq=False)
class UnitCube:
    """The box as [0, 1]^n."""

    box: Box

    def inward(self, x: Array) -> Array:
        return self.box.to_unit(x)

    def outward(self, z: Array) -> Array:
        return self.box.from_unit(z)


@dataclass(frozen=True, eq=False)
class Inside:
    """The box as it is, for a method that knows it and stays inside; rounding errors are clipped."""

    box: Box

    def inward(self, x: Array) -> Array:
        return x.copy()

    def outward(self, z: Array) -> Array:
        return np.clip(z, self.box.low, self.box.high)


class SmoothMap:
    """The identity inside and a parabola in a layer at each face, mirrored where its slope is 0.

    With a layer of width w at a face `low`, the interval from low - w to low + w is mapped to that from low to low + w.
    """

    def __init__(self, box: Box, x0: Array) -> None:
        self.box = box
        with np.errstate(invalid="ignore"):
            width = box.high - box.low
        both = np.isfinite(width)
        self._below = np.where(both, LAYER * width, _layer(box.low, x0))
        self._above = np.where(both, LAYER * width, _layer(box.high, x0))
        self._plain = Box(box.low + self._below, box.high - self._above)
        self._walked = Box(box.low - self._below, box.high + self._above)

    def inward(self, x: Array) -> Array:
        if self._plain.contains(x):
            return x.copy()
        low, high, below, above = self.box.low, self.box.high, self._below, self._above
        with np.errstate(invalid="ignore"):
            from_low = low - below + np.maximum(2.0 * np.sqrt(below * (x - low)), OFF_FACE * _on(x - low, below))
            from_high = high + above - np.maximum(2.0 * np.sqrt(above * (high - x)), OFF_FACE * _on(high - x, above))
        z = np.where(x < self._plain.low, from_low, np.where(x > self._plain.high, from_high, x))
        return np.where(low == high, low, z)

    def outward(self, z: Array) -> Array:
        if self._plain.contains(z):
            return z
        low, high, below, above = self.box.low, self.box.high, self._below, self._above
        z = self._walked.fold(z)
        with np.errstate(invalid="ignore", divide="ignore"):
            from_low = low + (z - (low - below)) ** 2 / (4.0 * below)
            from_high = high - (high + above - z) ** 2 / (4.0 * above)
        x = np.where(z < self._plain.low, from_low, np.where(z > self._plain.high, from_high, z))
        return np.clip(np.where(low == high, low, x), low, high)


def walls(box: Box, algorithm: Algorithm, x0: Array) -> Walls:
    """The way into the box that suits a method."""
    can = capabilities_of(algorithm)
    if can.knows_box:
        return Inside(box)
    return UnitCube(box) if can.unit_box else SmoothMap(box, x0)


def _layer(face: Array, x0: Array) -> Array:
    """The width of the layer at a face that has no opposite one; 0 for an open side."""
    distance = np.abs(x0 - face)
    return np.where(np.isfinite(face), LAYER * np.where(distance > 0.0, distance, 1.0 + np.abs(face)), 0.0)


def _on(distance: Array, layer: Array) -> Array:
    """The width of the layer where a start lies on the face, else 0."""
    return np.where(distance < ON_FACE * layer, layer, 0.0)


def as_box(bounds: BoundsLike, n: int) -> Box | None:
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
            raise BadValue(f"bounds must be {n} pairs (low, high), one for each variable, got {bounds!r}")
    else:
        raise BadType(f"bounds must be None, scipy.optimize.Bounds or pairs (low, high), got {type(bounds).__name__}")
    if low.shape != (n,) or high.shape != (n,):
        raise BadValue(f"bounds must be for {n} variables, got {low.size}")
    bad = np.flatnonzero(~(low <= high))
    if bad.size:
        i = int(bad[0])
        raise BadValue(f"bounds must have low <= high, got ({low[i]:g}, {high[i]:g}) for variable {i}")
    return Box(low, high)


def _low_and_high(pairs: Sequence[Any] | AnyArray) -> tuple[Array, Array]:
    low = np.array([-np.inf if low is None else low for low, _ in pairs], dtype=np.float64)
    high = np.array([np.inf if high is None else high for _, high in pairs], dtype=np.float64)
    return low, high
