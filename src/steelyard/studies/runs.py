"""Live runs: answering them, and thinking ahead while people look.

An answer is committed to the log first and only then told to the method, so whatever was acknowledged is on disk.
While a person looks at a pair, the next question after either answer is worked out and rendered.
"""

from __future__ import annotations

import json
import queue
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

from steelyard.dialogue import Compare
from steelyard.space import Value
from steelyard.studies.results import settled
from steelyard.studies.run_state import Asked, Decision, RunState
from steelyard.studies.store import Behind, DuplicateEvent, Event, Kind, Rater, Store
from steelyard.studies.study import Study
from steelyard.studies.views import Renderer
from steelyard.typing import Array

Choice = Literal["left", "right", "tie", "skip"]
CHOICES: tuple[Choice, ...] = ("left", "right", "tie", "skip")

MOST_LIVE = 256
LEASE = 90.0
"""For so many seconds a question of a shared run is not given to more people than are needed."""

AHEAD_SECONDS = 2.0
"""Thinking ahead costs two replays for each question shown; when those of all people at work now would take longer than
this in sum, questions are thought about as they come."""
SETTLED_BEHIND = 4
"""Even then, how settled a run is is worked out anew after so many answers."""
AT_WORK = 30.0
"""A run that was asked for within so many seconds has somebody at work."""


class Refused(ValueError):
    """What a rater wants cannot be done now; nothing was changed."""


class StaleQuestion(Refused):
    """The answer is to a question that is no longer asked."""


@dataclass
class Live:
    """A run in memory. Whoever reads or changes its state holds the lock."""

    study: Study
    seed: int
    lock: threading.RLock = field(default_factory=threading.RLock)
    leases: dict[int, dict[int, float]] = field(default_factory=dict)
    replay_seconds: float = 0.0
    thought_about: bool = False
    asked_at: float = 0.0
    _progress: RunState | None = None

    @property
    def state(self) -> RunState:
        """Made when first asked for: a first question may take thought, for which no other run should wait."""
        if self._progress is None:
            self._progress = RunState(self.study, self.seed)
        return self._progress


