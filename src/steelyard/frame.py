"""Two sets of coordinates: the user's, with bounds, levels and categories, and those that a method works in."""

from dataclasses import dataclass, replace

import numpy as np

from steelyard.bounds import Box, Walls
from steelyard.dialogue import Algorithm, Capabilities, Choose, Compare, Evaluate, Past
from steelyard.errors import BadValue
from steelyard.rounding import Rounding
from steelyard.typing import Array


@dataclass(frozen=True, eq=False)
class Frame:
    """Leads what a method asks outside the box into it, and to settings that are allowed."""

    walls: Walls
    rounding: Rounding | None = None

    def outward(self, x: Array) -> Array:
        """From the method's own coordinates to the user's."""
        if self.rounding is None:
            return self.walls.outward(x)
        return self.rounding.show(x) if x.ndim == 1 else np.array([self.rounding.show(row) for row in x])

    def question(self, message: Compare | Choose | Evaluate) -> Compare | Choose | Evaluate:
        """What a method asks, as the user is asked."""
        if isinstance(message, Compare):
            if self.rounding is not None:
                return Compare(*self.rounding.question(message.a, message.b), message.reserve)
            return Compare(self.outward(message.a), self.outward(message.b), message.reserve)
        if isinstance(message, Choose):
            return Choose(self.outward(message.points), message.ranking)
        return Evaluate(self.outward(message.x))

    def past(self, past: Past) -> Past:
        """Answers from before in the method's own coordinates."""
        inward = self.walls.inward
        pending_a, pending_b = (None if p is None else inward(p) for p in (past.pending_a, past.pending_b))
        return replace(past, a=inward(past.a), b=inward(past.b), pending_a=pending_a, pending_b=pending_b)


def check_fit(algorithm: Algorithm, can: Capabilities, x0: Array, box: Box | None) -> None:
    """Refuse a start that the method or the bounds do not allow."""
    name = type(algorithm).__name__
    if can.max_n is not None and x0.size > can.max_n:
        raise BadValue(f"x0 must have at most {can.max_n} entries for {name}, got {x0.size}")
    if can.unit_box and (box is None or not box.finite):
        raise BadValue(f"bounds must be finite on both sides of every variable for {name}, got {box}")
    if box is not None and not box.contains(x0):
        i = int(np.flatnonzero((x0 < box.low) | (x0 > box.high))[0])
        outside = f"{x0[i]:g} outside [{box.low[i]:g}, {box.high[i]:g}]"
        raise BadValue(f"x0 must lie within bounds, got {outside} for variable {i}")
