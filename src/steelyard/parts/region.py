"""A region of space and its coordinates, in which a quadratic is expected to be about |z|^2 / 2."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.typing import Array


@dataclass(frozen=True, eq=False)
class Region:
    """The map z = W (x - c) and its inverse."""

    centre: Array
    into: Array
    """W ..."""
    out: Array
    """... and its inverse."""

    @classmethod
    def around(cls, x: Array, unit: Array) -> Region:
        """The region around x whose coordinates are counted in these units."""
        return cls(x.copy(), np.diag(1.0 / unit), np.diag(unit))

    def point(self, z: Array) -> Array:
        """The point of space at z (or at its rows)."""
        return np.asarray(self.centre + z @ self.out.T)

    def coordinates(self, x: Array) -> Array:
        """The coordinates of x (or of its rows)."""
        return np.asarray((x - self.centre) @ self.into.T)
