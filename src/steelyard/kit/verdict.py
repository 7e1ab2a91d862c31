"""What goes to a judge and what comes back: pairs, verdicts, and replies with what they took."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np

from steelyard.errors import BadValue
from steelyard.typing import Answers, Array

NEITHER: Literal["neither"] = "neither"
"""The answer of a judge to whom both candidates are unacceptable."""


@dataclass(frozen=True)
class Verdict:
    """An answer with more to say about it than its sign: who gave it and what it cost.

    A judge may return one wherever it may return a plain answer.

    answer : +1 or True if the first is better, -1 or False if the second is, 0 if it can't tell, "neither" if both are
        unacceptable.
    rater : who answered, for methods that learn whom to trust.
    cost : what this call really cost, if that is known only afterwards; it replaces the `cost` of `Concurrent`.
    """

    answer: int | bool | Literal["neither"]
    rater: str = ""
    cost: float | None = None


class Pair(NamedTuple):
    """Two candidates as the judge sees them; `key` is the same number whenever the same run asks this question."""

    x: Any
    y: Any
    key: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to row `row` of what was asked, and what it took."""

    row: int
    answer: int
    neither: bool = False
    rater: str = ""
    latency: float = 0.0
    cost: float = 0.0
    calls: int = 1

    def turned(self) -> Reply:
        """The same answer, had the two candidates been the other way round."""
        return replace(self, answer=-self.answer)


Stop = Callable[[], bool]
"""Asked before each new call: True if no more calls should be made. Calls under way are waited for."""


@runtime_checkable
class Judge(Protocol):
    """Whoever answers pairs of candidates of any kind, one reply per pair, in any order.

    `stream` is for callers outside of an event loop, `astream` for those inside.
    """

    def stream(self, pairs: Sequence[Pair], stop: Stop) -> Iterator[Reply]: ...

    def astream(self, pairs: Sequence[Pair], stop: Stop) -> AsyncIterator[Reply]: ...


def never() -> bool:
    """The `Stop` of callers who never stop."""
    return False


def sign_of(answer: Any) -> int | None:
    """+1, 0 or -1 if an answer plainly means one of them, as True (+1) and False (-1) do; None if it does not.

    Numbers and truth values of NumPy, PyTorch, JAX and their like count as Python's do.
    """
    if isinstance(answer, bool | np.bool_):
        return 1 if answer else -1
    if isinstance(answer, int | float | np.signedinteger | np.floating):
        return int(answer) if answer in (-1, 0, 1) else None
    # A kind that cannot be negative says no sign: its 0 and 1 may well be False and True.
    odd = answer is None or isinstance(answer, str | complex | np.complexfloating) or np.ma.is_masked(answer)
    if odd or np.ndim(answer) > 0 or "uint" in str(getattr(answer, "dtype", "")):
        return None
    try:
        if callable(getattr(answer, "item", None)):
            return sign_of(answer.item())
        return int(answer) if answer in (-1, 0, 1) else None
    except (TypeError, ValueError):  # of objects that cannot be compared with a number
        return None


def reply_to(row: int, said: Any, latency: float, cost: float = 0.0, calls: int = 1) -> Reply:
    """The reply that a judge's return value amounts to; nonsense is refused."""
    verdict = said if isinstance(said, Verdict) else Verdict(said)
    neither = isinstance(verdict.answer, str) and verdict.answer == NEITHER
    answer = 0 if neither else sign_of(verdict.answer)
    if answer is None:
        raise BadValue(
            "prefer(x, y) must return +1 or True (x is better), -1 or False (y is), 0 (can't tell) or 'neither' "
            f"(both are unacceptable), got {verdict.answer!r}"
        )
    return Reply(row, answer, neither, verdict.rater, latency, cost, calls)


def compare_rows(judge: Judge, a: Array, b: Array) -> Answers:
    """All answers of a judge about rows of a against rows of b."""
    answers = np.zeros(len(a), dtype=np.int8)
    pairs = [Pair(x.copy(), y.copy(), row) for row, (x, y) in enumerate(zip(a, b, strict=True))]
    for reply in judge.stream(pairs, never):
        answers[reply.row] = reply.answer
    return answers
