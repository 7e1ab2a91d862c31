"""Line search by comparisons: a step length along a direction, to a few bits."""

from __future__ import annotations

from typing import NamedTuple

from steelyard.dialogue import Question, better, compare
from steelyard.typing import Array

_LONGEST = 1e150  # beyond this, squares overflow


class Moved(NamedTuple):
    """Where a line search ended: the point and the step length that leads there."""

    x: Array
    a: float


def line_search(x: Array, p: Array, a: float, *, bits: int, shrinks: int) -> Question[Moved | None]:
    """A point on x + t p that beats x, t found to `bits` bits from the first guess a; None if none was found.

    About 2 + bits comparisons (1 more if bits > 0), one after another. Gallops while doubling helps, else shrinks at
    most `shrinks` times, then halves the bracket by comparing two points on either side of its middle.
    """
    P = x + a * p
    if (yield from better(P, x)):
        doubled = False
        while a < _LONGEST and (yield from better(further := x + 2.0 * a * p, P)):
            P, a, doubled = further, 2.0 * a, True
        low, high = (0.75 * a if doubled else 0.5 * a), 1.5 * a
    else:
        for tries in range(1, shrinks + 1):
            a *= 0.5 if tries <= 2 else 0.25
            P = x + a * p
            if (yield from better(P, x)):
                break
        else:
            return None
        low, high = 0.5 * a, (a if tries <= 2 else 2.0 * a)
    return (yield from _bisect(x, p, Moved(P, a), low, high, bits)) if bits else Moved(P, a)


def _bisect(x: Array, p: Array, best: Moved, low: float, high: float, bits: int) -> Question[Moved]:
    """Halve the bracket (low, high) around `best` by the slope in its middle, and keep the better end."""
    for _ in range(bits):
        m = 0.5 * (low + high)
        h = min(0.4 * best.a, m)
        side = yield from compare(x + (m - h) * p, x + (m + h) * p)
        if side == 0:
            low = high = m
            break
        low, high = (low, m) if side > 0 else (m, high)
    t = 0.5 * (low + high)
    if abs(t - best.a) < 0.02 * best.a:
        return best
    Q = x + t * p
    return Moved(Q, t) if (yield from better(Q, best.x)) else best
