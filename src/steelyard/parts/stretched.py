"""A dialogue in coordinates of its own."""

from collections.abc import Callable, Generator
from typing import TypeVar

import numpy as np

from steelyard.dialogue import Compare, Message, Question, Step, intercept
from steelyard.errors import BadType
from steelyard.typing import Answers, Array

T = TypeVar("T")


def stretched(dialogue: Generator[Message, Answers, T], by: Array) -> Question[T]:
    """A dialogue of comparisons that speaks of z where x = by * z is meant. With powers of 2 nothing is rounded."""
    return (yield from mapped(dialogue, lambda z: by * z))


def mapped(dialogue: Generator[Message, Answers, T], outward: Callable[[Array], Array]) -> Question[T]:
    """A dialogue of comparisons that speaks of z (or of rows of them) where outward(z) is meant."""
    speaker, answers = intercept(dialogue), None
    while (message := speaker.next(answers)) is not None:
        if isinstance(message, Compare):
            outer = Compare(_rows(message.a, outward), _rows(message.b, outward), message.reserve)
            answers = yield outer
            message.cut_to, message.raters = outer.cut_to, outer.raters
        elif isinstance(message, Step):
            answers = yield Step(outward(message.x), message.certainty)
        else:
            raise BadType(f"a dialogue in other coordinates must only compare, got {type(message).__name__}")
    return speaker.result


def _rows(rows: Array, outward: Callable[[Array], Array]) -> Array:
    """The rows in coordinates of x; a side that repeats one point still does so."""
    return np.broadcast_to(outward(rows[0]), rows.shape) if rows.strides[0] == 0 and len(rows) > 1 else outward(rows)
