"""The pages of a rater. Each finds out who asks, makes one call, and shows what comes back.

Forms work without scripts; `page.js` sends the same forms in the background and adds keys.
"""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from steelyard.studies.choosing import WrongChoice
from steelyard.studies.database import StoreUnavailable
from steelyard.studies.events import Rater
from steelyard.studies.open_study import NotAllowed, OpenStudy
from steelyard.studies.people import Item
from steelyard.studies.results import as_csv
from steelyard.studies.runs import Refused
from steelyard.studies.study import VIEW_TYPES
from steelyard.studies.wording import Messages
from steelyard.web.in_turn import in_turn
from steelyard.web.openapi import MOST_MORE, document
from steelyard.web.plot import path_plots
from steelyard.web.requests import Form, client_of, download, form_fields, ranged, some_choice
from steelyard.web.security import view_policy
from steelyard.web.settings_table import settings_table

TEMPLATES = Path(__file__).parent / "pages"
MORE = 10

NOTES = {"stale": "stale", "undo": "undone"}


@dataclass(frozen=True)
class Visit:
    """A rater at a page: who, under which link, and what to tell them first."""

    rater: Rater
    link: str
    note: str


class Pages:
    """The pages of one study."""

    def __init__(self, opened: OpenStudy, root: str = "") -> None:
        self.opened, self.root = opened, root
        self.say = Messages.of(opened.study)
        self._templates = Environment(
            loader=FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True
        )
        self._templates.globals.update(study=opened.study, say=self.say, root=root)
        for name in ("base.html", "_pair.html", "question.html"):  # compiled now: nobody should wait for it
            self._templates.get_template(name)
        self._actions: dict[str, Callable[[Rater, Form], str]] = {
            "answer": self._answer,
            "undo": self._undo,
            "finish": self._finish,
            "more": self._more,
            "retry": self._retry,
            "check": self._check,
            "check-retry": self._check_retry,
        }

    # --- pages of a rater

    def question(self, visit: Visit) -> Response:
        if (first := self._first(visit)) is not None:
            return first
        state = self.opened.state(visit.rater)
        if state["status"] == "finished":
            closing = self.opened.check_state(visit.rater)["status"] == "asking"
            return RedirectResponse(f"{visit.link}/{'check' if closing else 'result'}", 303)
        if state["status"] == "waiting":
            return self._page("waiting.html", visit=visit, state=state)
        return self._page("question.html", visit=visit, state=state, pair=self._pair(state["question"]))

    def best(self, visit: Visit) -> Response:
        run = self.opened.run_state(visit.rater)
        best = self.opened.runs.values(run.best)
        return self._page("best.html", visit=visit, run=run, shown=self._candidate(best), best=best)

    def _first(self, visit: Visit) -> Response | None:
        """What comes before the questions, if anything is missing of it."""
        study = self.opened.study
        if study.consent is None and not study.before:
            return None
        told = self.opened.told(visit.rater)
        step = "consent" if study.consent and "consent" not in told else "before"
        if step == "consent" or (study.before and "before" not in told):
            return self._page("before.html", visit=visit, step=step, given={}, wrong="")
        return None

    def result(self, visit: Visit) -> Response:
        study = self.opened.study
        run = self.opened.run_state(visit.rater)
        result = self.opened.result(visit.rater)
        closing = self.opened.check_state(visit.rater)["status"] == "asking"
        if run.finished and study.after and "after" not in self.opened.told(visit.rater):
            return self._page("before.html", visit=visit, step="after", given={}, wrong="")
        panel = study.panel
        back = panel.back(self.opened.control.refresh().participant_of(visit.rater.id)) if panel.url else ""
        return self._page(
            "result.html",
            visit=visit,
            result=result,
            table=settings_table(study.space, result),
            done=run.finished and not closing and bool(panel.code or panel.url or study.after),
            back=back,
            shown=self._candidate(self.opened.runs.values(run.best)),
            settled=self.opened.runs.settled(visit.rater),
            plots=[Markup(plot) for plot in path_plots(run)],
            state=self.opened.state(visit.rater),
            check=self.opened.check_state(visit.rater),
            more=MORE,
        )

    def check(self, visit: Visit) -> Response:
        state = self.opened.check_state(visit.rater)
        if state["status"] != "asking":
            return RedirectResponse(f"{visit.link}/result", 303)
        return self._page("check.html", visit=visit, state=state, pair=self._pair(state["question"]))

    def result_json(self, visit: Visit) -> Response:
        body = json.dumps(self.opened.result(visit.rater), indent=1)
        return Response(body, media_type="application/json", headers=download("result.json"))

    def result_csv(self, visit: Visit) -> Response:
        body = as_csv(self.opened.study.space, self.opened.result(visit.rater)["history"])
        return Response(body, media_type="text/csv", headers=download("answers.csv"))

    # --- what a rater does

    async def act(self, request: Request) -> Response:
        action, token = request.path_params["action"], request.path_params["token"]
        if action not in self._actions and action not in ("consent", "before", "after"):
            raise HTTPException(404, "there is no such page")
        form = await form_fields(request)

        def do() -> Response:
            rater = self.opened.rater(token, client_of(request))
            link = f"{self.root}/s/{token}"
            if action in ("consent", "before", "after"):
                return self._tell(Visit(rater, link, ""), action, form)
            try:
                where = self._actions[action](rater, form)
            except WrongChoice as error:
                raise HTTPException(422, str(error)) from error
            except Refused:
                where = "/check?note=stale" if action == "check" else "?note=stale"
            return RedirectResponse(f"{link}{where}", 303)

        return await in_turn(do)

    def _tell(self, visit: Visit, what: str, form: Form) -> Response:
        study = self.opened.study
        try:
            self.opened.tell(visit.rater, what, form)  # type: ignore[arg-type]  # one of the three
        except ValueError:
            items = study.before if what == "before" else study.after
            wrong = next((item.label for item in items if not _allowed(item, form)), "")
            said = self.say("not_allowed", label=wrong) if wrong else self.say("consent_needed")
            return self._page("before.html", 422, visit=visit, step=what, given=form, wrong=said)
        return RedirectResponse(f"{visit.link}{'/result' if what == 'after' else ''}", 303)

    def _answer(self, rater: Rater, form: Form) -> str:
        new = self.opened.answer(rater, form.get("question", ""), _choice(form))
        return "" if new else "?note=stale"

    def _undo(self, rater: Rater, form: Form) -> str:
        self.opened.runs.undo(rater, form.get("question", ""))
        return "?note=undo"

    def _finish(self, rater: Rater, form: Form) -> str:
        self.opened.runs.finish(rater)
        return ""

    def _more(self, rater: Rater, form: Form) -> str:
        self.opened.runs.more(rater, min(MORE, MOST_MORE))
        return ""

    def _retry(self, rater: Rater, form: Form) -> str:
        self.opened.runs.retry(rater)
        return ""

    def _check(self, rater: Rater, form: Form) -> str:
        self.opened.check(rater, form.get("question", ""), _choice(form))
        return "/check"

    def _check_retry(self, rater: Rater, form: Form) -> str:
        for asked in self.opened.run_state(rater).check_questions(rater.id):
            for point in asked.shown:
                self.opened.renderer.forget(self.opened.runs.values(point))
        return "/check"

    # --- everybody else

    async def front(self, request: Request) -> Response:
        return self._page("message.html", heading=self.opened.study.title, text=self.say("open_your_link"))

    async def view(self, request: Request) -> Response:
        """A rendered candidate, by a key that says nothing about it."""
        shown = await in_turn(self.opened.renderer.get, request.path_params["key"])
        if shown is None or shown.error:
            raise HTTPException(404, "this candidate is no longer available: reload the page")
        headers = {
            "content-security-policy": view_policy(self.opened.study.view.scripts),
            "x-frame-options": "SAMEORIGIN",
            "cache-control": "private, max-age=86400, immutable",
        }
        return ranged(request, shown.body, VIEW_TYPES[shown.type], headers)

    async def join(self, request: Request) -> Response:
        token = request.path_params["token"]
        form = await form_fields(request) if request.method == "POST" else None

        def do() -> Response:
            self.opened.role(token, client_of(request), "join")
            key = self.opened.study.panel.participant
            if form is None:
                participant = request.query_params.get(key, "")[:200] if key else ""
                return self._page("join.html", action=f"{self.root}/join/{token}", participant=participant)
            own = self.opened.join(form.get("name", ""), form.get("participant", "")[:200] if key else "")
            return RedirectResponse(f"{self.root}/s/{own}", 303)

        return await in_turn(do)

    async def api(self, request: Request) -> Response:
        return self._page("api.html", document=document())

    async def failed(self, request: Request, error: Exception) -> Response:
        status, detail, reason, headers = 500, "something went wrong here", "", dict[str, str]()
        if isinstance(error, NotAllowed):
            status, detail, reason = error.status, error.detail, error.reason
        elif isinstance(error, StoreUnavailable):
            status, detail = 503, "no answer can be kept at the moment: please wait a little and try again"
            if "disk is full" in str(error):
                reason, headers = "disk_full", {"x-trouble": "disk-full", "retry-after": "30"}
        elif isinstance(error, HTTPException):
            status, detail, headers = error.status_code, error.detail or detail, dict(error.headers or {})
        if request.scope["path"].startswith("/api/"):
            return JSONResponse({"error": detail}, status, headers)
        return self._page("message.html", status, headers, **self._words(status, detail, reason))

    def _words(self, status: int, detail: str, reason: str) -> dict[str, str]:
        """A heading and a sentence in the study's language."""
        if reason in ("paused", "ended"):
            return {"heading": self.say(reason), "text": self.say(f"{reason}_text")}
        if reason:
            return {"heading": self.say("did_not_work"), "text": self.say(reason)}
        headings = {401: "unknown_link", 404: "no_page", 429: "slow_down"}
        text = self.say("unknown_link_text") if status == 401 else detail[:1].upper() + detail[1:] + "."
        return {"heading": self.say(headings.get(status, "did_not_work")), "text": text}

    # --- inside

    def get(self, page: Callable[[Visit], Response]) -> Callable[[Request], Awaitable[Response]]:
        """A route for a page of a rater."""

        async def endpoint(request: Request) -> Response:
            token = request.path_params["token"]

            def do() -> Response:
                note = NOTES.get(request.query_params.get("note", ""), "")
                rater = self.opened.rater(token, client_of(request))
                self.opened.refuse_unless_open()
                return page(Visit(rater, f"{self.root}/s/{token}", self.say(note) if note else ""))

            return await in_turn(do)

        return endpoint

    def _pair(self, question: dict[str, Any]) -> dict[str, Any]:
        """A question as the page shows it: two sides, or several candidates to choose among."""
        reference = self.opened.study.view.reference
        shown = {"id": question["id"], "reference": None if reference is None else self._candidate(dict(reference))}
        if "candidates" in question:
            several = [self._candidate(one["values"]) for one in question["candidates"]]
            return {**shown, "ranking": question["ranking"], "candidates": several}
        return {**shown, **{side: self._candidate(question[side]["values"]) for side in ("left", "right")}}

    def _candidate(self, values: dict[str, Any]) -> dict[str, Any]:
        """What the page needs to show a candidate: where it is, of which kind, or what went wrong."""
        shown = self.opened.renderer.show(values)
        kind = VIEW_TYPES[shown.type].partition("/")[0]  # image, audio, video; or text
        text = shown.body.decode(errors="replace") if shown.type == "text" else ""
        src = f"{self.root}/view/{shown.key}"
        return {"src": src, "kind": "page" if kind == "text" and not text else kind, "text": text, "error": shown.error}

    def _page(
        self, template: str, status: int = 200, headers: dict[str, str] | None = None, **context: Any
    ) -> HTMLResponse:
        return HTMLResponse(self._templates.get_template(template).render(context), status, headers)

    render = _page


def _allowed(item: Item, form: Form) -> bool:
    try:
        item.read(form.get(f"q.{item.name}", ""))
    except ValueError:
        return False
    return True


def _choice(form: Form) -> str:
    """What was clicked; an order comes as a place for each of those shown."""
    if form.get("choice") == "order":
        places: dict[str, list[str]] = {}
        for name, place in form.items():
            if name.startswith("place.") and place:
                places.setdefault(place, []).append(name.removeprefix("place."))
        return some_choice(">".join("=".join(places[place]) for place in sorted(places)))
    return some_choice(form.get("choice"))
