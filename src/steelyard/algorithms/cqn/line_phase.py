"""The first phase in two or three variables: there a line search along each costs no more than a gradient."""

import numpy as np

from steelyard.algorithms.cqn.lengths import is_far, is_short
from steelyard.algorithms.cqn.sign_phase import FirstPhase, sign_phase
from steelyard.algorithms.cqn.tie_skipping import TieSkipping
from steelyard.algorithms.cqn.tuning import Tuning
from steelyard.dialogue import Compare, Question
from steelyard.parts.conjugate import Lines, search_lines
from steelyard.typing import Array


def line_phase(
    x: Array, h: float, scale: float, resting: TieSkipping, tuning: Tuning, short: bool = False
) -> Question[FirstPhase | None]:
    """Rounds of n + 1 line searches of about 7 comparisons until they lead no further; or, if `short`, just one.

    If not even the first round leads anywhere it becomes the sign phase from probes of radius .3 h, which widens them
    where everything ties.
    """
    step, moved_ever = tuning.line_step * scale, False
    lines = Lines(list((yield from _best_first(x, step))), np.full(x.size, step), when_tied=tuning.widen)
    while True:
        before = x
        x = yield from search_lines(x, lines, tuning.line_bits)
        if not moved_ever and x is before:
            return (yield from sign_phase(x, h, resting, tuning))
        moved_ever = True
        if short or is_short(x - before, x, scale, tuning.line_close) or is_far(x):
            return FirstPhase(x, float(lines.lengths.max()))


def _best_first(x: Array, step: float) -> Question[list[int]]:
    """The coordinates by how good a step along each is, in n (n - 1) / 2 comparisons: no number may go first."""
    if x.size == 1:
        return [0]
    first, second = np.triu_indices(x.size, 1)
    points = x + step * np.eye(x.size)
    answers = yield Compare(points[first], points[second])
    wins = np.bincount(first, answers, x.size) - np.bincount(second, answers, x.size)
    return [int(i) for i in np.argsort(-wins, kind="stable")]
