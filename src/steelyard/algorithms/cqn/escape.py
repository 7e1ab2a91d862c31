"""Global moves for a method that has converged: far looks along each coordinate, then random jumps."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

import numpy as np

from steelyard.dialogue import Compare, Message, Question, Step, better
from steelyard.questions import tournament_min
from steelyard.typing import Answers, Array

T = TypeVar("T")

REACHES = np.array([0.1, 0.3, 0.6, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0])


def look_far(x: Array, scale: float, rng: np.random.Generator) -> Question[Array | None]:
    """A better point that differs from x in few coordinates, each by up to 10 scales; None if there is none.

    18 comparisons a coordinate, independent of each other.
    """
    reaches = scale * np.concatenate([-REACHES, REACHES])
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


def jump(x: Array, scale: float, rng: np.random.Generator) -> Array:
    """A random point at a random distance, from a hundredth of the scale to three times it in each coordinate."""
    distance = float(10.0 ** rng.uniform(-2.0, 0.5))
    return x + scale * distance * rng.standard_normal(x.size)


def quietly(dialogue: Generator[Message, Answers, T]) -> Generator[Message, Answers, T]:
    """A dialogue without its recommendations: what it finds must first be compared with what is known."""
    answers: Answers | None = None
    while True:
        try:
            message = dialogue.send(answers)  # type: ignore[arg-type]  # None starts a generator
        except StopIteration as stop:
            found: T = stop.value
            return found
        answers = None if isinstance(message, Step) else (yield message)
