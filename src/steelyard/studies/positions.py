"""Where each run stands: thought of once, kept in the store, and found there by every process that serves the study.

A thought has a name made from the decisions it follows from. The process that keeps a thought first decides: all others
go by it, so that a question shown by one server is the one expected by the next. A thought that was lost is thought
again, from the last one that is known or else from the answers alone.
"""

import json
import re
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from steelyard.certainty import Certainty
from steelyard.dialogue import Resumable
from steelyard.studies.decided import Decision, digest_after, past_of
from steelyard.studies.position import Position, checksum
from steelyard.studies.replaying import Replay
from steelyard.studies.run_state import RunState
from steelyard.studies.store import Store
from steelyard.studies.study import Study
from steelyard.studies.thinking import Found, Thinker, ThinkingResult, ThinkingTask
from steelyard.studies.turns import PatientLock, away
from steelyard.typing import Array

KEPT_THOUGHTS = 8
"""Thoughts after this many answers before the last are kept, for those who undo."""
SPARE = 4
"""In a shared run one more question for this many people is thought of ahead."""
SETTLED_BEHIND = 10
"""After this many answers it is worked out how settled a run is, even if nobody has time."""

_POSITION_NAME = re.compile(r"(\d+)-([0-9a-f]*)(?:\+\d+)?")


@dataclass
class Live:
    """A run in memory. Whoever reads or changes its state holds the lock."""

    run: int
    state: RunState
    replay: Replay
    lock: PatientLock = field(default_factory=PatientLock)
    ahead: dict[str, Position] = field(default_factory=dict)
    looked_ahead: int = -1  # the last event when this was done
    asking: int = 0  # how many people want a question at this moment
    present: int = 1  # how many people look at questions of this run, or wait for one


Notice = Callable[[Array], None]
"""Told of what may be shown soon."""