class Runs:
    """All runs of a study, rebuilt from the log when needed and kept while in use."""

    def __init__(self, study: Study, store: Store, renderer: Renderer, *, ahead: bool = True) -> None:
        self.study, self.store, self.renderer = study, store, renderer
        self._live: OrderedDict[int, Live] = OrderedDict()
        self._lock = threading.Lock()
        # Only what somebody looks at now is worth thinking about: a full queue forgets.
        self._wanted: queue.Queue[Live | None] = queue.Queue(maxsize=32)
        self._thinker = threading.Thread(target=self._think, name="ahead", daemon=True) if ahead else None
        if self._thinker is not None:
            self._thinker.start()

    def close(self) -> None:
        if self._thinker is not None:
            self._wanted.put(None)
            self._thinker.join()

    # --- reading

    def live(self, run: int) -> Live:
        """The run, up to date with the log."""
        with self._lock:
            live = self._live.get(run)
            if live is None:
                live = self._live[run] = Live(self.study, self.store.seed_of(run))
                while len(self._live) > MOST_LIVE:
                    self._live.popitem(last=False)
            self._live.move_to_end(run)
        with live.lock:
            self._catch_up(live, run)
        return live

    def _catch_up(self, live: Live, run: int) -> None:
        for event in self.store.events(run, live.state.last):
            live.state.apply(event)

    def question(self, rater: Rater) -> Asked | None:
        """What to ask this rater now; None if the run is finished, or others have to answer first."""
        live = self.live(rater.run)
        with live.lock:
            return self._choose(live, rater)

    def settled(self, rater: Rater) -> float:
        """How settled the run is, from 0 to 1; of late, if thinking about it takes time and happens in between."""
        live = self.live(rater.run)
        with live.lock:
            if self._thinker is None or not live.state.session.keeps_model:
                live.state.settled = settled(live.state, live.state.session.certainty)
            return live.state.settled

    def values(self, point: Array) -> dict[str, Value]:
        return self.study.space.values(point)

    # --- what a rater can do; each returns whether it was new

    def answer(self, rater: Rater, question: str, choice: Choice) -> bool:
        """Commit an answer, then tell the method. A question answered already is left as it is."""
        kinds: dict[str, Kind] = {"repeat": "repeat", "attention": "attention"}
        kind = kinds.get(question.partition("-")[0], "answer")
        return self._take(rater, kind, question, choice, lambda state: state.open_questions(rater.id))

    def check(self, rater: Rater, question: str, choice: Choice) -> bool:
        """Commit an answer of the blind comparison with the start."""
        return self._take(rater, "check", question, choice, lambda state: state.check_questions(rater.id))

    def undo(self, rater: Rater, question: str) -> bool:
        """Take back the answer to `question`, which must be the rater's last one."""

        def decide(state: RunState) -> Event | None:
            if state.knows(rater.id, "undo", question):
                return None
            last = state.undoable(rater.id)
            if last is None or last.question != question:
                raise StaleQuestion("this answer cannot be taken back: it is not the last one, or others have gone on")
            return Event(rater.run, rater.id, "undo", question)

        return self._commit(rater, decide)

    def finish(self, rater: Rater) -> bool:
        """End the run now. Not in a shared run, which is not one rater's to end."""

        def decide(state: RunState) -> Event | None:
            if state.finished:
                return None
            self._refuse_if_shared("finish")
            return Event(rater.run, rater.id, "finish", f"finish-{state.last}")

        return self._commit(rater, decide)

    def more(self, rater: Rater, answers: int) -> bool:
        """Go on with a finished run for so many answers."""

        def decide(state: RunState) -> Event | None:
            if not state.finished or state.session.question is None:
                return None
            self._refuse_if_shared("extend")
            return Event(rater.run, rater.id, "more", f"more-{state.last}", answers)

        return self._commit(rater, decide)

    def retry(self, rater: Rater) -> None:
        """Render the candidates of the open question anew if they failed."""
        asked = self.question(rater)
        for point in (asked.a, asked.b) if asked else ():
            self.renderer.forget(self.values(point))

    # --- inside

    def _take(
        self, rater: Rater, kind: Kind, question: str, choice: Choice, open_now: Callable[[RunState], list[Asked]]
    ) -> bool:
        def decide(state: RunState) -> Event | None:
            if state.knows(rater.id, kind, question):
                return None
            asked = next((asked for asked in open_now(state) if asked.id == question), None)
            if asked is None:
                raise StaleQuestion("this question is no longer asked")
            return _answer_event(rater, kind, asked, choice)

        return self._commit(rater, decide)

    def _refuse_if_shared(self, what: str) -> None:
        if self.study.raters.mode == "shared":
            raise Refused(f"a shared run is the organiser's to {what}: change the budget of the study")

    def _commit(self, rater: Rater, decide: Callable[[RunState], Event | None]) -> bool:
        """Commit what `decide` makes of the run as it is, and go on by it; False if it makes nothing.

        The log may have gone on in another process meanwhile: then this one catches up, and decides anew.
        """
        while True:
            live = self.live(rater.run)
            with live.lock:
                event = decide(live.state)
                if event is None:
                    return False
                try:
                    stored = self.store.append(event, after=live.state.last)
                except (Behind, DuplicateEvent):  # another process was faster
                    continue
                live.state.apply(stored)
                live.leases = {}
                return True

    def _choose(self, live: Live, rater: Rater) -> Asked | None:
        state = live.state
        now = time.monotonic()
        wanted = self.study.raters.votes
        best: tuple[int, int] | None = None
        chosen: Asked | None = None
        for asked in state.open_questions(rater.id):
            lease = live.leases.setdefault(asked.row, {})
            others = sum(until > now for who, until in lease.items() if who != rater.id)
            load = state.votes_on(asked.row) + others
            if self.study.raters.mode == "shared" and load >= wanted:
                continue  # enough people are at it
            rank = (0 if lease.get(rater.id, 0.0) > now else 1, load)
            if best is None or rank < best:
                best, chosen = rank, asked
        if chosen is not None:
            live.leases[chosen.row][rater.id] = now + LEASE
            self._look_ahead(live)
        return chosen

    def _look_ahead(self, live: Live) -> None:
        """Have somebody think about this run, unless it is being thought about or there is too much to think about."""
        live.asked_at = time.monotonic()
        behind = len(live.state.decisions) - live.state.settled_at
        if self._thinker is None or live.thought_about or live.state.ahead:
            return
        if self._time_to_branch() or behind >= SETTLED_BEHIND:
            with suppress(queue.Full):
                self._wanted.put_nowait(live)
                live.thought_about = True

    def _time_to_branch(self) -> bool:
        now = time.monotonic()
        with self._lock:
            seconds = sum(live.replay_seconds for live in self._live.values() if now - live.asked_at < AT_WORK)
        return 2.0 * seconds <= AHEAD_SECONDS

    def _think(self) -> None:
        while (live := self._wanted.get()) is not None:
            with suppress(
                Exception
            ):  # a guess that fails costs nothing: the answer itself will meet the error and show it
                self._think_about(live)
            live.thought_about = False

    def _think_about(self, live: Live) -> None:
        """Render the other rows of the batch; or work out and render the next question after either answer."""
        with live.lock:
            state, last = live.state, live.state.last
            decisions, session = tuple(state.decisions), state.session
            rows, question = session.unanswered, session.question
            if state.ahead or state.finished or not isinstance(question, Compare):
                return
        self._prepare(question, rows)
        if len(rows) == 1 and self.study.raters.mode == "own" and self._time_to_branch():
            self._branch(live, last, decisions, rows[0])
        if session.keeps_model:
            state.settled, state.settled_at = settled(state, session.certainty), len(decisions)

    def _branch(self, live: Live, last: int, decisions: tuple[Decision, ...], row: int) -> None:
        """The sessions after either answer to the open question, for the run to step into."""
        state = live.state
        begin = time.perf_counter()
        for value in (1, -1):
            session = state.replayed(decisions)
            session.answer(row, value)
            if isinstance(session.question, Compare):
                self._prepare(session.question, session.unanswered[:1])
            with live.lock:
                if state.last != last:
                    return  # answered in the meantime
                state.ahead[row, value] = session
        live.replay_seconds = (time.perf_counter() - begin) / 2

    def _prepare(self, question: Compare, rows: list[int]) -> None:
        for row in rows:
            for point in (question.a[row], question.b[row]):
                self.renderer.prepare(self.values(point))


def _answer_event(rater: Rater, kind: Kind, asked: Asked, choice: Choice) -> Event:
    shown = {"left": 1, "right": -1, "tie": 0, "skip": 0}[choice]
    value = -shown if asked.flipped else shown
    points = json.dumps({"a": asked.a.tolist(), "b": asked.b.tolist()})
    return Event(rater.run, rater.id, kind, asked.id, value, asked.flipped, choice == "skip", points)
