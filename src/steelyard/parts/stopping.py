"""When a step length says that a run is over, and whether it is over at a minimum."""

import numpy as np

from steelyard.dialogue import Compare, GaveUp, Indistinct, Question, Unproven
from steelyard.parts.directions import sample_many
from steelyard.parts.questions import rows_in_a_batch
from steelyard.typing import Answers, Array

LONGEST_STEP = 1e150  # beyond this, squares overflow
_LEAST = 1e-280  # so that a run to the origin may go on until numbers end

PAIRS = 32
NEAREST, FURTHEST = 1e-4, 1e-3
"""How far from x the points of a pair are, as parts of its size: far enough that rounding does not decide, near enough
that the third order of f does not."""
FURTHER = 1.01
"""How much further from x the second point of a pair is: a slope of 1 % of the rise of f around x is seen."""

FEW_TIES, REACHES = 0.1, (1e-2, 3e-2, 1e-1, 3e-1, 1.0)
"""The share of ties from which on points further away are looked at, and how far, as parts of the size of x."""


def reason_to_stop(step: float, x: Array, rounding: float = 1e-17) -> str | None:
    """In words: the step is lost in the rounding of x, or beyond all bounds; None while it is neither."""
    if not step < LONGEST_STEP:
        return GaveUp("the step has grown without end: the function seems unbounded below")
    if step < rounding * (_LEAST + float(np.abs(x).max())):
        return "the step has shrunk below rounding"
    return None


def settled(reason: str, x: Array, length: float, rng: np.random.Generator) -> Question[str]:
    """Why a run stops at x: that it has converged if x is seen to be a minimum, else what was seen instead.

    A step also shrinks to nothing where answers contradict each other, where all is a tie, or at a kink. At a smooth
    minimum f rises alike on both sides: for any short d, x + d is better than x - 1.01 d, and x - d is better than
    x + 1.01 d. Where f has a slope left, one of the two does not hold. Where such pairs tie, the judge cannot see so
    small a difference, and there is no evidence of a minimum. Then x is compared with points further and further away,
    until nearly all can be distinguished from it. If none on the way is better, nothing better can be distinguished,
    and the reason says from which distance on. `length` is the first step of the run. At most 32 comparisons in one
    batch, and 160 more in five where there are ties.
    """
    if isinstance(reason, GaveUp | Unproven):
        return reason
    half = min(PAIRS, max(4, rows_in_a_batch(x.size))) // 2
    size = max(length, float(np.abs(x).max()))
    distances = size * 10.0 ** rng.uniform(np.log10(NEAREST), np.log10(FURTHEST), (half, 1))
    d = _both_ways(distances, x.size, rng)
    verdicts = yield from _verdicts(x + d, x - FURTHER * d)
    few, near_ties, reach = FEW_TIES * len(d), _ties(verdicts), 0.0
    for reach in REACHES if near_ties > few else ():
        # Along axes too: a kink may leave no other way down, and it is seen only where that is distinguished from x.
        d = _both_ways(np.full((half, 1), reach * size), x.size, rng, axes=True)
        verdicts = yield from _verdicts(np.broadcast_to(x, d.shape), x + d)
        along_axes = verdicts.reshape(2, half)[:, : min(x.size, half // 2)]
        if (verdicts < 0).any() or not (_ties(verdicts) > few or (along_axes == 0).any()):
            break
    if wrong := int(np.count_nonzero(verdicts < 0)):
        against = f"{wrong} of {len(d)} comparisons around it speak against a minimum"
        return Unproven(f"stopped: {reason}, but {against}: answers contradict each other, or f has a kink")
    if _ties(verdicts) > few:
        seen = f"{_ties(verdicts)} of {len(d)} comparisons around it are ties, near and far"
        return Unproven(f"stopped: {reason}, but {seen}")
    if near_ties > few:
        seen = f"{near_ties} of {len(d)} pairs around it are ties, and points {reach * size:.2g} away are worse"
        return Indistinct(f"stopped: {reason}; nothing better can be distinguished: {seen}")
    return f"converged: {reason}"


def _both_ways(distances: Array, n: int, rng: np.random.Generator, axes: bool = False) -> Array:
    """Steps of these lengths and their opposites; with `axes`, half of them, or n, along axes."""
    directions = sample_many("sphere", len(distances), n, rng)
    if axes:
        along = rng.permutation(n)[: len(distances) // 2]
        directions[: len(along)] = 0.0
        directions[np.arange(len(along)), along] = 1.0
    d = distances * directions
    return np.concatenate([d, -d])


def _ties(verdicts: Answers) -> int:
    return int(np.count_nonzero(verdicts == 0))


def _verdicts(better: Array, worse: Array) -> Question[Answers]:
    """Row by row, +1 if the one that should be better is, -1 if it is not, 0 for a tie."""
    # Sides alternate: an oracle that always says "the first" gives no evidence.
    first = (np.arange(len(better)) % 2 == 0)[:, None]
    answers = yield Compare(np.where(first, better, worse), np.where(first, worse, better))
    return np.where(first[:, 0], answers, -answers)
