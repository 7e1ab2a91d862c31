"""In few variables, after the first lines or signs: a quadratic is fitted to all answers, and its minimiser followed.

A gradient measured by comparisons is forgotten after its step. In few variables all answers of the last region can be
kept instead, and each question be the one that the model knows least about: 4 n comparisons per two decades on a
sphere. The model believes its judge, so a tie ends the phase at once, and after a contradiction none is begun.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from steelyard.algorithms.cqn.lengths import is_short
from steelyard.algorithms.cqn.regional_model import RegionalModel
from steelyard.algorithms.cqn.tuning import Tuning
from steelyard.dialogue import Compare, Question, Step
from steelyard.parts.hearing import Heard
from steelyard.typing import AnyArray, Array


class Handed(NamedTuple):
    """What the phase hands on: the best point, a basis, and how far away the minimum may be, seen from it."""

    x: Array
    basis: Array
    length: float


def model_phase(
    x: Array, unit: float, scale: float, heard: Heard, rng: np.random.Generator, tuning: Tuning
) -> Question[Handed]:
    """From x, with all that was heard on the way there; until the model leads no further, at most 200 n comparisons."""
    n, t = x.size, tuning
    model = RegionalModel(x, unit, heard, t)
    count = max(1, round(t.model_batch * n))
    trial, most_lost = (t.model_trial, t.model_lost) if n > t.few else (1, 1)
    since_growth = fits = lost = retreats = asked = 0
    while asked < t.model_most * n and retreats <= t.model_retreats:
        if model.width >= t.model_widest * scale:
            lost, retreats = 0, retreats + 1
            model.retreat(x)
            continue
        if not (yield from _learn(model, *model.ask(count, rng))).all():
            break
        model.fit()
        fits, asked, since_growth = fits + 1, asked + count, since_growth + count
        if fits % trial == 0:
            best, asked = model.best, asked + 1
            answer = int((yield from _learn(model, best[None], x[None])).item())
            if answer == 0:
                break
            if answer > 0:
                short = is_short(best - x, x, scale, t.rounding_step)
                x, lost, retreats = best, 0, 0
                yield Step(x)
                if short:
                    break
            else:
                lost += 1
            if lost == most_lost:
                lost, retreats = 0, retreats + 1
                model.retreat(x)
        if model.leaves and since_growth >= t.model_wait * n:
            since_growth = 0
            if not (yield from _grow(model)):
                break
        elif model.outgrown:
            model.refine()
    away = float(np.linalg.norm(model.root @ (model.region.coordinates(x) - model.z)))
    return Handed(x, model.basis, max(away, model.spread * sqrt(n)))


def _learn(model: RegionalModel, a: Array, b: Array) -> Question[AnyArray]:
    """The answers, which the region hears if none of them is a tie."""
    answers = yield Compare(a, b)
    if answers.all():
        model.hear(a, b, answers)
    return answers


def _grow(model: RegionalModel) -> Question[bool]:
    """A region around the best point on the way to the minimiser and beyond, as wide as the way; False at a tie."""
    way, far = model.z.copy(), 0.5
    for _ in range(model.tuning.model_growths):
        near, further = model.region.point(far * way)[None], model.region.point(2.0 * far * way)[None]
        answer = int((yield from _learn(model, near, further)).item())
        if answer == 0:
            return False
        if answer > 0:
            break
        far *= 2.0
    model.move(far * way, 1.0 if far < 1.0 else 1.0 / max(model.tuning.model_wider, 0.5 * far))
    return True
