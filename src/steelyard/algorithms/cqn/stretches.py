"""Are the coordinates measured in units that differ by orders of magnitude? If so, in which?

A basis that starts as the identity learns one direction per step; where every axis has a length of its own, that is a
long way. How far one can go up along each axis to a common level of f says all n lengths in some 6 n comparisons. On a
rotated problem the axes are all alike, and 33 comparisons, about 16 of them, are enough to see that.
"""

from math import log2, sqrt

import numpy as np

from steelyard.algorithms.cqn.tuning import Tuning
from steelyard.dialogue import Compare, Question, better
from steelyard.parts.questions import rows_in_a_batch
from steelyard.typing import AnyArray, Array, Indices


def stretches(x: Array, uphill: Array, scale: float, tuning: Tuning) -> Question[Array | None]:
    """For each coordinate a power of 2, its length compared with the others'; None if they are much alike.

    `uphill` are the signs of the gradient, 0 where unknown. At most 33 comparisons where the lengths are alike, about
    7 n where they are not. All lengths are changes of one coordinate that lead up to the level of one point. Where f is
    below that level further along an axis, as it is behind the walls of a box, lengths say nothing: None.
    """
    n = x.size
    asked = np.flatnonzero(uphill)
    level = x + scale * uphill
    if 2 * len(asked) < n or not (yield from better(x, level)):
        return None
    unit = scale * 2.0 ** round(log2(sqrt(n)))  # what it is if the level is a sphere's
    exponents = np.zeros(n, dtype=np.intp)

    def below(which: Indices) -> Question[AnyArray]:
        """Is the level not yet reached, so far along these axes?"""
        answers = []
        most = rows_in_a_batch(n)
        for start in range(0, len(which), most):
            part = which[start : start + most]
            points = np.repeat(x[None], len(part), axis=0)
            points[np.arange(len(part)), part] += unit * 2.0 ** exponents[part] * uphill[part]
            answers.append((yield Compare(points, np.broadcast_to(level, points.shape))))
        return np.concatenate(answers) > 0

    direction = np.zeros(n, dtype=np.intp)

    def differ(which: Indices) -> Question[Indices]:
        """Those of which the length is not about the unit: 2 comparisons each."""
        direction[which] = np.where((yield from below(which)), tuning.stretch_gallop, -tuning.stretch_gallop)
        exponents[which] += direction[which]
        further: Indices = which[(yield from below(which)) == (direction[which] > 0)]
        return further

    some = asked[np.linspace(0, len(asked) - 1, min(len(asked), tuning.stretch_sample)).round().astype(np.intp)]
    going = yield from differ(some)
    if len(going) < tuning.stretch_part * len(some):
        return None
    if len(some) < len(asked):
        going = np.union1d(going, (yield from differ(np.setdiff1d(asked, some))))
        if len(going) < tuning.stretch_part * len(asked):
            return None
    idle = int(len(going) == len(asked))
    for _ in range(1, tuning.stretch_gallops):
        exponents[going] += direction[going]
        beyond = (yield from below(going)) == (direction[going] > 0)
        idle = idle + 1 if beyond.all() else 0
        going = going[beyond]
        if going.size == 0 or idle == tuning.stretch_idle:
            break
    exponents[asked] -= direction[asked] // 2
    if going.size or np.std(exponents[asked]) < tuning.stretch_spread * log2(10.0):
        return None
    found = exponents.copy()
    exponents += tuning.stretch_further
    if (yield from below(asked)).any():
        return None
    exponents = found
    middle = int(np.median(exponents[asked]))
    exponents[np.setdiff1d(np.arange(n), asked)] = middle
    return np.exp2((exponents - middle).astype(np.float64))
