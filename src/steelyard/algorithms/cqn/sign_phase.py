"""The first phase: steps along the signs of the gradient, and further along the way of the last few of them.

In two or three variables `line_phase.py` takes its place.
"""

from collections import deque
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np

from steelyard.algorithms.cqn.landscape import SMOOTH, UNDECIDED, Landscape, landscape
from steelyard.algorithms.cqn.measure import ascends, awake_signs
from steelyard.algorithms.cqn.stretches import stretches
from steelyard.algorithms.cqn.tie_skipping import TieSkipping
from steelyard.algorithms.cqn.tuning import Tuning
from steelyard.dialogue import Question, Step
from steelyard.parts.hearing import overlooked
from steelyard.parts.line_search import Moved, line_search
from steelyard.parts.speculation import ahead
from steelyard.typing import Array, Indices


class FirstPhase(NamedTuple):
    """What a first phase hands on: the point, the last step length, lengths of the axes, the landscape."""

    x: Array
    a: float
    stretch: Array | None = None
    landscape: Landscape = SMOOTH


@dataclass
class _Pace:
    """How the next step is made: its length, the radius of its probes, each coordinate's weight and its last sign."""

    a: float
    delta: float
    w: Array
    last: Array


def sign_phase(
    x: Array,
    h: float,
    resting: TieSkipping,
    tuning: Tuning,
    scale: float | None = None,
    rng: np.random.Generator | None = None,
) -> Question[FirstPhase | None]:
    """At most 64 steps of about n + 20 comparisons each, from probes of radius .3 h.

    In many variables a step is made of two, each along half of the coordinates: as many signs, and those of the second
    half are asked where the first half has led, as in the method of Gauss and Seidel.

    None if no difference was ever seen: everything ties, at any radius. With a `scale` it looks, after the first few
    steps, whether the axes need to be stretched (33 comparisons), and ends there if so; with a generator also whether
    f is rugged (12 or 24 comparisons), and ends there if it is.
    """
    n = x.size
    parts = _parts(n, tuning)
    root = sqrt(len(parts))
    steps = most = min(tuning.most_sign_steps, max(tuning.least_sign_steps, int(tuning.sign_steps * n)))
    past: deque[Array] = deque(maxlen=max(tuning.lookbacks))
    pace = _Pace(tuning.first_length * h * sqrt(n), tuning.first_radius * h, np.ones(n), np.zeros(n))
    widened, failed, moved_ever, look = 0, 0, False, tuning.bumps_after
    while steps > 0:
        before, told = x, 0
        for part in parts:
            x, seen = yield from _step(x, part, pace, resting, tuning)
            told += seen
        if told == 0:
            resting.wake()
            pace.delta, widened = tuning.widen * pace.delta, widened + 1
            if widened > tuning.sign_widenings:
                return FirstPhase(x, pace.a * root) if moved_ever else None
            continue
        steps -= 1
        if x is before:
            failed += 1
            if 2 * told < n and failed <= tuning.patience:  # most tie: the radius may be too small, as on plateaus
                pace.delta *= tuning.widen
            else:
                pace.a, pace.delta = tuning.sign_failed * pace.a, tuning.sign_failed * pace.delta
            continue
        moved_ever, failed = True, 0
        past.append(before)
        for d in [x - past[-k] for k in tuning.lookbacks if n >= tuning.lookback_from and k <= len(past)]:
            further = yield from ahead(lambda: follow(x, d, tuning.follow), x, tuning.in_flight)  # noqa: B023
            if further is not None:
                x = further.x
                yield Step(x)
        pace.delta = pace.a / sqrt(len(parts[0]))
        if rng is not None and scale is not None and most - steps == look:
            early = look < tuning.plateaus_after < most
            asked_at_random = landscape(x, scale, rng, tuning, early=early)
            kind = yield from (overlooked(asked_at_random) if n < tuning.model_random_from else asked_at_random)
            if kind.rugged:
                return FirstPhase(x, pace.a * root, landscape=kind)
            if kind is UNDECIDED:
                look = tuning.plateaus_after
        if scale is not None and steps == most - tuning.stretch_after:
            stretch = yield from stretches(x, pace.last, scale, tuning)
            if stretch is not None:
                return FirstPhase(x, pace.a * root, stretch)
    return FirstPhase(x, pace.a * root)


def _step(x: Array, part: Indices, pace: _Pace, resting: TieSkipping, tuning: Tuning) -> Question[tuple[Array, int]]:
    """A step along the signs of some coordinates, if it is better, and how many of the signs were not ties."""
    s = np.zeros(x.size)
    asked = yield from awake_signs(x, resting, lambda which: pace.delta * _unit_rows(which, x.size), part)
    s[asked.columns] = asked.s
    if not s.any():
        return x, 0
    pace.w = reweighted(pace.w, s * pace.last, tuning)
    pace.last = np.where(s != 0.0, s, pace.last)
    p = -pace.w * s
    p = p / np.linalg.norm(p)
    moved = yield from ahead(
        lambda: line_search(x, p, pace.a, bits=tuning.sign_bits, shrinks=tuning.sign_shrinks), x, tuning.in_flight
    )
    if moved is not None:
        x, pace.a = moved
        yield Step(x)
    return x, int(np.count_nonzero(s))


def follow(x: Array, d: Array, part: float, bits: int = 1) -> Question[Moved | None]:
    """A part of the way d that led to x, onwards or back, as far as it helps: about 3 + `bits` comparisons."""
    c = yield from ascends(x, part * d)
    if c == 0:
        return None
    return (yield from line_search(x, -c * d, part, bits=bits, shrinks=2))


def reweighted(w: Array, agreement: Array, tuning: Tuning) -> Array:
    """How far each coordinate goes compared with the others, after signs that agree with the last ones (+) or not (-).

    The idea is that of Rprop (Riedmiller and Braun, 1993).
    """
    w = w * np.where(agreement > 0.0, tuning.longer, np.where(agreement < 0.0, tuning.shorter, 1.0))
    return w / float(np.exp(np.mean(np.log(w))))


def _parts(n: int, tuning: Tuning) -> list[Indices]:
    """The coordinates that are asked about at a time: all of them, or every other one."""
    parts = 1 if n < tuning.halves_from else 2
    return [np.arange(k, n, parts) for k in range(parts)]


def _unit_rows(which: Indices, n: int) -> Array:
    rows = np.zeros((len(which), n))
    rows[np.arange(len(which)), which] = 1.0
    return rows
