"""A run rebuilt from its log: the state is nothing but the fold over the events, in their order.

The fold asks the method nothing: events hold the points that were compared. Where the method stands after them is a
`Position`, which is thought of elsewhere and given to the state.

The id of a question holds its place, how often this rater has undone an answer, and a checksum of the two points. So an
answer sent again, from a second tab or from a page of before an undo is recognised as such.
"""

import hashlib
import json
import threading
import zlib
from dataclasses import dataclass, field, replace

import numpy as np

from steelyard.certainty import Certainty
from steelyard.dialogue import Past
from steelyard.errors import ReplayError
from steelyard.studies.choosing import is_choice, one_each
from steelyard.studies.consistency import Consistency, Judged
from steelyard.studies.decided import Asked, Decision, digest_after, past_of
from steelyard.studies.events import Event
from steelyard.studies.extra_questions import (
    EXTRA_ROW,
    MORE_FAR,
    STILL_REMEMBERED,
    far_points,
    neighbour,
    repeat_due,
    repeated_question,
    repeats_among,
)
from steelyard.studies.position import Position, RowPlace, checksum, place_of
from steelyard.studies.study import Study
from steelyard.studies.turns import away
from steelyard.typing import Array

_one_at_a_time = threading.Lock()


@dataclass
class RunState:
    """The state of a run after some of its events."""

    study: Study
    seed: int
    position: Position | None = None
    decisions: list[Decision] = field(default_factory=list)
    digests: list[str] = field(default_factory=lambda: [""])  # number i: what distinguishes the first i decisions
    live: list[Event] = field(default_factory=list)
    last: int = 0
    ended: bool = False
    extra: int = 0
    surplus: int = 0
    repeats: list[Event] = field(default_factory=list)
    attention: list[Event] = field(default_factory=list)
    certainty: Certainty | None = None  # as of `certain_at` decisions: it takes thought
    certain_at: int = -1
    _checks: list[Event] = field(default_factory=list)
    _consistency: dict[int | None, tuple[int, Consistency]] = field(default_factory=dict)
    _votes: dict[RowPlace, list[Event]] = field(default_factory=dict)
    _decided: set[RowPlace] = field(default_factory=set)
    _known: set[tuple[int, str, str]] = field(default_factory=set)
    _undone: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.start = self.study.space.start

    # --- where the method stands

    def stand(self, position: Position) -> None:
        """The method has been asked where it stands after these decisions, or some of them."""
        self.position = position
        if self.decisions and position.decided == len(self.decisions):
            self.decisions[-1] = replace(self.decisions[-1], x=position.x)

    @property
    def undecided(self) -> list[int]:
        """The rows of the position that still want an answer."""
        places = self.position.places if self.position is not None else ()
        return [row for row, place in enumerate(places) if place not in self._decided]

    @property
    def stopped(self) -> bool:
        """Has the method stopped by itself?"""
        return self.position is not None and not len(self.position.a)

    @property
    def reason(self) -> str | None:
        """Why the method has stopped by itself."""
        return self.position.reason if self.position is not None else None

    @property
    def keeps_model(self) -> bool:
        """Can the method say how certain it is?"""
        return self.position is not None and self.position.models

    @property
    def wants_thought(self) -> bool:
        """Is there nothing left to ask until the method has been asked?"""
        return self.position is None or (not self.stopped and not self.undecided)

    def stands_at(self, decided: int, digest: str) -> bool:
        """Is this what was decided first?"""
        return decided < len(self.digests) and self.digests[decided] == digest

    @property
    def told(self) -> Past:
        """All decisions, as a method that resumes wants them."""
        return past_of(self.decisions, len(self.study.space))

    # --- asking

    @property
    def budget(self) -> int:
        return self.study.budget + self.extra

    @property
    def finished(self) -> bool:
        if self.ended or self.stopped:
            return True
        own = self.study.raters.mode == "own"  # a shared run does not wait for what is asked for one rater's sake
        return len(self.decisions) >= self.budget and not (
            own and self.live and self.extra_question(self.live[0].rater)
        )

    @property
    def best(self) -> Array:
        return self.position.x if self.position is not None else self.start

    def open_questions(self, rater: int) -> list[Asked]:
        """What this rater may answer now: a question that is asked for their sake if one is due, or else the undecided
        rows of the position on which they have not voted."""
        position = self.position
        if self.finished or position is None:
            return []
        if extra := self.extra_question(rater):
            return [extra]
        places = position.places
        if position.choice and not self._voted(rater, places[0]):
            return [self._choice(rater, places[0], position)]
        rows = [row for row in self.undecided if not self._voted(rater, places[row])]
        return [self._asked(rater, places[row], position.a[row], position.b[row]) for row in rows]

    def _voted(self, rater: int, place: RowPlace) -> bool:
        return any(vote.rater == rater for vote in self._votes.get(place, ()))

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
        if not self.repeat_share or len(mine) < repeat_due(self.repeat_share, self.seed, len(done)):
            return None
        before = {repeated_question(event) for event in done}
        old = [event for event in mine[:-STILL_REMEMBERED] if event.value and event.question not in before]
        if not old:
            return None
        points = [json.loads(event.points) for event in old]
        clearest = max(range(len(old)), key=lambda i: float(np.abs(np.subtract(points[i]["a"], points[i]["b"])).sum()))
        event, pair = old[clearest], points[clearest]
        id_ = f"repeat-{len(done)}-{self._undone.get(rater, 0)}-{event.question}"
        return Asked(id_, EXTRA_ROW, np.array(pair["a"]), np.array(pair["b"]), not event.flipped)

    def given(self, rater: int) -> int:
        """How far the rater sees the study: decided questions, and what was asked for the rater's sake."""
        return len(self.decisions) + sum(event.rater == rater for event in (*self.repeats, *self.attention))

    @property
    def expected(self) -> int:
        """How many questions a rater should expect."""
        return self.budget + repeats_among(self.repeat_share, self.seed, self.budget) + len(self.study.attention)

    @property
    def repeat_share(self) -> float:
        """Which share of the questions is asked again: only pairs are, since only they have sides to swap."""
        return self.study.repeats if self.study.choose == 2 else 0.0

    def repeated(self, rater: int) -> list[tuple[int, int]]:
        """The rater's answers to what was asked twice: the first and the second, of the same point first."""
        first = {event.question: event.value for event in self.live if event.rater == rater}
        again = [event for event in self.repeats if event.rater == rater and not event.skipped]
        return [(first[repeated_question(e)], e.value) for e in again if repeated_question(e) in first]

    def votes_on(self, question: str) -> int:
        """How many people have voted on a question, of which an id is given."""
        return len(self._votes.get(place_of(question), ()))

    def check_questions(self, rater: int) -> list[Asked]:
        """The next blind comparison of the result (a) with the start (b); none when enough are answered.

        Only the first is of these two themselves; after it come neighbours of both, so that nobody can answer from
        memory. In between the result is compared with something far from it, until it is known whether the answers
        follow a preference at all.
        """
        start, far = (sum(event.rater == rater for event in events) for events in (self.checks, self.contrasts))
        if not self.finished or not self.study.checks or self._at_start:
            return []
        if start < self.study.checks and start <= far:
            best, other = (self._neighbour(x, start, rater) for x in (self.best, self.start))
            if np.array_equal(best, other):
                best, other = self.best, self.start
            return [self._ask(f"check-{start}-{self._result}", rater, 0, best, other)]
        if start < self.study.checks or (far < self.study.checks + MORE_FAR and not self.consistency(rater).decided):
            best = self._neighbour(self.best, far + 1000, rater)
            return [self._ask(f"contrast-{far}-{self._result}", rater, 0, best, self._far(best, far, rater))]
        return []

    def _far(self, x: Array, number: int, rater: int) -> Array:
        """An allowed point far from x: of many drawn at random the one that this rater, if the answers so far follow a
        preference, will most surely find worse. Whoever clicks at random finds it worse in half of the cases."""
        t = far_points(x, [self.seed, rater, number, 1])
        return self.study.space.snap(t[self.consistency(rater).foretold(x, t).argmax()])

    def judged(self, rater: int | None = None) -> Judged:
        """All answers of a rater (of all, if None) to pairs: the method's questions and all others."""
        events = [*self.live, *self.repeats, *self.attention, *self.checks, *self.contrasts]
        mine = [e for e in events if (rater is None or e.rater == rater) and not e.skipped]
        return Judged(*one_each(mine, len(self.study.space)), self.study.space.categorical)

    def consistency(self, rater: int | None = None) -> Consistency:
        """How far answers follow a preference; worked out anew when there are new ones."""
        if rater not in self._consistency or self._consistency[rater][0] != self.last:
            worked_out = Consistency(self.judged(rater), self._closed(rater))
            with away(), _one_at_a_time:  # it takes long: others have their turn meanwhile
                worked_out.work_out()
            self._consistency[rater] = (self.last, worked_out)
        return self._consistency[rater][1]

    def _closed(self, rater: int | None) -> bool:
        """Has the rater answered the closing comparisons, at least those that everybody is asked?"""
        least = min(sum(e.rater == rater for e in events) for events in (self.checks, self.contrasts))
        return bool(self.study.checks) and least >= self.study.checks

    def _neighbour(self, x: Array, number: int, rater: int) -> Array:
        return x if number == 0 else neighbour(self.study.space, x, [self.seed, rater, number])

    @property
    def checks(self) -> list[Event]:
        """The blind comparisons of the present result with the start, by anybody."""
        return [e for e in self._checks if e.question.startswith("check-") and self._about_result(e)]

    @property
    def contrasts(self) -> list[Event]:
        """The comparisons of the present result with something far from it."""
        return [e for e in self._checks if e.question.startswith("contrast-") and self._about_result(e)]

    def _about_result(self, event: Event) -> bool:
        return event.question.endswith(f"-{self._result}")

    def undoable(self, rater: int) -> Event | None:
        """The rater's last answer, if taking it back takes nothing from others."""
        mine = [event for event in self.live if event.rater == rater]
        extra = [event for event in (*self.repeats, *self.attention) if event.rater == rater]
        if extra and (not mine or max(e.id for e in extra) > mine[-1].id):
            return max(extra, key=lambda event: event.id)
        if not mine:
            return None
        undecided = place_of(mine[-1].question) not in self._decided
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
        elif event.kind in (kept := {"check": self._checks, "repeat": self.repeats, "attention": self.attention}):
            kept[event.kind].append(event)

    def _answer(self, event: Event) -> None:
        place = place_of(event.question)
        if place in self._decided:
            self.surplus += 1  # decided by others in the same moment: kept in the log, not told to the method
            return
        points = json.loads(event.points)
        n = len(self.study.space)
        asked = points.get("points") or [points.get(side, ()) for side in ("a", "b")]
        if place[0] > len(self.decisions) or any(len(point) != n for point in asked):
            raise ReplayError(
                f"answer {event.id} of run {event.run} is to a different question from the one asked here: has the "
                "log changed?"
            )
        best = np.array(points["x"]) if "x" in points else self.best  # when it was asked
        if self.decisions and "x" in points:
            self.decisions[-1] = replace(self.decisions[-1], x=best)
        self.live.append(event)
        votes = self._votes.setdefault(place, [])
        votes.append(event)
        value = self.study.raters.decide([vote.value for vote in votes])
        if value is not None:
            # A method that learns whom to trust wants to know who answered, where one person did.
            rater = str(votes[0].rater) if self.study.raters.mode == "shared" and len(votes) == 1 else ""
            decision = Decision(place, value, np.array(asked[0]), np.array(asked[1]), best, event.id, rater)
            if is_choice(points):
                ranks, ranking = tuple(points["ranks"]), bool(points["ranking"])
                decision = replace(decision, points=np.array(asked), ranks=ranks, ranking=ranking)
            self.decisions.append(decision)
            self.digests.append(digest_after(self.digests[-1], decision))
            self._decided.add(place)

    def _undo(self, event: Event) -> None:
        same, lists = (event.rater, event.question), (self.repeats, self.attention, self.live)
        found = [(e, events) for events in lists for e in events if (e.rater, e.question) == same]
        if not found:
            return
        taken, kept = found[0]
        kept.remove(taken)
        self._undone[event.rater] = self._undone.get(event.rater, 0) + 1
        self.ended = False
        if kept is not self.live:
            return
        self._votes[place_of(taken.question)].remove(taken)
        if self.decisions and self.decisions[-1].event == taken.id:
            self._decided.remove(self.decisions.pop().place)
            self.digests.pop()
            if self.position is not None and self.position.decided > len(self.decisions):
                self.position = None
            self.certain_at = min(self.certain_at, len(self.decisions) - 1)

    # --- ids

    @property
    def _at_start(self) -> bool:
        space = self.study.space
        return space.values(self.best) == space.values(self.start)

    @property
    def _result(self) -> str:
        return checksum(self.best, self.start)

    def _asked(self, rater: int, place: RowPlace, a: Array, b: Array) -> Asked:
        batch, row, points = place
        return self._ask(f"{batch}-{row}-{self._undone.get(rater, 0)}-{points}", rater, row, a, b)

    def _choice(self, rater: int, place: RowPlace, position: Position) -> Asked:
        asked = self._asked(rater, place, position.a[0], position.a[1])
        order = np.random.default_rng([self.seed, rater, zlib.crc32(asked.id.encode())]).permutation(len(position.a))
        return replace(
            asked, points=position.a, order=tuple(map(int, order)), ranking=position.choice == "ranking", flipped=False
        )

    def _ask(self, id_: str, rater: int, row: int, a: Array, b: Array) -> Asked:
        # The side is a coin that falls the same way on every reload.
        coin = hashlib.sha256(f"{self.seed}/{rater}/{id_}".encode()).digest()[0] & 1
        return Asked(id_, row, a, b, bool(coin))
