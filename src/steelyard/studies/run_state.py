"""A run rebuilt from its log: the state is nothing but the fold over the events, in their order.

The id of a question holds its batch, its row, how often this rater has undone an answer, and a checksum of the two
points. So an answer sent again, from a second tab or from a page of before an undo is recognised as such.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from steelyard.dialogue import Compare
from steelyard.session import ReplayError, Session
from steelyard.studies.store import Event
from steelyard.studies.study import Study
from steelyard.typing import Array


@dataclass(frozen=True, eq=False)
class Asked:
    """One pair of points for one rater; `flipped` says that the method's first point goes to the right."""

    id: str
    row: int
    a: Array
    b: Array
    flipped: bool

    @property
    def left(self) -> Array:
        return self.b if self.flipped else self.a

    @property
    def right(self) -> Array:
        return self.a if self.flipped else self.b


@dataclass(frozen=True, eq=False)
class Decision:
    """An answer that the method was told, its recommendation after it, and the event that made it."""

    row: int
    value: int
    a: Array
    b: Array
    x: Array
    event: int
    rater: str


@dataclass
class RunState:
    """The state of a run after some of its events."""

    study: Study
    seed: int
    session: Session = field(init=False)
    decisions: list[Decision] = field(default_factory=list)
    live: list[Event] = field(default_factory=list)
    last: int = 0
    ended: bool = False
    extra: int = 0
    surplus: int = 0
    settled: float = 0.0  # as of `settled_at` answers: it takes thought, and is worked out while people look
    settled_at: int = 0
    # Sessions that have gone one answer further, made ahead of time; and those left behind by taking one of them.
    ahead: dict[tuple[int, int], Session] = field(default_factory=dict)
    behind: list[Session] = field(default_factory=list)
    _checks: list[Event] = field(default_factory=list)
    _votes: dict[int, list[Event]] = field(default_factory=dict)
    _known: set[tuple[int, str, str]] = field(default_factory=set)
    _undone: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.session = self.study.session(self.seed)
        self.start = self.session.recommend()

    # --- asking

    @property
    def budget(self) -> int:
        return self.study.budget + self.extra

    @property
    def finished(self) -> bool:
        return self.ended or len(self.decisions) >= self.budget or self.session.question is None

    @property
    def best(self) -> Array:
        return self.session.recommend()

    def open_questions(self, rater: int) -> list[Asked]:
        """What this rater may answer now: the undecided rows of the open batch on which they have not voted."""
        question = self.session.question
        if self.finished or not isinstance(question, Compare):
            return []
        voted = {row for row, votes in self._votes.items() if any(vote.rater == rater for vote in votes)}
        rows = [row for row in self.session.unanswered if row not in voted]
        return [self._asked(rater, row, question.a[row], question.b[row]) for row in rows]

    def votes_on(self, row: int) -> int:
        return len(self._votes.get(row, ()))

    def check_questions(self, rater: int) -> list[Asked]:
        """The next blind comparison of the result (a) with the start (b); none when enough are answered."""
        done = sum(event.rater == rater for event in self.checks)
        if not self.finished or done >= self.study.checks or np.array_equal(self.best, self.start):
            return []
        return [self._ask(f"check-{done}-{self._result:08x}", rater, 0, self.best, self.start)]

    @property
    def checks(self) -> list[Event]:
        """The blind comparisons of the present result with the start, by anybody."""
        return [event for event in self._checks if event.question.endswith(f"-{self._result:08x}")]

    def undoable(self, rater: int) -> Event | None:
        """The rater's last answer, if taking it back takes nothing from others."""
        mine = [event for event in self.live if event.rater == rater]
        if not mine:
            return None
        in_open_batch = any(vote is mine[-1] for votes in self._votes.values() for vote in votes)
        undecided = in_open_batch and _place(mine[-1].question)[1] in self.session.unanswered
        return mine[-1] if mine[-1] is self.live[-1] or undecided else None

    def knows(self, rater: int, kind: str, question: str) -> bool:
        """Is this event in the log already, be it undone since?"""
        return (rater, kind, question) in self._known

    # --- the fold

    def apply(self, event: Event) -> None:
        """Go on by one event of the log."""
        self._known.add((event.rater, event.kind, event.question))
        self.last = event.id
        if event.kind == "answer":
            self._answer(event)
        elif event.kind == "undo":
            self._undo(event)
        elif event.kind == "finish":
            self.ended = True
        elif event.kind == "more":
            self.ended = False
            self.extra += max(0, event.value - max(0, self.budget - len(self.decisions)))
        elif event.kind == "check":
            self._checks.append(event)

    def _answer(self, event: Event) -> None:
        batch, row = _place(event.question)
        question = self.session.question
        if not isinstance(question, Compare) or batch < self._batch or row not in self.session.unanswered:
            self.surplus += 1  # decided by others in the same moment: kept in the log, not told to the method
            return
        if batch > self._batch or not _same_points(event, question.a[row], question.b[row]):
            raise ReplayError(
                f"answer {event.id} of run {event.run} is to another question than the one asked here: was the method "
                "or a version of a library changed since?"
            )
        self.live.append(event)
        votes = self._votes.setdefault(row, [])
        votes.append(event)
        value = self.study.raters.decide([vote.value for vote in votes])
        if value is not None:
            self._tell(question, row, value, votes)

    def _tell(self, question: Compare, row: int, value: int, votes: list[Event]) -> None:
        batch = self._batch
        # A method that learns whom to trust wants to know who answered, where one person did.
        rater = str(votes[0].rater) if self.study.raters.mode == "shared" and len(votes) == 1 else ""
        if (row, value) in self.ahead:
            self.behind = [*self.behind[-3:], self.session]
            self.session = self.ahead[row, value]
        else:
            self.session.answer(row, value, rater)
            self.behind = []
        self.ahead = {}
        a, b, x = question.a[row], question.b[row], self.session.recommend()
        self.decisions.append(Decision(row, value, a, b, x, votes[-1].id, rater))
        if self._batch != batch or self.session.question is None:
            self._votes = {}

    def _undo(self, event: Event) -> None:
        index = next(
            (i for i, e in enumerate(self.live) if (e.rater, e.question) == (event.rater, event.question)), None
        )
        if index is None:
            return
        taken = self.live.pop(index)
        self._undone[event.rater] = self._undone.get(event.rater, 0) + 1
        self.ended = False
        self.ahead = {}
        for votes in self._votes.values():
            if taken in votes:
                votes.remove(taken)
        if self.decisions and self.decisions[-1].event == taken.id:
            self._take_back()

    def _take_back(self) -> None:
        """The method forgets its last answer: from a session kept behind, or else by replay."""
        self.decisions.pop()
        if self.behind:
            self.session = self.behind.pop()
        else:
            self.session = self.replayed(self.decisions)
        self._votes = {}
        for vote in self.live:  # the votes on the rows of the batch that is open again
            batch, row = _place(vote.question)
            if batch == self._batch:
                self._votes.setdefault(row, []).append(vote)

    def replayed(self, decisions: Sequence[Decision]) -> Session:
        """A new session of this run that has been told these decisions."""
        session = self.study.session(self.seed)
        for decision in decisions:
            session.answer(decision.row, decision.value, decision.rater)
        return session

    # --- ids

    @property
    def _batch(self) -> int:
        """How many questions were answered before the open batch: what a batch is known by."""
        return self.session.queries

    @property
    def _result(self) -> int:
        return _checksum(self.best, self.start)

    def _asked(self, rater: int, row: int, a: Array, b: Array) -> Asked:
        undone = self._undone.get(rater, 0)
        return self._ask(f"{self._batch}-{row}-{undone}-{_checksum(a, b):08x}", rater, row, a, b)

    def _ask(self, id_: str, rater: int, row: int, a: Array, b: Array) -> Asked:
        # The side is a coin that falls the same way on every reload.
        coin = hashlib.sha256(f"{self.seed}/{rater}/{id_}".encode()).digest()[0] & 1
        return Asked(id_, row, a, b, bool(coin))


def _place(question: str) -> tuple[int, int]:
    batch, row, *_ = question.split("-")
    return int(batch), int(row)


def _same_points(event: Event, a: Array, b: Array) -> bool:
    """Is this what was asked? Other processors round otherwise, so points that nobody could tell apart are the same."""
    if event.question.endswith(f"-{_checksum(a, b):08x}"):
        return True
    points = json.loads(event.points)
    return np.allclose(points["a"], a, atol=1e-6) and np.allclose(points["b"], b, atol=1e-6)


def _checksum(a: Array, b: Array) -> int:
    return zlib.crc32(np.ascontiguousarray(b).data, zlib.crc32(np.ascontiguousarray(a).data))
