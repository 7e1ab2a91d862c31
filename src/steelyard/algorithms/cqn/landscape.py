"""What kind of function is this? Along a line through a smooth basin f falls and rises once, along a rugged one often.

No gradient is worth measuring on a rugged landscape: it says where the nearest of many minima is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steelyard.algorithms.cqn.tuning import Tuning
from steelyard.dialogue import Compare, Question
from steelyard.typing import Answers, Array


class Landscape(NamedTuple):
    """What is known of f at large; `separable` is only asked of what may be rugged."""

    rugged: bool
    separable: bool


SMOOTH = Landscape(rugged=False, separable=False)
RUGGED = Landscape(rugged=True, separable=False)


def landscape(x: Array, scale: float, rng: np.random.Generator, tuning: Tuning) -> Question[Landscape]:
    """Is f rugged around x, and a sum of functions of one coordinate each? 12 comparisons if it is smooth, else 80."""
    bumps = yield from _bumps_around(x, scale, rng, tuning)
    if bumps < tuning.few_bumps:
        return SMOOTH
    separable = yield from _is_separable(x, scale, rng, tuning)
    return Landscape(rugged=separable or bumps >= tuning.many_bumps, separable=separable)


def is_rugged(x: Array, width: float, rng: np.random.Generator, tuning: Tuning) -> Question[bool]:
    """Does f rise and fall often along lines through x, by steps of parts of `width`? 12 or 48 comparisons."""
    return (yield from _bumps_around(x, width, rng, tuning)) >= tuning.many_bumps


def _bumps_around(x: Array, width: float, rng: np.random.Generator, tuning: Tuning) -> Question[int]:
    """How often f rises and then falls along a few axes through x; 0 if it does not on the first of them.

    Answers that are wrong now and then look like bumps as well, so those on the first line are asked again: a judge
    that contradicts itself has shown none.
    """
    steps, bumps, lines = tuning.bump_steps, 0, []
    for _ in range(tuning.bump_lines):
        points = np.repeat(x[None], steps + 1, axis=0)
        spacing = width * float(10.0 ** rng.uniform(*tuning.bump_spacing)) * x.size**tuning.bump_growth
        points[:, rng.integers(x.size)] += spacing * (np.arange(steps + 1) - steps // 2)
        line = Compare(points[:-1], points[1:])
        lines.append((line, (yield line)))
        bumps += count_bumps(lines[-1][1])
        if bumps == 0 or bumps >= tuning.many_bumps:
            break
    if bumps < tuning.few_bumps:
        return 0
    line, answers = lines[0]
    return 0 if ((yield Compare(line.a, line.b)) != answers).any() else bumps


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
