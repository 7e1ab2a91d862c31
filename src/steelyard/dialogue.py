"""The words an algorithm speaks: it asks by yielding and is answered by what the yield returns.

One sign convention everywhere, the paper's: C(a, b) = sign(f(b) - f(a)), so

    +1   a is better      f(a) < f(b)
    -1   b is better      f(a) > f(b)
     0   a tie, or "can't tell"
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from steelyard.certainty import Certainty
from steelyard.typing import Answers, Array

T = TypeVar("T")

# The messages are made in the hottest loops: slots, and not frozen, which would more than double their cost.


@dataclass(slots=True)
class Compare:
    """Row i of `a` against row i of `b`: independent questions, answerable in any order or all at once.

    A batch in which one side is the same point throughout may pass it as `np.broadcast_to(x, b.shape)`.
    A method that cares who answers keeps its message: the driver notes there the rater of each row, if they are named.
    """

    a: Array
    b: Array
    raters: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.a)


@dataclass(slots=True)
class Evaluate:
    """The values of f at the rows of `x`: asked only by a method run in the paper's zeroth-order form."""

    x: Array

    def __len__(self) -> int:
        return len(self.x)


@dataclass(slots=True)
class Step:
    """ "My recommendation is now x." A run is judged by these; a step costs no query.

    A method with a model of the answers adds how certain it is, worked out only if somebody wants to know.
    """

    x: Array
    certainty: Callable[[], Certainty] | None = None


Message = Compare | Evaluate | Step

Dialogue = Generator[Message, Answers, str]
"""A whole run. It returns the reason, in words, for which it stopped by itself."""

Question = Generator[Message, Answers, T]
"""A part of a run that asks and then returns what it found out: `best = yield from comp_min(...)`."""


class GaveUp(str):
    """The reason of a run that stopped by itself but has found no minimum: not a success."""


class Algorithm(Protocol):
    """A frozen dataclass of hyper-parameters with one generator method.

    It never sees f, a budget, a clock, a file, a person or a seed: only its start, the answers and `rng`.
    A method that needs a box rather than all of space sets `unit_box = True` and then works in [0, 1]^n; one that is
    not made for many variables says up to how many with `max_n`.
    """

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue: ...


def compare(x: Array, y: Array) -> Question[int]:
    """+1 if x is better, -1 if y is, 0 for a tie: 1 comparison."""
    answers = yield Compare(x[None], y[None])
    return int(answers[0])


def better(x: Array, y: Array) -> Question[bool]:
    """Is x strictly better than y? 1 comparison; a tie is a no."""
    return (yield from compare(x, y)) > 0
