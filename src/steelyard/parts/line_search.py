"""Line search by comparisons: a step length along a direction, to a few bits."""

from typing import NamedTuple

from steelyard.dialogue import Question, better, compare
from steelyard.typing import Array

MOST_DOUBLINGS = 40
"""How often a step is doubled at most: f may fall for ever."""
WIDENINGS = 3
"""How often a first step that ties is doubled: a tie says that the two were too near to be distinguished."""
SOON_SHORTER = 0.25
"""By what a step that fails is shortened from the third time on; before by half."""
LOW_AFTER_DOUBLING, HIGH = 0.75, 1.5
"""Where the best step lies, in steps, once a step was doubled and twice of it was worse; before, from half of it."""
FIRST_SPACING = 0.4
"""How far from the middle of the bracket, in steps, the two points lie that say on which side the minimum is."""
SAME_STEP = 0.02
"""A better step that differs from the present one by less than this part of it is not worth a comparison."""


class Moved(NamedTuple):
    """Where a line search ended: the point and the step length that leads there."""

    x: Array
    a: float


class _Bracket(NamedTuple):
    a: float
    low: float
    high: float


def line_search(
    x: Array, p: Array, a: float, *, bits: int, shrinks: int, doublings: int = MOST_DOUBLINGS
) -> Question[Moved | None]:
    """A point on x + t p that beats x, t found to `bits` bits from the first guess a; None if none was found.

    None also where even eight times the first guess cannot be distinguished from x: shorter ones could be even less.
    About 4 + bits comparisons, one after another, or 2 if bits = 0. Gallops while doubling helps, at most `doublings`
    times, else shrinks at most `shrinks` times, then halves the bracket by comparing two points on either side of its
    middle.
    """
    found = yield from _bracket(x, p, a, shrinks, doublings)
    if found is None:
        return None
    a, low, high = found
    if bits == 0:
        return Moved(x + a * p, a)
    for _ in range(bits):
        m = 0.5 * (low + high)
        h = min(FIRST_SPACING * a, m)
        side = yield from compare(x + (m - h) * p, x + (m + h) * p)
        if side >= 0:
            high = m
        if side <= 0:
            low = m
        if side == 0:
            break
    t = 0.5 * (low + high)
    P = x + a * p
    if abs(t - a) < SAME_STEP * a:
        return Moved(P, a)
    Q = x + t * p
    return Moved(Q, t) if (yield from better(Q, P)) else Moved(P, a)


def _bracket(x: Array, p: Array, a: float, shrinks: int, doublings: int) -> Question[_Bracket | None]:
    """A step a that beats x, and where around it the best step lies."""
    first = yield from compare(x + a * p, x)
    for _ in range(WIDENINGS):
        if first != 0:
            break
        a *= 2.0
        first = yield from compare(x + a * p, x)
    if first == 0:
        return None
    if first > 0:
        return (yield from _gallop(x, p, a, doublings))
    for tries in range(1, shrinks + 1):
        a *= 0.5 if tries <= 2 else SOON_SHORTER
        if (yield from better(x + a * p, x)):
            return _Bracket(a, 0.5 * a, a if tries <= 2 else 2.0 * a)
    return None


def _gallop(x: Array, p: Array, a: float, doublings: int) -> Question[_Bracket]:
    """Double the step while that helps; a function that falls for ever must not lead to infinity in one step."""
    low = 0.5
    P = x + a * p
    for _ in range(doublings):
        if not (yield from better(further := x + 2.0 * a * p, P)):
            break
        P, a, low = further, 2.0 * a, LOW_AFTER_DOUBLING
    return _Bracket(a, low * a, HIGH * a)
