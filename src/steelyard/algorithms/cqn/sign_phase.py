"""The first phase: steps along the signs of the gradient, and further along the way of the last 2, 4 and 8 of them.

In two or three variables `linephase.py` takes its place.
"""

from __future__ import annotations

from collections import deque
from math import sqrt
from typing import NamedTuple

import numpy as np

from steelyard.algorithms.cqn.measure import Indices, ascends, awake_signs
from steelyard.algorithms.cqn.tie_skipping import TieSkipping
from steelyard.dialogue import Question, Step
from steelyard.parts.line_search import Moved, line_search
from steelyard.typing import Array

LONGER, SHORTER = 1.08, 0.87
"""A coordinate goes further if its sign stays, less far if it turns (Riedmiller and Braun's Rprop, 1993)."""
LOOKBACKS, WORTHWHILE = (2, 4, 8), 16
"""How many steps back the ways begin that are followed, if there are so many variables: in fewer a step is cheaper."""
WIDENINGS = 10


class FirstPhase(NamedTuple):
    """What a first phase hands on: the point and the last step length."""

    x: Array
    a: float


def sign_phase(x: Array, h: float, resting: TieSkipping) -> Question[FirstPhase | None]:
    """At most 64 steps of about n + 20 comparisons each, from probes of radius .3 h.

    None if no difference was ever told: everything ties, at any radius.
    """
    n = x.size
    steps = min(64, max(8, int(0.7 * n)))
    past: deque[Array] = deque(maxlen=max(LOOKBACKS))
    a, delta = 0.5 * h * sqrt(n), 0.3 * h
    w, last = np.ones(n), np.zeros(n)
    widened, moved_ever = 0, False
    while steps > 0:
        s = np.zeros(n)
        asked = yield from awake_signs(x, resting, lambda part: delta * _unit_rows(part, n))  # noqa: B023
        s[asked.columns] = asked.s
        if not s.any():
            resting.wake()
            delta, widened = 4.0 * delta, widened + 1
            if widened > WIDENINGS:
                return FirstPhase(x, a) if moved_ever else None
            continue
        steps -= 1
        w = reweighted(w, s * last)
        last = np.where(s != 0.0, s, last)
        p = -w * s
        moved = yield from line_search(x, p / np.linalg.norm(p), a, bits=2, shrinks=8)
        if moved is None:
            a, delta = 0.02 * a, 0.02 * delta
            continue
        before, (x, a), moved_ever = x, moved, True
        yield Step(x)
        past.append(before)
        for d in [x - past[-k] for k in LOOKBACKS if n >= WORTHWHILE and k <= len(past)]:
            further = yield from follow(x, d)
            if further is not None:
                x = further.x
                yield Step(x)
        delta = a / sqrt(n)
    return FirstPhase(x, a)


def follow(x: Array, d: Array) -> Question[Moved | None]:
    """A quarter of the way d that led to x, onwards or back, as far as it helps: about 4 comparisons."""
    c = yield from ascends(x, 0.25 * d)
    if c == 0:
        return None
    return (yield from line_search(x, -c * d, 0.25, bits=1, shrinks=2))


def reweighted(w: Array, agreement: Array) -> Array:
    """How far each coordinate goes beside the others, after signs that agree with the last ones (+) or not (-)."""
    w = w * np.where(agreement > 0.0, LONGER, np.where(agreement < 0.0, SHORTER, 1.0))
    return w / float(np.exp(np.mean(np.log(w))))


def _unit_rows(which: Indices, n: int) -> Array:
    rows = np.zeros((len(which), n))
    rows[np.arange(len(which)), which] = 1.0
    return rows
