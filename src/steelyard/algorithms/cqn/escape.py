"""Global moves for a method that has converged: far looks along each coordinate, populations, random jumps."""

from __future__ import annotations

from collections.abc import Generator
from math import sqrt
from typing import TypeVar

import numpy as np

from steelyard.algorithms.cma_es import CMAES
from steelyard.algorithms.cqn.tuning import DEFAULT, Tuning
from steelyard.dialogue import Compare, Message, Question, Step, better, intercept
from steelyard.parts.questions import tournament_min
from steelyard.typing import Answers, Array

T = TypeVar("T")


def look_far(x: Array, scale: float, rng: np.random.Generator, tuning: Tuning) -> Question[Array | None]:
    """A better point that differs from x in few coordinates, each by up to 10 scales; None if there is none.

    18 comparisons a coordinate, independent of each other.
    """
    reaches = scale * np.array([*(-r for r in tuning.reaches), *tuning.reaches])
    improved = False
    for i in rng.permutation(x.size):
        far = np.repeat(x[None], len(reaches), axis=0)
        far[:, i] += reaches
        answers = yield Compare(far, np.broadcast_to(x, far.shape))
        winners = far[answers > 0]
        if len(winners):
            winner = winners[(yield from tournament_min(winners, rng))]
            if (yield from better(winner, x)):  # asked alone, for answers that err
                x, improved = winner, True
                yield Step(x)
    return x if improved else None


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
    best: Array, scale: float, size: int, rng: np.random.Generator, tuning: Tuning
) -> Question[Array | None]:
    """A better point by CMA-ES on ranks with `size` samples, from wide around `best`; None if it ends elsewhere.

    About 2.2 comparisons per sample, and 1 per generation to compare its mean with the best. It looks for a basin only:
    it ends where its mean moves by a small part of its first width.
    """
    width = tuning.population_width * scale
    shortest = tuning.population_rest * width * sqrt(best.size)
    search, answers = intercept(CMAES(step=width, population=size).run(best, rng)), None
    at, found = best, False
    while (message := search.next(answers)) is not None:
        if not isinstance(message, Step):
            answers = yield message
            continue
        answers = None
        if (yield from better(message.x, best)):
            best, found = message.x, True
            yield message
        if float(np.linalg.norm(message.x - at)) < shortest:
            break
        at = message.x
    return best if found else None
