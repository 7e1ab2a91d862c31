"""The first step, before there is a model: the signs of the gradient, and how far f falls along them.

A model that knows nothing yet takes some answers per variable to find out how far away the minimiser is. A search along
one line of descent says it in about 6 comparisons, whatever the units of the variables.
"""

from math import sqrt

import numpy as np

from steelyard.algorithms.bayes_quadratic.overheard import overheard
from steelyard.algorithms.bayes_quadratic.repeats import MOVED_BY
from steelyard.dialogue import Compare, Question
from steelyard.parts.hearing import Heard
from steelyard.parts.line_search import line_search
from steelyard.typing import Array

RADIUS, LENGTH = 0.5, 0.5
"""How far the probes of each variable lie from the start, and how long the first step is per variable, in units of how
far it may be expected to move. Long ones: a judge that errs when the two are close sees them best."""
BITS, SHRINKS = 1, 6
"""To how many bits the length is found, and how often it is shortened before no step is made."""
CHECKS, CHECKED_AT_MOST = 2, 4
"""How often the judge must say again that the step is better than the start, and how often it is asked at most: it may
be unable to tell for once."""


def first_step(x: Array, scale: float, rng: np.random.Generator) -> Question[tuple[Array, Heard, Heard]]:
    """Where f falls to along the signs of its gradient; x itself if it does not, or the judge is not sure.

    About n + 8 comparisons. With what was asked and, apart, what was asked again, the step second.
    """
    step, seen = yield from overheard(_step(x, scale), rng)
    checks = Heard(np.empty((0, x.size)), np.empty((0, x.size)), np.empty(0))
    if step is None:
        return x, seen, checks
    while (confirmed := int((checks.answers < 0.0).sum())) < CHECKS:
        if (checks.answers > 0.0).any() or CHECKS - confirmed > CHECKED_AT_MOST - len(checks.answers):
            return x, seen, checks
        near, far = MOVED_BY * rng.random(2)
        a, b = (x + near * (step - x))[None], (step - far * (step - x))[None]
        answer = yield Compare(a, b)
        checks = Heard(*(np.concatenate(rows) for rows in zip(checks, (a, b, answer.astype(float)), strict=True)))
    return step, seen, checks


def _step(x: Array, scale: float) -> Question[Array | None]:
    probes = RADIUS * scale * np.eye(x.size)
    signs = yield Compare(x + probes, x - probes)
    if not signs.any():
        return None
    downhill = scale * signs / np.linalg.norm(signs)
    moved = yield from line_search(x, downhill, LENGTH * sqrt(x.size), bits=BITS, shrinks=SHRINKS)
    return None if moved is None else moved.x