class Positions:
    """Finds out where runs stand, by asking the store, the thinker or, for a method that is replayed, itself."""

    def __init__(self, study: Study, store: Store, thinker: Thinker, notice: Notice | None = None) -> None:
        self.study, self.store, self.thinker = study, store, thinker
        self._notice = notice
        self.resumes = isinstance(study.algorithm, Resumable)

    def ensure(self, live: Live) -> None:
        """Let the run know where its method stands, thinking if need be."""
        state = live.state
        if not self.resumes:
            if state.wants_thought:
                state.stand(live.replay.position(state))
            return
        over = state.ended or len(state.decisions) >= state.budget
        behind = state.position is not None and state.position.decided < len(state.decisions)
        if state.wants_thought or (over and behind):
            state.stand(self._position(live))

    def extend(self, live: Live, questions: int) -> bool:
        """Think of more questions than those that are asked now; False if the method cannot."""
        state = live.state
        if not self.resumes or state.finished or state.position is None:
            return False
        if self.refresh(live):
            return True
        task, keep = self._extension(live, questions)
        return keep(self._think(task))

    def _extension(self, live: Live, questions: int) -> tuple[ThinkingTask, Callable[[ThinkingResult], bool]]:
        """The task of thinking of more questions, and what to do with the thought."""
        state, position, rows = live.state, live.state.position, live.state.undecided
        assert position is not None
        decided = len(state.decisions)
        # Each thought of more questions has a name of its own, or it would be taken for one that is kept already.
        name = f"{_name(state)}+{position.rows_at(decided)}"
        past = replace(
            state.told, memory=position.memory or None, pending_a=position.a[rows], pending_b=position.b[rows]
        )

        def keep(thought: ThinkingResult) -> bool:
            assert isinstance(thought, Found)
            if not len(thought.a):
                return False
            state.stand(self._keep(live, name, _extended(position, rows, thought, decided)))
            return True

        return ThinkingTask("questions", state.seed, past, questions), keep

    def refresh(self, live: Live) -> bool:
        """Go by what another process has thought since; was there anything?"""
        newest = self._newest(live)
        position = live.state.position
        if newest is None or (position is not None and _extent(newest) <= _extent(position)):
            return False
        live.state.stand(newest)
        return True

    def certainty(self, live: Live) -> Certainty | None:
        """How certain the method is now; None if it keeps no model."""
        state = live.state
        if not state.keeps_model or state.position is None:
            return None
        if state.certain_at != state.position.decided:
            name = f"c{_name(state, state.position.decided)}"
            packed = self.store.thought(live.run, name)
            if packed is None:
                thought = self._think(self._certainty_task(state, state.position))
                assert isinstance(thought, Certainty)
                packed = self._keep_certainty(live, state.position.decided, name, thought)
            state.certainty, state.certain_at = _unpack_certainty(packed), state.position.decided
        return state.certainty

    # --- ahead of time

    def look_ahead(self, live: Live) -> None:
        """Have somebody think of what comes after either answer to the open question, and how certain the method is."""
        state = live.state
        if live.looked_ahead == state.last or state.finished or state.position is None:
            return
        live.looked_ahead, live.ahead = state.last, {}
        if not self.resumes:
            return
        last = state.last
        rows = state.undecided

        def wanted() -> bool:
            return state.last == last

        if len(rows) == 1 and self.study.raters.mode == "own":
            for decision in _guesses(state.position, rows[0]):
                self._branch(live, decision, wanted)
        if self.study.raters.mode == "shared" and len(rows) <= live.present:
            self._stock_up(live)
        decided = state.position.decided
        if state.keeps_model and state.certain_at != decided:
            name = f"c{_name(state, decided)}"
            # Usually there is time for it; but it must not stay behind for ever.
            late = decided - state.certain_at >= SETTLED_BEHIND and self.thinker.waiting == 0
            task = self._certainty_task(state, state.position)
            self._later(task, None if late else wanted, lambda thought: self._certain(live, decided, name, thought))

    def _later(
        self, task: ThinkingTask, wanted: Callable[[], bool] | None, use: Callable[[ThinkingResult], object]
    ) -> None:
        """Have it thought of, and make use of it then. A guess that fails costs nothing: the answer itself will meet
        the error and show it."""

        def done(future: Future[ThinkingResult]) -> None:
            if not future.cancelled() and future.exception() is None:
                with suppress(Exception):
                    use(future.result())

        self.thinker.submit(task, wanted=wanted).add_done_callback(done)

    def _stock_up(self, live: Live) -> None:
        """Have more questions in a shared run than people, so that the first to answer finds one."""
        position = live.state.position
        task, keep = self._extension(live, max(1, live.present // SPARE))

        def wanted() -> bool:  # nobody has thought of others meanwhile
            return live.state.position is position

        def stand(thought: ThinkingResult) -> None:
            with live.lock:
                if wanted():
                    keep(thought)

        self._later(task, wanted, stand)

    def _branch(self, live: Live, decision: Decision, wanted: Callable[[], bool]) -> None:
        state, position = live.state, live.state.position
        assert position is not None
        decided = len(state.decisions) + 1
        name = f"{decided}-{digest_after(state.digests[-1], decision)}"
        told = past_of([*state.decisions, decision], len(self.study.space))
        past = replace(told, memory=position.memory or None)

        def keep(thought: ThinkingResult) -> None:
            assert isinstance(thought, Found)
            made = self._keep(live, name, _first(thought, decided))
            if wanted():
                live.ahead[name] = made
                if self._notice is not None and len(made.a):
                    self._notice(made.points(0))

        self._later(ThinkingTask("questions", state.seed, past), wanted, keep)

    def _certain(self, live: Live, decided: int, name: str, thought: ThinkingResult) -> None:
        assert isinstance(thought, Certainty)
        self._keep_certainty(live, decided, name, thought)
        if decided > live.state.certain_at:
            live.state.certainty, live.state.certain_at = thought, decided

    # --- inside

    def _position(self, live: Live) -> Position:
        state, name = live.state, _name(live.state)
        if name in live.ahead:
            return live.ahead[name]
        packed = self.store.thought(live.run, name)
        if packed is not None:
            return Position.unpack(packed)
        known = state.position if state.position is not None else self._newest(live)
        if state.position is None and known is not None:
            state.stand(known)
            if not state.wants_thought:
                return known
        past = replace(state.told, memory=(known.memory or None) if known is not None else None)
        thought = self._think(ThinkingTask("questions", state.seed, past))
        assert isinstance(thought, Found)
        return self._keep(live, name, _first(thought, len(state.decisions)))

    def _newest(self, live: Live) -> Position | None:
        """The last position in the store that belongs to what was decided."""
        for name in self.store.thoughts(live.run):
            found = _POSITION_NAME.fullmatch(name)
            if found and live.state.stands_at(int(found[1]), found[2]):
                packed = self.store.thought(live.run, name)
                if packed is not None:
                    return Position.unpack(packed)
        return None

    def _think(self, task: ThinkingTask) -> ThinkingResult:
        with away():
            return self.thinker.submit(task).result()

    def _keep(self, live: Live, name: str, position: Position) -> Position:
        packed = position.pack()
        kept = self.store.keep_thought(live.run, name, position.decided, packed, KEPT_THOUGHTS)
        return position if kept == packed else Position.unpack(kept)

    def _keep_certainty(self, live: Live, decided: int, name: str, certainty: Certainty) -> bytes:
        return self.store.keep_thought(live.run, name, decided, _pack_certainty(certainty), KEPT_THOUGHTS)

    def _certainty_task(self, state: RunState, position: Position) -> ThinkingTask:
        told = past_of(state.decisions[: position.decided], len(self.study.space))
        return ThinkingTask("certainty", state.seed, replace(told, memory=position.memory or None))


def _name(state: RunState, decided: int | None = None) -> str:
    decided = len(state.decisions) if decided is None else decided
    return f"{decided}-{state.digests[decided]}"


def _extent(position: Position) -> tuple[int, int]:
    """Of two positions of a run the larger one was thought of later."""
    return position.decided, position.rows_at(position.decided)


def _guesses(position: Position, row: int) -> list[Decision]:
    """How the open question may be decided; none if there are too many ways to think of each."""
    points = position.points(row)
    guess = Decision(position.places[row], 1, points[0], points[1], position.x, 0, "")
    if not position.choice:
        return [guess, replace(guess, value=-1)]
    if position.choice == "ranking":
        return []
    ranks = 1 - np.eye(len(position.a), dtype=int)
    return [replace(guess, points=position.a, ranks=tuple(best.tolist())) for best in ranks]


def _first(thought: Found, decided: int) -> Position:
    places = tuple((decided, row, checksum(thought.a[row], thought.b[row])) for row in range(len(thought.b)))
    if thought.choice:
        places = ((decided, 0, checksum(thought.a, thought.b)),)
    return Position(
        *(decided, thought.a, thought.b, places, thought.x),
        *(thought.reason, thought.models, thought.memory, thought.choice),
    )


def _extended(position: Position, rows: list[int], thought: Found, decided: int) -> Position:
    """The open rows of a position, and new ones."""
    row = position.rows_at(decided)
    new = _first(thought, decided)
    places = tuple((batch, row + number, points) for batch, number, points in new.places)
    return replace(
        new,
        a=np.concatenate([position.a[rows], new.a]),
        b=np.concatenate([position.b[rows], new.b]),
        places=(*(position.places[row] for row in rows), *places),
    )


def _pack_certainty(certainty: Certainty) -> bytes:
    plain = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in asdict(certainty).items()}
    return json.dumps(plain).encode()


def _unpack_certainty(packed: bytes) -> Certainty:
    plain = json.loads(packed)
    arrays: dict[str, Any] = {k: np.array(v) if isinstance(v, list) else v for k, v in plain.items()}
    return Certainty(**arrays)
