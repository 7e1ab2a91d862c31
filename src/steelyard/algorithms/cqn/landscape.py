"""What kind of function is this? Along a line through a smooth basin f falls and rises once, along a rugged one often.

No gradient is worth measuring on a rugged landscape: it says where the nearest of many minima is.
"""

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
# Counts as smooth for now, so it equals SMOOTH: whoever would ask again compares with `is`.
UNDECIDED = Landscape(rugged=False, separable=False)


def landscape(
    x: Array, scale: float, rng: np.random.Generator, tuning: Tuning, sums: bool = True, early: bool = False
) -> Question[Landscape]:
    """Is f rugged around x, and, unless `sums` is False, a sum of functions of one coordinate each?

    UNDECIDED if it is `early` and f is flat in places: signs of wide differences may lead on for a while.

    12 comparisons if there are no bumps, or 24 in many variables; about 80 for a rugged sum, 140 for others. It looks
    along an axis, where sums show their bumps best, and in many variables on a longer line across the axes as well; if
    there are bumps, along others. Answers that are wrong now and then look like bumps, so the first line is asked
    again: a judge that contradicts itself has shown none.
    """
    bumps, plateaus, line, answers, known = 0, False, None, None, False
    pairs = x.size > tuning.bump_axes_to
    for axis in np.resize(rng.permutation(x.size), tuning.bump_lines):
        along = _line(x, scale * np.eye(1, x.size, int(axis)), rng, tuning)
        lines = [along]
        if pairs:
            lines.append(_line(x, scale * sqrt(x.size) * sample_many("sphere", 1, x.size, rng), rng, tuning))
        question = Compare(np.concatenate([p[:-1] for p in lines]), np.concatenate([p[1:] for p in lines]))
        rises = np.split((yield question), len(lines))
        if line is None or answers is None:
            line, answers = along, rises[0]
        bumps += sum(map(count_bumps, rises))
        plateaus = plateaus or any(part.any() and not part.all() for part in rises)
        if bumps == 0 and not plateaus:
            return SMOOTH
        if early and plateaus:
            return UNDECIDED
        if not known and bumps >= tuning.few_bumps:
            if ((yield Compare(line[:-1], line[1:])) != answers).any():
                return SMOOTH
            if sums and (yield from _is_separable(x, scale, rng, tuning)):
                return Landscape(rugged=True, separable=True)
            known = True
        if bumps >= (tuning.plateau_bumps if plateaus else tuning.many_bumps[pairs]):
            return RUGGED
    return SMOOTH


def is_rugged(x: Array, width: float, rng: np.random.Generator, tuning: Tuning) -> Question[bool]:
    """Does f rise and fall often on lines through x, by steps of parts of `width`? 12 to 108 comparisons."""
    return (yield from landscape(x, width, rng, tuning, sums=False)).rugged


def _line(x: Array, d: Array, rng: np.random.Generator, tuning: Tuning) -> Array:
    """Points at equal steps of a random length along d, x in their middle."""
    steps = np.arange(tuning.bump_steps + 1) - tuning.bump_steps // 2
    return np.asarray(x + (steps * 10.0 ** rng.uniform(*tuning.bump_spacing))[:, None] * d, dtype=np.float64)


def count_bumps(rises: Answers) -> int:
    """How often +1 (f rises) is followed by -1; steps that tie are passed over."""
    signs = rises[rises != 0]
    return int(np.count_nonzero((signs[:-1] > 0) & (signs[1:] < 0)))


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
