"""Live runs: what people can do in them, and what is prepared while they look.

An answer is committed to the log first and only then told to the method, so whatever was acknowledged is on disk.
While a person looks at a pair, the next question after either answer is worked out and rendered.
"""

import json
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Literal

from steelyard.certainty import Certainty
from steelyard.dialogue import Resumable
from steelyard.space import Value
from steelyard.studies.choosing import WrongChoice, read_choice
from steelyard.studies.decided import Asked
from steelyard.studies.events import Event, Kind, Lease, Rater
from steelyard.studies.position import place_of
from steelyard.studies.positions import Live, Positions
from steelyard.studies.rendering_ahead import RenderingAhead
from steelyard.studies.replaying import Replay
from steelyard.studies.results import how_settled
from steelyard.studies.run_state import RunState
from steelyard.studies.store import Behind, DuplicateEvent, Store
from steelyard.studies.study import Study
from steelyard.studies.thinking import Inline, Thinker, ThinkingPool
from steelyard.studies.views import Renderer
from steelyard.typing import Array

Choice = Literal["left", "right", "tie", "skip"]
CHOICES: tuple[Choice, ...] = ("left", "right", "tie", "skip")
"""How a pair is answered; for a choice among several see `steelyard.studies.choosing`."""

MOST_LIVE = 4096
LEASE = 90.0
"""Seconds for which a question of a shared run is not given to more people than are needed."""
SHORT_LEASE = 8.0
"""The same, where the method has only one question at a time: then others would wait, so after this time they are given
the same one. The answer that comes first counts."""
MOST_AT_ONCE = 8
"""How many new questions are thought of at once for people who wait in a shared run."""

Allow = Callable[[RunState, Asked], None]


class Refused(ValueError):
    """What a rater wants cannot be done now; nothing was changed."""


class StaleQuestion(Refused):
    """The answer is to a question that is no longer asked."""


