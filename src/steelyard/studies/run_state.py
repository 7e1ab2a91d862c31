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

NEAR = 0.05
"""How far the neighbours of result and start in the closing comparison lie from them, as a share of the range."""
RECENT = 3
"""So many of the last answers are not repeated: they may still be remembered."""
EXTRA_ROW = -1
"""The row of a question that is not the method's."""


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
    repeats: list[Event] = field(default_factory=list)
    attention: list[Event] = field(default_factory=list)
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
        if self.ended or self.session.question is None:
            return True
        own = self.study.raters.mode == "own"  # a shared run does not wait for what is asked for one rater's sake
        return len(self.decisions) >= self.budget and not (
            own and self.live and self.extra_question(self.live[0].rater)
        )

    @property
    def best(self) -> Array:
        return self.session.recommend()

    def open_questions(self, rater: int) -> list[Asked]:
        """What this rater may answer now: a question that is asked for their sake if one is due, or else the undecided
        rows of the open batch on which they have not voted."""
        question = self.session.question
        if self.finished or not isinstance(question, Compare):
            return []
        if extra := self.extra_question(rater):
            return [extra]
        voted = {row for row, votes in self._votes.items() if any(vote.rater == rater for vote in votes)}
        rows = [row for row in self.session.unanswered if row not in voted]
        return [self._asked(rater, row, question.a[row], question.b[row]) for row in rows]

    def extra_question(self, rater: int) -> Asked | None:
        """A question that is not the method's, if one is due: an attention check, or an earlier pair with its sides
        swapped."""
        mine = [event for event in self.live if event.rater == rater and not event.skipped]
        return self._attention(rater, len(mine)) or self._repeat(rater, mine)

    def _attention(self, rater: int, answers: int) -> Asked | None:
        pairs = self.study.attention
        done = sum(event.rater == rater for event in self.attention)
        if done >= len(pairs) or answers < (done + 1) * self.study.budget / (len(pairs) + 1):
            return None
        good, bad = (self.study.space.unit(pairs[done][side]) for side in ("good", "bad"))
        return self._ask(f"attention-{done}-{self._undone.get(rater, 0)}", rater, EXTRA_ROW, good, bad)

    def _repeat(self, rater: int, mine: list[Event]) -> Asked | None:
        done = [event for event in self.repeats if event.rater == rater]
        if not self.study.repeats or len(mine) < repeat_due(self.study.repeats, self.seed, len(done)):
            return None
        before = {_repeated(event) for event in done}
        old = [event for event in mine[:-RECENT] if event.value and event.question not in before]
        if not old:
            return None
        points = [json.loads(event.points) for event in old]
        clearest = max(range(len(old)), key=lambda i: float(np.abs(np.subtract(points[i]["a"], points[i]["b"])).sum()))
        event, pair = old[clearest], points[clearest]
        id_ = f"repeat-{len(done)}-{self._undone.get(rater, 0)}-{event.question}"
        return Asked(id_, EXTRA_ROW, np.array(pair["a"]), np.array(pair["b"]), not event.flipped)

    def repeated(self, rater: int) -> list[tuple[int, int]]:
        """The rater's answers to what was asked twice: the first and the second, of the same point first."""
        first = {event.question: event.value for event in self.live if event.rater == rater}
        again = [event for event in self.repeats if event.rater == rater and not event.skipped]
        return [(first[_repeated(e)], e.value) for e in again if _repeated(e) in first]

    def votes_on(self, row: int) -> int:
        return len(self._votes.get(row, ()))

    def check_questions(self, rater: int) -> list[Asked]:
        """The next blind comparison of the result (a) with the start (b); none when enough are answered.

        Only the first is of these two themselves; after it come neighbours of both, so that nobody can answer from
        memory.
        """
        done = sum(event.rater == rater for event in self.checks)
        if not self.finished or done >= self.study.checks or np.array_equal(self.best, self.start):
            return []
        best, start = (self._neighbour(x, done, rater) for x in (self.best, self.start))
        if np.array_equal(best, start):
            best, start = self.best, self.start
        return [self._ask(f"check-{done}-{self._result:08x}", rater, 0, best, start)]

    def _neighbour(self, x: Array, number: int, rater: int) -> Array:
        """A point that differs from x by at most `NEAR` of the range of every parameter; x itself as number 0."""
        if number == 0:
            return x
        move = np.random.default_rng([self.seed, rater, number]).uniform(-NEAR, NEAR, x.size)
        move[list(self.study.space.categorical)] = 0.0
        return self.study.space.snap(np.clip(x + move, 0.0, 1.0))

    @property
    def checks(self) -> list[Event]:
        """The blind comparisons of the present result with the start, by anybody."""
        return [event for event in self._checks if event.question.endswith(f"-{self._result:08x}")]

    def undoable(self, rater: int) -> Event | None:
        """The rater's last answer, if taking it back takes nothing from others."""
        mine = [event for event in self.live if event.rater == rater]
        extra = [event for event in (*self.repeats, *self.attention) if event.rater == rater]
        if extra and (not mine or max(e.id for e in extra) > mine[-1].id):
            return max(extra, key=lambda event: event.id)
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
        elif event.kind == "repeat":
            self.repeats.append(event)
        elif event.kind == "attention":
            self.attention.append(event)

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
        for extra in (self.repeats, self.attention):
            taken_back = [e for e in extra if (e.rater, e.question) == (event.rater, event.question)]
            if taken_back:
                extra.remove(taken_back[0])
                self._undone[event.rater] = self._undone.get(event.rater, 0) + 1
                self.ended = False
                return
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


def repeat_due(share: float, seed: int, number: int) -> int:
    """After how many answers repeat `number` (from 0) is asked: one in every stretch of 1 / share, late in it, and not
    always at the same place."""
    late = np.random.default_rng([seed, number]).uniform(0.0, 0.5)
    return int((number + 1 - late) / share)


def repeats_among(share: float, seed: int, answers: int) -> int:
    """How many repeats are asked in the course of so many answers."""
    number = 0
    while share and repeat_due(share, seed, number) <= answers:
        number += 1
    return number


def _repeated(event: Event) -> str:
    """The question that a repeat repeats."""
    return event.question.split("-", 3)[3]


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
