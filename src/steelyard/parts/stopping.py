"""When a step length says that a run is over."""

from __future__ import annotations

import numpy as np

from steelyard.dialogue import GaveUp
from steelyard.typing import Array

LONGEST = 1e150  # beyond this, squares overflow
_LEAST = 1e-280  # so that a run to the origin may go on until numbers end


def reason_to_stop(step: float, x: Array, rounding: float = 1e-17) -> str | None:
    """In words: the step is lost in the rounding of x, or beyond all bounds; None while it is neither."""
    if not step < LONGEST:
        return GaveUp("the step has grown without end: the function seems unbounded below")
    if step < rounding * (_LEAST + float(np.abs(x).max())):
        return "the step has shrunk below rounding"
    return None
