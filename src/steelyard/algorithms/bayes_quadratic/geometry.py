"""The numbers of the model, in the coordinates of a region, and a region to come back to."""

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

from steelyard.parts.region import Region
from steelyard.typing import Array


@dataclass(frozen=True)
class Geometry:
    """The numbers of the model, in the coordinates of a region.

    Chosen on rotated quadratics, |x|^1.5, Rosenbrock and BROYDN3DLS with n = 5 to 20, all of seeds below 10.
    """

    slope: float = 5.0
    """The deviation of the entries of g: the minimiser is expected this far from the centre, per coordinate."""
    bend: float = 1.0
    """The deviation of the entries of H - hI, times sqrt(n)."""
    floor: float = 0.1
    """Eigenvalues of H count as at least this."""
    radius: float = 3.0
    """The region's radius, times sqrt(n)."""
    outside: float = 0.6
    """A minimiser beyond this part of the radius makes the region grow."""
    known: float = 0.3
    """A minimiser known to this deviation per coordinate ends an epoch."""
    certain: float = 0.7
    """A coordinate is held at a bound if f falls towards it by this many deviations."""

    def radius_in(self, n: int) -> float:
        """The radius of a region of n variables."""
        return self.radius * sqrt(n)


class Place(NamedTuple):
    """A region to come back to, with f's unit there and what was gained until then."""

    region: Region
    scale: float
    gained: float

    @property
    def x(self) -> Array:
        """The point in its middle."""
        return self.region.centre
