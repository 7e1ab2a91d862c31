"""Global moves for a method that has converged: populations, random jumps."""

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


def jump(x: Array, scale: float, rng: np.random.Generator, tuning: Tuning, far: bool) -> Array:
    """A random point at a random distance: .1 to 1 scales in each coordinate, or .4 to 1.6 if `far`."""
    distance = float(10.0 ** rng.uniform(*(tuning.far_jumps if far else tuning.near_jumps)))
    return x + scale * distance * rng.standard_normal(x.size)


def challenging(
    descent: Generator[Message, Answers, T | None], start: Array, best: Array, tuning: Tuning = DEFAULT
) -> Question[T | None]:
    """A descent from `start` that recommends nothing until it is better than `best`: one comparison per step for that.

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


def unheard(part: Generator[Message, Answers, T]) -> Question[T]:
    """A part of a dialogue that recommends nothing."""
    speaker, answers = intercept(part), None
    while (message := speaker.next(answers)) is not None:
        answers = None if isinstance(message, Step) else (yield message)
    return speaker.result


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

    Only the best quarter of the samples is put in order: about 1.5 comparisons per sample, and 1 per generation to
    compare its mean with the best. It ends where its mean moves by the part `rest` of its first width, has not become
    better for long, or where many samples tie; on a `rugged` landscape it goes on to a tenth of that width, and
    further, where f is rugged there as well.
    """
    n = best.size
    shortest, rests = rest * width, 0
    patience = tuning.population_generations + tuning.population_patience * n / size
    if rugged:  # means become better only once the samples are in one basin
        patience *= tuning.population_hope
    at, found, fruitless, asked, tied = best, False, 0, 0, 0
    parents = max(1, round(tuning.population_parents * size))
    population = CMAES(step=width, population=size, parents=parents, active=False, control="path")
    search, answers = intercept(population.run(best, rng)), None
    while (message := search.next(answers)) is not None:
        if not isinstance(message, Step):
            answers = yield message
            asked, tied = asked + len(answers), tied + int(np.count_nonzero(answers == 0))
            continue
        answers, fruitless = None, fruitless + 1
        if (yield from better(message.x, best)):
            best, found, fruitless = message.x, True, 0
            yield message
        if fruitless > patience or tied > tuning.population_ties * asked:
            break
        asked = tied = 0
        if float(np.linalg.norm(message.x - at)) < shortest * sqrt(n):
            rests += 1
            if not (rugged and found and rests <= tuning.population_rests):
                break
            if not (yield from is_rugged(message.x, tuning.rest_look * shortest, rng, tuning)):
                break
            shortest *= tuning.rest_shrinks
        at = message.x
    return Moved(best, shortest * sqrt(n)) if found else None
