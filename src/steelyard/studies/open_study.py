"""Who may do what: every route asks here who a token belongs to, and gets the study's parts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from steelyard.studies.rates import Rates
from steelyard.studies.results import rater_pairs, rater_row, run_result, study_result
from steelyard.studies.run_state import Asked, RunState
from steelyard.studies.runs import Runs
from steelyard.studies.store import Rater, Role, Store
from steelyard.studies.study import Study
from steelyard.studies.views import Renderer

MOST_RATERS = 10_000


class NotAllowed(Exception):
    """A request is refused; `status` says in HTTP's numbers why (401 unknown, 403 not for this, 429 too often)."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail


@dataclass
class OpenStudy:
    """One open study: its log, its live runs, its renderer, where it was opened, and how often it may be asked."""

    study: Study
    store: Store
    renderer: Renderer
    runs: Runs
    data: str = ""
    per_token: Rates = field(default_factory=lambda: Rates(rate=40.0, burst=200.0))
    per_stranger: Rates = field(default_factory=lambda: Rates(rate=1.0, burst=60.0))

    @classmethod
    def open(cls, study: Study, store: Store, *, ahead: bool = True, thinkers: int = 1) -> OpenStudy:
        store.bind(study.identity)
        renderer = Renderer(study, store.secret())
        return cls(study, store, renderer, Runs(study, store, renderer, ahead=ahead, thinkers=thinkers))

    def close(self) -> None:
        self.runs.close()
        self.renderer.close()
        self.store.close()

    # --- who

    def role(self, token: str, client: str, *allowed: Role) -> Rater | None:
        """The rater whose token it is, None for an organiser; refuses all other tokens, and too many requests."""
        known = self.store.token_role(token) if 0 < len(token) <= 200 else None
        if known is None:
            if not self.per_stranger.allow(client):
                raise NotAllowed(429, "too many requests with unknown links: wait a minute")
            raise NotAllowed(401, "this link is not known")
        if not self.per_token.allow(token):
            raise NotAllowed(429, "too many requests: wait a moment")
        if known[0] not in allowed:
            raise NotAllowed(403, "this link is for something else")
        return None if known[1] is None else self.store.rater(known[1])

    def rater(self, token: str, client: str) -> Rater:
        rater = self.role(token, client, "rater")
        if rater is None:
            raise NotAllowed(403, "this link is for something else")
        return rater

    def add_rater(self, name: str) -> tuple[Rater, str]:
        """A new rater and their token, which is not stored as it is and so cannot be shown again."""
        raters = self.store.raters()
        if len(raters) >= MOST_RATERS:
            raise NotAllowed(403, "this study has all the raters it can take")
        name = " ".join(name.split())[:60] or f"rater {len(raters) + 1}"
        rater = self.store.add_rater(name, self.study.seed, self.study.raters.mode == "shared")
        return rater, self.store.add_token("rater", rater.id)

    # --- what

    def run_state(self, rater: Rater) -> RunState:
        return self.runs.live(rater.run).state

    def state(self, rater: Rater) -> dict[str, Any]:
        """Where a rater is, as plain data: the open question with what to show on either side, and the progress."""
        asked = self.runs.question(rater)
        live = self.runs.seen(rater.run)
        with live.lock:
            state = live.state
            undoable = state.undoable(rater.id)
            sure = self.runs.settled(rater)
            return {
                "status": "asking" if asked else "finished" if state.finished else "waiting",
                "question": self.pair(asked) if asked else None,
                "undo": undoable.question if undoable else None,
                "progress": {
                    "answers": len(state.live),
                    "decided": len(state.decisions),
                    "budget": state.budget,
                    "remaining": 0 if state.finished else state.budget - len(state.decisions),
                    "settled": round(sure, 3),
                },
            }

    def check_state(self, rater: Rater) -> dict[str, Any]:
        """Where a rater is in the blind comparison of the result with the start."""
        live = self.runs.live(rater.run)
        with live.lock:
            asked = live.state.check_questions(rater.id)
            done = sum(event.rater == rater.id for event in live.state.checks)
        return {
            "status": "asking" if asked else "finished" if live.state.finished else "waiting",
            "question": self.pair(asked[0]) if asked else None,
            "answers": done,
            "budget": self.study.checks,
        }

    def pair(self, asked: Asked) -> dict[str, Any]:
        sides = {}
        for side, point in (("left", asked.left), ("right", asked.right)):
            values = self.runs.values(point)
            self.renderer.prepare(values)
            sides[side] = {"values": values, "view": f"/view/{self.renderer.key(values)}"}
        return {"id": asked.id, "text": self.study.question, **sides}

    def result(self, rater: Rater) -> dict[str, Any]:
        live = self.runs.live(rater.run)
        with live.lock:
            self.runs.positions.certainty(live)
            return run_result(live.state, self._names())

    def results(self, details: bool = False) -> dict[str, Any]:
        """All raters' results, the organiser's; with `details` also every run in full, which takes longer."""
        rows, pairs = [], []
        raters = self.store.raters()
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
        return {rater.id: rater.name for rater in self.store.raters()}
