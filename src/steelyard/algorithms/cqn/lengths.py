"""What counts as long and as short: the scale of a problem, and steps compared with it."""

from math import ceil, log, sqrt

import numpy as np

from steelyard.typing import Array

FAR = 1e100


def start_scale(x: Array) -> float:
    """The root mean square of x0, or 1 at the origin."""
    largest = float(np.max(np.abs(x)))
    return largest * sqrt(float(np.mean((x / largest) ** 2))) if largest > 0.0 else 1.0


def is_short(step: Array, x: Array, scale: float, part: float) -> bool:
    """Is a step less than this part of the length of x and of the scale of the problem?"""
    return float(np.linalg.norm(step)) < part * max(float(np.linalg.norm(x)), scale * sqrt(x.size))


def is_far(x: Array) -> bool:
    """Has a descent gone to where no minimum is to be expected?"""
    return not float(np.max(np.abs(x))) < FAR


def ladder(scale: float, near: float, far: float, ratio: float) -> Array:
    """Lengths from near to far, in scales, each `ratio` times the last."""
    steps = np.arange(ceil(log(far / near) / log(ratio)), dtype=np.float64)
    return np.asarray(scale * near * ratio**steps, dtype=np.float64)
