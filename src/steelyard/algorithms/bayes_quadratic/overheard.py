"""Questions of other methods, asked for the model: it hears the answers as well."""

from collections.abc import Generator
from typing import TypeVar

import numpy as np

from steelyard.dialogue import Compare, Message, Question, intercept
from steelyard.errors import BadType
from steelyard.parts.hearing import Heard
from steelyard.typing import Answers

T = TypeVar("T")


def overheard(dialogue: Generator[Message, Answers, T], rng: np.random.Generator) -> Question[tuple[T, Heard]]:
    """Its result, and all that was asked for it; in random order, so that a preference for the first cannot mislead.

    A point against itself is a tie, and is not asked.
    """
    speaker, answers, n = intercept(dialogue), None, 0
    parts: list[Heard] = []
    while (message := speaker.next(answers)) is not None:
        if not isinstance(message, Compare):
            raise BadType(f"only comparisons can be overheard, got {type(message).__name__}")
        asked, n = (message.a != message.b).any(axis=1), message.a.shape[1]
        answers = np.zeros(len(message), dtype=np.int8)
        if not asked.any():
            continue
        turned = rng.random(int(asked.sum())) < 0.5
        first, second = message.a[asked], message.b[asked]
        a, b = np.where(turned[:, None], second, first), np.where(turned[:, None], first, second)
        said = yield Compare(a, b)
        parts.append(Heard(a, b, np.asarray(said, dtype=np.float64)))
        answers[asked] = np.where(turned, -said, said)
    if not parts:
        return speaker.result, Heard.nothing(n)
    return speaker.result, Heard(*(np.concatenate(rows) for rows in zip(*parts, strict=True)))
