"""Who may do what: every route asks here who a token belongs to, and gets the study's parts."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from steelyard.errors import BadValue
from steelyard.studies.control import Control
from steelyard.studies.decided import Asked
from steelyard.studies.events import Event, Rater, Role
from steelyard.studies.overview import Overview
from steelyard.studies.people import read_form
from steelyard.studies.rates import Rates
from steelyard.studies.results import rater_pairs, rater_row, run_result, study_result
from steelyard.studies.run_state import RunState
from steelyard.studies.runs import Refused, Runs
from steelyard.studies.store import DuplicateEvent, Store
from steelyard.studies.study import Study
from steelyard.studies.views import Renderer

MOST_RATERS = 10_000
DAY = 86400.0
READ_RECENTLY = 5.0
"""What the organiser has done is read when a link is checked; within this many seconds it is not read a second time."""
SEEN = 0.2
"""What the organiser does at another worker or server holds for raters here after this many seconds: so their answers
need not ask the database for it each time."""


class NotAllowed(Exception):
    """A request is refused; `status` says in HTTP's numbers why (401 unknown, 403 not for this, 429 too often).

    `reason` names the message for raters, if there is one.
    """

    def __init__(self, status: int, detail: str, reason: str = "") -> None:
        super().__init__(detail)
        self.status, self.detail, self.reason = status, detail, reason


@dataclass
class OpenStudy:
    """One open study: its log, its live runs, its renderer, where it was opened, and how often it may be asked."""

    study: Study
    store: Store
    renderer: Renderer
    runs: Runs
    control: Control
    overview: Overview
    data: str = ""
    per_token: Rates = field(default_factory=lambda: Rates(rate=40.0, burst=200.0))
    per_stranger: Rates = field(default_factory=lambda: Rates(rate=1.0, burst=60.0))

    @classmethod
    def open(cls, study: Study, store: Store, *, ahead: bool = True, thinkers: int = 1) -> OpenStudy:
        store.bind(study.identity)
        control = Control(store)
        renderer = Renderer(study, store.secret(), report=control.report)
        runs = Runs(study, store, renderer, ahead=ahead, thinkers=thinkers)
        return cls(study, store, renderer, runs, control, Overview(study, store, control))

    def close(self) -> None:
        self.renderer.close()  # first: what hangs in it would keep the others waiting
        self.runs.close()
        self.store.close()

    # --- who

    def role(self, token: str, client: str, *allowed: Role) -> Rater | None:
        """The rater whose token it is, None for an organiser; refuses all other tokens, and too many requests."""
        known = self.store.token(token) if 0 < len(token) <= 200 else None
        if known is None or not self._works(*known):
            if not self.per_stranger.allow(client):
                raise NotAllowed(429, "too many requests with unknown links: wait a minute")
            raise NotAllowed(401, "this link is not known")
        if not self.per_token.allow(token):
            raise NotAllowed(429, "too many requests: wait a moment")
        if known[0] not in allowed:
            raise NotAllowed(403, "this link is for something else")
        return None if known[1] is None else self.store.rater(known[1])

    def _works(self, role: Role, rater: int | None, created: float) -> bool:
        days = self.study.limits.link_days
        if days and role != "organiser" and time.time() > created + days * DAY:
            return False
        return self.control.refresh(SEEN if role == "rater" else 0.0).works(role, rater, created)

    def rater(self, token: str, client: str) -> Rater:
        rater = self.role(token, client, "rater")
        if rater is None:
            raise NotAllowed(403, "this link is for something else")
        return rater

    def add_rater(self, name: str) -> tuple[Rater, str]:
        """A new rater and their token, which is not stored as it is and so cannot be shown again."""
        known = self.store.rater_count()
        if known >= (self.study.limits.people or MOST_RATERS):
            raise NotAllowed(403, "this study has all the people it needs", "full")
        name = " ".join(name.split())[:60] or f"rater {known + 1}"
        rater = self.store.add_rater(name, self.study.seed, self.study.raters.mode == "shared")
        return rater, self.store.add_token("rater", rater.id)

    def join(self, name: str, participant: str = "") -> str:
        """The token of somebody who joins; a participant who comes again goes on where they were."""
        self.refuse_unless_open()
        known = self.control.participants.get(participant) if participant else None
        if known is not None:
            return self.store.add_token("rater", known)
        rater, token = self.add_rater(name or participant)
        if participant:
            self.control.act("participant", rater.id, participant)
        return token

    # --- what a rater does

    def refuse_unless_open(self) -> None:
        """Nothing can be answered while the study is paused or after it has ended."""
        status = self.control.refresh(READ_RECENTLY).status
        if status != "open":
            raise NotAllowed(403, f"this study is {status}" if status == "paused" else "this study has ended", status)

    def answer(self, rater: Rater, question: str, choice: str) -> bool:
        """Commit an answer, unless the study is closed, the rater has given all that are taken from one person, or a
        side could not be shown: then it can only be skipped."""
        self.refuse_unless_open()

        def allow(state: RunState, asked: Asked) -> None:
            most = self.study.limits.answers
            if most and sum(event.rater == rater.id for event in state.live) >= most:
                raise NotAllowed(403, "you have given all the answers that this study takes from one person", "enough")
            self._refuse_unseen(asked, choice)

        return self.runs.answer(rater, question, choice, allow)

    def check(self, rater: Rater, question: str, choice: str) -> bool:
        """Commit an answer of the closing comparison."""
        self.refuse_unless_open()
        return self.runs.check(rater, question, choice, lambda _, asked: self._refuse_unseen(asked, choice))

    def _refuse_unseen(self, asked: Asked, choice: str) -> None:
        if choice != "skip" and any(self.renderer.failed(self.runs.values(point)) for point in asked.shown):
            raise Refused("a candidate could not be shown: skip this pair or try again")

    def told(self, rater: Rater) -> dict[str, Any]:
        """What a rater has agreed to and filled in, by event: consent, before, after."""
        events = [e for e in self.store.events(rater.run) if e.rater == rater.id and e.kind in ("consent", "form")]
        return {event.question: json.loads(event.points) for event in events}

    def tell(self, rater: Rater, what: Literal["consent", "before", "after"], form: Mapping[str, str]) -> None:
        """Keep a consent or a questionnaire; what is kept already stays. A `ValueError` names what is not allowed."""
        if what == "consent":
            if form.get("agree") != "yes" or self.study.consent is None:
                raise BadValue("consent must be given by ticking the box")
            said: dict[str, Any] = {"text": self.study.consent.text}
        else:
            said = read_form(self.study.before if what == "before" else self.study.after, form)
        event = Event(rater.run, rater.id, "consent" if what == "consent" else "form", what, points=json.dumps(said))
        with suppress(DuplicateEvent):
            self.store.append(event)

    # --- what

    def run_state(self, rater: Rater) -> RunState:
        return self.runs.live(rater.run).state

    def state(self, rater: Rater, fresh: bool = True) -> dict[str, Any]:
        """Where a rater is, as plain data: the open question with what to show on either side, and the progress.

        Without `fresh` the log is not read again: for a caller that has just written to it.
        """
        asked = self.runs.question(rater, fresh)
        live = self.runs.seen(rater.run)
        with live.lock:
            state = live.state
            undoable = state.undoable(rater.id)
            sure = self.runs.settled(rater)
            return {
                "status": "asking" if asked else "finished" if state.finished else "waiting",
                "question": self.asked(asked) if asked else None,
                "undo": undoable.question if undoable else None,
                "progress": {
                    "answers": len(state.live),
                    "decided": len(state.decisions),
                    "budget": state.budget,
                    "given": state.given(rater.id),
                    "expected": state.expected,
                    "remaining": 0 if state.finished else state.budget - len(state.decisions),
                    "settled": round(sure, 3),
                },
            }

    def check_state(self, rater: Rater) -> dict[str, Any]:
        """Where a rater is in the blind comparison of the result with the start."""
        live = self.runs.live(rater.run)
        with live.lock:
            asked = live.state.check_questions(rater.id)
            closing = (*live.state.checks, *live.state.contrasts)
            done = sum(event.rater == rater.id for event in closing)
        return {
            "status": "asking" if asked else "finished" if live.state.finished else "waiting",
            "question": self.asked(asked[0]) if asked else None,
            "answers": done,
            "budget": max(2 * self.study.checks, done + bool(asked)),
        }

    def asked(self, asked: Asked) -> dict[str, Any]:
        """A question as plain data: two sides, or several candidates to choose among."""
        shown = []
        for point in asked.shown:
            values = self.runs.values(point)
            shown.append({"values": values, "view": f"/view/{self.renderer.prepare(values)}"})
        if asked.points is not None:
            return {"id": asked.id, "text": self.study.question, "candidates": shown, "ranking": asked.ranking}
        return {"id": asked.id, "text": self.study.question, "left": shown[0], "right": shown[1]}

    def result(self, rater: Rater) -> dict[str, Any]:
        live = self.runs.live(rater.run)
        with live.lock:
            self.runs.positions.certainty(live)
            return run_result(live.state, self._names(), rater.id)

    def results(self, details: bool = False) -> dict[str, Any]:
        """All raters' results, the organiser's; with `details` also every run in full, which takes longer."""
        rows, pairs = [], []
        raters = [rater for rater in self.store.raters() if rater.id not in self.control.refresh().excluded]
        for rater in raters:
            live = self.runs.live(rater.run)
            with live.lock:
                pairs.append(rater_pairs(live.state, rater.id))
                rows.append(rater_row(rater, live.state, pairs[-1]))
        result = study_result(self.study, rows, pairs)
        if details:
            one_a_run = {rater.run: rater for rater in raters}
            result["runs"] = [self.result(rater) for rater in one_a_run.values()]
        return result

    def _names(self) -> dict[int, str]:
        return {rater.id: rater.name for rater in self.store.raters()} | self.control.names