class Runs:
    """All runs of a study, rebuilt from the log when needed and kept while in use.

    With `ahead`, what may be wanted next is prepared while people look, and a method that takes thought has processes
    for it, `thinkers` of them; without, everything is done when it is asked for.
    """

    def __init__(
        self, study: Study, store: Store, renderer: Renderer, *, ahead: bool = True, thinkers: int = 1
    ) -> None:
        self.study, self.store, self.renderer = study, store, renderer
        self.ahead = ahead
        self._live: OrderedDict[int, Live] = OrderedDict()
        self._lock = threading.Lock()
        self._rendering: RenderingAhead | None = None
        resumes = isinstance(study.algorithm, Resumable)
        # A template is filled, or a file read, in less time than it takes to ask for it.
        if ahead and not (study.view.template or study.view.files):
            self._rendering = RenderingAhead(study, renderer, replayed=not resumes)
        thinker = ThinkingPool(study, thinkers) if ahead and resumes else Inline(study)
        self.positions = Positions(study, store, thinker, self._rendering.prepare if self._rendering else None)

    def __len__(self) -> int:
        """How many runs are in memory."""
        return len(self._live)

    @property
    def thinker(self) -> Thinker:
        return self.positions.thinker

    def close(self) -> None:
        if self._rendering is not None:
            self._rendering.close()
        self.thinker.close()

    # --- reading

    def live(self, run: int) -> Live:
        """The run, up to date with the log, and knowing where its method stands."""
        live = self._find(run)
        with live.lock:
            self._catch_up(live)
        return live

    def _catch_up(self, live: Live, fresh: bool = True) -> None:
        """Go on to where the log and the method are; without `fresh` the log is not read again."""
        for event in self.store.events(live.run, live.state.last) if fresh else ():
            live.state.apply(event)
        self.positions.ensure(live)

    def _find(self, run: int) -> Live:
        with self._lock:
            known = self._live.get(run)
            if known is not None:
                self._live.move_to_end(run)
                return known
        seed = self.store.seed_of(run)  # without the lock: nobody else has to wait for the database
        with self._lock:
            live = self._live.setdefault(run, Live(run, RunState(self.study, seed), Replay(self.study, seed)))
            while len(self._live) > MOST_LIVE:
                self._live.popitem(last=False)
        return live

    def question(self, rater: Rater, fresh: bool = True) -> Asked | None:
        """What to ask this rater now; None if the run is finished, or others have to answer first.

        Without `fresh` the log is not read again: for a caller that has just written to it.
        """
        live = self._find(rater.run)
        with self._lock:
            live.asking += 1
        try:
            with live.lock:
                self._catch_up(live, fresh)
                if self.study.raters.mode == "shared":
                    chosen = self._hand_out(live, rater)
                else:
                    chosen = next(iter(live.state.open_questions(rater.id)), None)
                if chosen is not None and self.ahead:
                    self._look_ahead(live)
                return chosen
        finally:
            with self._lock:
                live.asking -= 1

    def seen(self, run: int) -> Live:
        """The run as it was when somebody last caught up with its log, be it a moment ago."""
        live = self._find(run)
        return live if live.state.position is not None else self.live(run)

    def settled(self, rater: Rater) -> float:
        """How settled the run is, from 0 to 1; of late, if thinking about it takes time and happens in between."""
        live = self.seen(rater.run)
        with live.lock:
            state = live.state
            if not state.keeps_model:
                return how_settled(state)
            certainty = state.certainty if self.ahead else self.positions.certainty(live)
            return how_settled(state, certainty) if certainty is not None else 0.0

    def certainty(self, rater: Rater) -> Certainty | None:
        """How certain the method is now, worked out if need be; None if it keeps no model of the answers."""
        live = self.live(rater.run)
        with live.lock:
            return self.positions.certainty(live)

    def values(self, point: Array) -> dict[str, Value]:
        return self.study.space.values(point)

    # --- what a rater can do; each returns whether it was new

    def answer(self, rater: Rater, question: str, choice: str, allow: Allow | None = None) -> bool:
        """Commit an answer, then tell the method. A question answered already is left as it is.

        `allow` is asked first about the question as it is answered, and may refuse it by raising.
        """
        kinds: dict[str, Kind] = {"repeat": "repeat", "attention": "attention"}
        kind = kinds.get(question.partition("-")[0], "answer")
        return self._take(rater, kind, question, choice, allow)

    def check(self, rater: Rater, question: str, choice: str, allow: Allow | None = None) -> bool:
        """Commit an answer of the blind comparison with the start."""
        return self._take(rater, "check", question, choice, allow)

    def undo(self, rater: Rater, question: str) -> bool:
        """Take back the answer to `question`, which must be the rater's last one."""

        def decide(state: RunState) -> Event | None:
            if state.knows(rater.id, "undo", question):
                return None
            last = state.undoable(rater.id)
            if last is None or last.question != question:
                raise StaleQuestion("this answer cannot be taken back: it is not the last, or others answered since")
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
        """Go on with a finished run for a number of answers."""

        def decide(state: RunState) -> Event | None:
            if not state.finished or state.stopped:
                return None
            self._refuse_if_shared("extend")
            return Event(rater.run, rater.id, "more", f"more-{state.last}", answers)

        return self._commit(rater, decide)

    def retry(self, rater: Rater) -> None:
        """Render the candidates of the open question anew if they failed."""
        asked = self.question(rater)
        for point in asked.shown if asked else ():
            self.renderer.forget(self.values(point))

    # --- inside

    def _take(self, rater: Rater, kind: Kind, question: str, choice: str, allow: Allow | None) -> bool:
        def decide(state: RunState) -> Event | None:
            if state.knows(rater.id, kind, question):
                return None
            open_now = (state.check_questions if kind == "check" else state.open_questions)(rater.id)
            asked = next((asked for asked in open_now if asked.id == question), None)
            if asked is None:
                raise StaleQuestion("this question is no longer asked")
            if allow is not None:
                allow(state, asked)
            return _answer_event(rater, kind, asked, choice, state.best)

        try:
            return self._commit(rater, decide, hopeful=True)
        except StaleQuestion:
            live = self.live(rater.run)
            with live.lock:
                refreshed = self.study.raters.mode == "shared" and self.positions.refresh(live)
            if not refreshed:
                raise
            return self._commit(rater, decide)  # another process had thought of it

    def _refuse_if_shared(self, what: str) -> None:
        if self.study.raters.mode == "shared":
            raise Refused(f"only the organiser can {what} a shared run: change the budget of the study")

    def _commit(self, rater: Rater, decide: Callable[[RunState], Event | None], hopeful: bool = False) -> bool:
        """Commit what `decide` makes of the run as it is, and go on by it; False if it makes nothing.

        The log may have gone on in another process meanwhile: then this one catches up, and decides anew. Who is
        `hopeful` decides at first by what this process knows, since most people are served by one process for long.
        """
        live = self._find(rater.run)
        with live.lock:
            hopeful = hopeful and live.state.position is not None
            while True:
                self._catch_up(live, fresh=not hopeful)
                try:
                    event = decide(live.state)
                    if event is None:
                        return False
                    stored = self.store.append(event, after=live.state.last)
                except (Behind, DuplicateEvent, StaleQuestion) as error:  # another process was faster
                    if isinstance(error, StaleQuestion) and not hopeful:
                        raise
                    hopeful = False
                else:
                    live.state.apply(stored)
                    return True

    # --- shared runs

    def _hand_out(self, live: Live, rater: Rater) -> Asked | None:
        """A question that fewer people look at than are wanted; a new one, if there is none and the method can."""
        seconds = LEASE if self.positions.resumes else SHORT_LEASE
        while True:
            asked = live.state.open_questions(rater.id)
            if asked and asked[0].row < 0:  # asked for this rater's sake
                return asked[0]
            free = {_key(one): one for one in asked}
            waiting: set[int] = set()

            def choose(leases: list[Lease], free: dict[str, Asked] = free, waiting: set[int] = waiting) -> str | None:
                waiting.update(lease.rater for lease in leases if not lease.question)
                live.present = len({rater.id, *(lease.rater for lease in leases)})
                return self._least_loaded(live.state, free, leases, rater.id)

            chosen = self.store.hand_out(rater.run, rater.id, seconds, choose)
            if chosen is not None:
                return free[chosen]
            wanted = max(len(waiting | {rater.id}), live.asking)
            if not self.positions.extend(live, min(wanted, MOST_AT_ONCE)):
                return None

    def _least_loaded(self, state: RunState, free: dict[str, Asked], leases: list[Lease], rater: int) -> str | None:
        wanted = self.study.raters.votes
        ranked: list[tuple[bool, int, str]] = []
        for key, asked in free.items():
            at_it = {lease.rater for lease in leases if lease.question == key}
            load = state.votes_on(asked.id) + len(at_it - {rater})
            if load < wanted:
                ranked.append((rater not in at_it, load, key))
        return min(ranked, key=lambda rank: rank[:2])[2] if ranked else None

    def _look_ahead(self, live: Live) -> None:
        new = live.looked_ahead != live.state.last
        self.positions.look_ahead(live)
        if new and self._rendering is not None:
            self._rendering.begin(live)


def _key(asked: Asked) -> str:
    """What a question is leased by: the same for all raters."""
    return "-".join(map(str, place_of(asked.id)))


def _answer_event(rater: Rater, kind: Kind, asked: Asked, choice: str, best: Array) -> Event:
    if asked.points is not None:
        shown_ranks = read_choice(choice, len(asked.order), asked.ranking)
        ranks = [shown_ranks[asked.order.index(i)] for i in range(len(asked.order))]
        kept = {"points": asked.points.tolist(), "order": asked.order, "ranks": ranks, "ranking": asked.ranking}
        value = ranks.index(0) + 1 if any(ranks) else 0
        points = json.dumps({**kept, "x": best.tolist()})
        return Event(rater.run, rater.id, kind, asked.id, value, False, choice == "skip", points)
    if choice not in CHOICES:
        raise WrongChoice(f"choice must be one of {', '.join(CHOICES)}, got {choice!r}")
    shown = {"left": 1, "right": -1, "tie": 0, "skip": 0}[choice]
    value = -shown if asked.flipped else shown
    points = json.dumps({"a": asked.a.tolist(), "b": asked.b.tolist(), "x": best.tolist()})
    return Event(rater.run, rater.id, kind, asked.id, value, asked.flipped, choice == "skip", points)
