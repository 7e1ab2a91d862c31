"""What kind of function is this? Along a line through a smooth basin f falls and rises once, along a rugged one often.

No gradient is worth measuring on a rugged landscape: it says where the nearest of many minima is.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from steelyard.algorithms.cqn.tuning import Tuning
from steelyard.dialogue import Compare, Question
from steelyard.parts.directions import sample_many
from steelyard.typing import Answers, Array


class Landscape(NamedTuple):
    """What is known of f at large; `separable` is only asked of what may be rugged."""

    rugged: bool
    separable: bool


SMOOTH = Landscape(rugged=False, separable=False)
RUGGED = Landscape(rugged=True, separable=False)


def landscape(x: Array, scale: float, rng: np.random.Generator, tuning: Tuning) -> Question[Landscape]:
    """Is f rugged around x, and a sum of functions of one coordinate? At least 12 comparisons, at most 152."""
    bumps, across = yield from _bumps_around(x, scale, rng, tuning)
    if bumps < tuning.few_bumps:
        return SMOOTH
    separable = yield from _is_separable(x, scale, rng, tuning)
    return Landscape(rugged=separable or across >= tuning.many_bumps, separable=separable)


def is_rugged(x: Array, width: float, rng: np.random.Generator, tuning: Tuning) -> Question[bool]:
    """Does f rise and fall often along lines through x, by steps of parts of `width`? 12 to 120 comparisons."""
    return (yield from _bumps_around(x, width, rng, tuning)).across >= tuning.many_bumps


class Bumps(NamedTuple):
    """How often f rises and then falls: on all lines, and on those across the axes (in few variables: on all)."""

    all: int
    across: int


def _bumps_around(x: Array, width: float, rng: np.random.Generator, tuning: Tuning) -> Question[Bumps]:
    """Bumps on a few lines through x; none if there are none on the first.

    Lines along an axis, where sums over the coordinates show their bumps best, and in many variables in pairs with
    longer ones in random directions. Answers that are wrong now and then look like bumps as well, so those on the first
    lines are asked again: a judge that contradicts itself has shown none.
    """
    bumps, asked = Bumps(0, 0), []
    for axis in np.resize(rng.permutation(x.size), tuning.bump_lines):
        directions = [np.eye(1, x.size, int(axis))]
        if x.size > tuning.bump_axes_to:
            directions.append(sqrt(x.size) * sample_many("sphere", 1, x.size, rng))
        lines = [_line(x, width * d, rng, tuning) for d in directions]
        question = Compare(np.concatenate([p[:-1] for p in lines]), np.concatenate([p[1:] for p in lines]))
        asked.append((question, (yield question)))
        counts = [count_bumps(rises) for rises in np.split(asked[-1][1], len(lines))]
        bumps = Bumps(bumps.all + sum(counts), bumps.across + counts[-1])
        if bumps.all == 0 or bumps.across >= tuning.many_bumps:
            break
    if bumps.all < tuning.few_bumps:
        return Bumps(0, 0)
    question, answers = asked[0]
    return Bumps(0, 0) if ((yield Compare(question.a, question.b)) != answers).any() else bumps


def _line(x: Array, d: Array, rng: np.random.Generator, tuning: Tuning) -> Array:
    """Points at equal steps of a random length along d, x in their middle."""
    steps = np.arange(tuning.bump_steps + 1) - tuning.bump_steps // 2
    return np.asarray(x + (steps * 10.0 ** rng.uniform(*tuning.bump_spacing))[:, None] * d, dtype=np.float64)


def count_bumps(rises: Answers) -> int:
    """How often +1 (f rises) is followed by -1; steps that tie are passed over."""
    told = rises[rises != 0]
    return int(np.count_nonzero((told[:-1] > 0) & (told[1:] < 0)))


def _is_separable(x: Array, scale: float, rng: np.random.Generator, tuning: Tuning) -> Question[bool]:
    """Does the order of two values of one coordinate never depend on the other coordinates?

    32 comparisons: 16 pairs that differ in one coordinate, and the same with all the other coordinates changed.
    """
    n, pairs = x.size, tuning.separable_pairs
    which, rows = np.resize(rng.permutation(n), pairs), np.arange(pairs)
    first = np.repeat(x[None], pairs, axis=0)
    second = first.copy()
    width = tuning.separable_width * scale
    first[rows, which] += width * rng.standard_normal(pairs)
    second[rows, which] += width * rng.standard_normal(pairs)
    others = width * rng.standard_normal((pairs, n))
    others[rows, which] = 0.0
    answers = yield Compare(np.concatenate([first, first + others]), np.concatenate([second, second + others]))
    return bool((answers[:pairs] == answers[pairs:]).all())
