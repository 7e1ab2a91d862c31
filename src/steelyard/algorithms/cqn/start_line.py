"""Before anything else: is the start too large or too small as a whole?

The line from the origin through x0 is the one direction that is known without a question. It costs a few comparisons
and often leads far: the sizes that people write into a start are guesses. (In many test problems it even leads through
the minimum, which flatters methods that look along it: judge by problems rotated about x0, where it means nothing.)
"""

from steelyard.algorithms.cqn.measure import ascends
from steelyard.dialogue import Question, Step
from steelyard.parts.line_search import Moved, line_search
from steelyard.typing import Array

FIRST_PART, WORTHWHILE, REACH = 0.05, 0.2, 2.0
"""As parts of x0: the first step along it, the step from which on its size is worth a closer look, and the longest one
away from the origin."""
FIRST_DOUBLINGS, REFINEMENTS, FINER = 5, 2, 0.1
"""How often the first step may be doubled, and how often the search is repeated, with steps this much shorter."""
LOOK_AT = 0.6
"""The part of a step at which it is asked which way f falls."""


def start_line(x: Array) -> Question[Array]:
    """The best point found along x itself: 4 to 25 comparisons.

    Where the search runs outwards to the end of its reach it stays at x: a start has a size to be corrected, a function
    that falls for ever has not.
    """
    line = x
    moved = yield from _search(x, line, FIRST_PART, doublings=FIRST_DOUBLINGS)
    if moved is None or (moved.a > REACH and float(moved.x @ x) > 0.0):
        return x
    yield Step(moved.x)
    if moved.a < WORTHWHILE:
        return moved.x
    for _ in range(REFINEMENTS):
        finer = yield from _search(moved.x, line, FINER * moved.a, doublings=1)
        if finer is None:
            break
        moved = finer
        yield Step(moved.x)
    return moved.x


def _search(x: Array, line: Array, a: float, doublings: int) -> Question[Moved | None]:
    """To two bits, in the direction in which f descends."""
    c = yield from ascends(x, LOOK_AT * a * line)
    if c == 0:
        return None
    return (yield from line_search(x, -c * line, a, bits=2, shrinks=2, doublings=doublings))
