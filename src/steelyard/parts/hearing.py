"""What was asked and answered, for models that learn from the questions of others."""

from __future__ import annotations

from collections.abc import Generator
from typing import NamedTuple, TypeVar

import numpy as np

from steelyard.dialogue import Compare, Message, Question, Step, intercept
from steelyard.errors import BadType
from steelyard.typing import Answers, Array

T = TypeVar("T")


class Heard(NamedTuple):
    """What was asked, rows of a against rows of b, and the answers."""

    a: Array
    b: Array
    answers: Array

    @classmethod
    def nothing(cls, n: int) -> Heard:
        return cls(np.empty((0, n)), np.empty((0, n)), np.empty(0))


def listened(dialogue: Generator[Message, Answers, T], n: int) -> Question[tuple[T, Heard]]:
    """Its result, and all that was asked for it in n variables and answered by other than a tie.

    Of questions asked ahead those that the dialogue needed: what is heard does not depend on how many are in flight.
    """
    speaker, answers = intercept(dialogue), None
    asked: list[tuple[Compare, Answers]] = []
    while (message := speaker.next(answers)) is not None:
        answers = yield message
        if isinstance(message, Step):
            answers = None
        elif isinstance(message, Compare):
            asked.append((message, answers))
        else:
            raise BadType(f"only comparisons can be heard, got {type(message).__name__}")
    parts = [Heard.nothing(n), *(_told(question, said) for question, said in asked)]
    return speaker.result, Heard(*(np.concatenate(rows) for rows in zip(*parts, strict=True)))


def overlooked(dialogue: Generator[Message, Answers, T]) -> Question[T]:
    """A part of a dialogue of which `listened` hears nothing."""
    speaker, answers = intercept(dialogue), None
    while (message := speaker.next(answers)) is not None:
        if isinstance(message, Compare):
            message.needed = []
        answers = yield message
    return speaker.result


def _told(question: Compare, answers: Answers) -> Heard:
    """What was needed and told; those who ask ahead know what was needed only after the answers."""
    rows = np.arange(len(question)) if question.needed is None else np.array(question.needed, dtype=np.intp)
    told = rows[answers[rows] != 0]
    return Heard(question.a[told], question.b[told], np.asarray(answers[told], dtype=np.float64))
