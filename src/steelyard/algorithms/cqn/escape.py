"""Global moves for a method that has converged: populations, random jumps."""

from __future__ import annotations

from collections.abc import Generator
from math import sqrt
from typing import TypeVar

import numpy as np

from steelyard.algorithms.cma_es import CMAES
from steelyard.algorithms.cqn.landscape import is_rugged
from steelyard.algorithms.cqn.tuning import DEFAULT, Tuning
from steelyard.dialogue import Message, Question, Step, better, intercept
from steelyard.parts.line_search import Moved
from steelyard.typing import Answers, Array

T = TypeVar("T")


def jump(x: Array, scale: float, rng: np.random.Generator, tuning: Tuning) -> Array:
    """A random point at a random distance: from a tenth of the scale to all of it in each coordinate."""
    distance = float(10.0 ** rng.uniform(*tuning.jumps))
    return x + scale * distance * rng.standard_normal(x.size)


def challenging(
    descent: Generator[Message, Answers, T | None], start: Array, best: Array, tuning: Tuning = DEFAULT
) -> Question[T | None]:
    """A descent from `start` that recommends nothing until it is better than `best`: one comparison a step for that.

    None if its steps become short compared with its jump before it is ahead: it is near another minimum.
    """
    at, shortest, ahead = start, tuning.give_up * float(np.linalg.norm(start - best)), False
    speaker, answers = intercept(descent), None
    while (message := speaker.next(answers)) is not None:
        if isinstance(message, Step):
            answers = None
            if not ahead:
                ahead = yield from better(message.x, best)
                if not ahead and float(np.linalg.norm(message.x - at)) < shortest:
                    return None
                at = message.x
            if ahead:
                yield message
        else:
            answers = yield message
    return speaker.result if ahead else None


def population_search(
    best: Array,
    width: float,
    size: int,
    rest: float,
    rng: np.random.Generator,
    tuning: Tuning,
    rugged: bool = False,
) -> Question[Moved | None]:
    """A better point by CMA-ES on ranks with `size` samples, from `width` around `best`; None if it ends elsewhere.

    About 2.2 comparisons per sample, and 1 per generation to compare its mean with the best. It ends where its mean
    moves by the part `rest` of its first width, or has not become better for long; on a `rugged` landscape it goes on
    to a tenth of that, and further, where f is rugged at that width as well.
    """
    n = best.size
    shortest, rests = rest * width, 0
    patience = tuning.population_generations + tuning.population_patience * n / size
    at, found, fruitless = best, False, 0
    search, answers = intercept(CMAES(step=width, population=size, control="path").run(best, rng)), None
    while (message := search.next(answers)) is not None:
        if not isinstance(message, Step):
            answers = yield message
            continue
        answers, fruitless = None, fruitless + 1
        if (yield from better(message.x, best)):
            best, found, fruitless = message.x, True, 0
            yield message
        if fruitless > (tuning.population_hope * patience if rugged and not found else patience):
            break
        if float(np.linalg.norm(message.x - at)) < shortest * sqrt(n):
            rests += 1
            if not (rugged and found and rests <= tuning.population_rests):
                break
            if not (yield from is_rugged(best, shortest / rest, rng, tuning)):
                break
            shortest *= tuning.rest_shrinks
        at = message.x
    return Moved(best, shortest * sqrt(n)) if found else None
