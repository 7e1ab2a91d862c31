"""What can be seen of a run while it goes on: its history, and answers that contradict each other."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from steelyard.errors import BadType
from steelyard.kit.outcome import so_far
from steelyard.typing import Array

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

    from steelyard.oracles import Oracle
    from steelyard.session import Session

FLOAT = np.dtype(np.float64)

MOST_ENTRIES = 1000
"""The most recommendations that a history keeps: beyond that, every other one is dropped."""


@dataclass
class History:
    """The recommendations of a run and after how many comparisons each was made; of long runs evenly thinned out."""

    _queries: list[int] = field(default_factory=list)
    _points: list[bytes] = field(default_factory=list)  # a quarter of the time of copies of arrays
    _every: int = 1
    _seen: int = 0

    def keeping(
        self, outward: Callable[[Array], Array] | None, told: Callable[[Session], None] | None
    ) -> Callable[[Session], None]:
        """What a session calls at every step: it keeps some of them, in the user's coordinates, and passes all on.

        The session counts its steps; how many there were, `seen` is told at the end.
        """
        kept, points = self._queries, self._points

        # `due` and `note`, inline: a run of single comparisons is not to feel it.
        def stepped(session: Session) -> None:
            if not session.steps % self._every:
                x = session._said.x if outward is None else outward(session._said.x)
                kept.append(session.queries)
                points.append(x.tobytes() if x.dtype is FLOAT else np.asarray(x, dtype=FLOAT).tobytes())
                if len(kept) > MOST_ENTRIES:
                    self._thin_out()
            if told is not None:
                told(session)

        return stepped

    def seen(self, steps: int) -> None:
        """There were this many recommendations in all."""
        self._seen = steps

    def due(self) -> bool:
        """Counts a recommendation, and says whether it is one of those kept."""
        self._seen += 1
        return self._seen % self._every == 0

    def note(self, queries: int, x: Array) -> None:
        """Keep a recommendation."""
        self._queries.append(queries)
        self._points.append(x.tobytes() if x.dtype is FLOAT else np.asarray(x, dtype=FLOAT).tobytes())
        if len(self._queries) > MOST_ENTRIES:
            self._thin_out()

    def _thin_out(self) -> None:
        del self._queries[::2], self._points[::2]
        self._every *= 2

    def __len__(self) -> int:
        return len(self._queries)

    def __repr__(self) -> str:
        last = f", the last after {self._queries[-1]} comparisons" if self._queries else ""
        return f"<History of {self._seen} recommendations{last}>"

    @property
    def queries(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """After how many comparisons each recommendation was made."""
        return np.array(self._queries, dtype=np.int64)

    @property
    def x(self) -> Array:
        """The recommendations, one per row."""
        return np.array([np.frombuffer(point) for point in self._points])


class Contradictions:
    """Counts answers that cannot all be right: the same pair decided differently, and circles of three.

    Only pairs that are asked again tell how often a judge errs; a method that never repeats one leaves that unknown.
    """

    def __init__(self) -> None:
        self._beats: dict[Hashable, set[Hashable]] = {}
        self._told: dict[frozenset[Hashable], list[Hashable | None]] = {}
        self.count = self.repeats = self.differed = 0

    def note(self, a: Hashable, b: Hashable, answer: int) -> None:
        """Answer +1, 0 or -1 about a and b."""
        if a == b:
            return
        winner = a if answer > 0 else b if answer < 0 else None
        before = self._told.setdefault(frozenset((a, b)), [])
        if before:
            self.repeats += 1
            self.differed += before[-1] != winner
            self.count += winner is not None and before[-1] is not None and before[-1] != winner
        before.append(winner)
        if winner is None:
            return
        loser = b if winner == a else a
        if loser not in self._beats.setdefault(winner, set()):
            losers_of_loser = self._beats.get(loser, set())
            self.count += sum(winner in self._beats.get(third, ()) for third in losers_of_loser)
            self._beats[winner].add(loser)

    @property
    def error_rate(self) -> float | None:
        """The rate of wrong answers that would make repeated questions differ as often as they did; None if unknown."""
        if self.repeats < 5:
            return None
        differ = min(self.differed / self.repeats, 0.5)
        return 0.5 * (1.0 - sqrt(1.0 - 2.0 * differ))


class StepHook:
    """The user's callback, called at each step.

    Its StopIteration must not be taken for the generator's own end, and its errors must not leave the run between two
    questions: both are kept until the next question is open.
    """

    def __init__(self, callback: Callable[[OptimizeResult], object], oracle: Oracle) -> None:
        if not callable(callback):
            raise BadType(f"callback must be a function of one result, got {callback!r}")
        self._callback, self._oracle = callback, oracle
        self.stopped = False
        self.error: Exception | None = None

    def __call__(self, session: Session) -> None:
        if self.stopped or self.error is not None:
            return
        result = so_far(session, self._oracle)
        try:
            self._callback(result)
        except StopIteration:
            self.stopped = True
        except Exception as error:
            self.error = error
