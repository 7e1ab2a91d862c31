"""What was asked and what was answered: one entry of the log of answers, which is the state of a run."""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.dialogue import Choose, Compare, Evaluate
from steelyard.typing import AnyArray, Array


@dataclass(frozen=True)
class Answered:
    """One answered batch of the log: what was asked (a fingerprint), what was answered, in which order and by whom."""

    fingerprint: int
    """A checksum of the points asked about."""
    answers: tuple[float, ...]
    """One for each row: -1, 0 or +1, or the value of f if values were asked."""
    order: tuple[int, ...] = ()
    """The rows in the order in which they were answered one by one; empty if they were answered all at once."""
    raters: tuple[str, ...] = ()
    """Who answered each row, if they are named."""
    open: bool = False
    """True for the last batch of a log if some of its rows wait: then `answers` are those of the rows in `order`."""


def fingerprint_of(question: Compare | Choose | Evaluate) -> int:
    """A checksum of the exact points of a question; the same on every run of the same seed."""
    checksum: Callable[..., int] = zlib.crc32  # an array is a buffer, which the types of 3.11 cannot say
    if not isinstance(question, Compare):
        return checksum(_contiguous(question.points if isinstance(question, Choose) else question.x))
    try:
        return checksum(question.b, checksum(question.a))
    except ValueError:  # a side is not contiguous
        return checksum(_contiguous(question.b), checksum(_contiguous(question.a)))


def _contiguous(rows: Array) -> Array:
    """The rows as they lie in memory; a side that repeats one point is stored once, and read once."""
    if rows.flags.c_contiguous:
        return rows
    return rows[0] if rows.strides[0] == 0 else np.ascontiguousarray(rows)


def as_answers(question: Compare | Choose | Evaluate, answers: Sequence[float]) -> AnyArray:
    """Answers as an array of the kind that the question takes: signs, ranks, or values of f."""
    return np.array(answers, dtype=np.float64 if isinstance(question, Evaluate) else np.int8)
