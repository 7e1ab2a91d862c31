"""The pages. Each route finds out who asks, makes one call, and shows what comes back.

Forms work without scripts; `page.js` sends the same forms in the background and adds keys.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from steelyard.studies.database import StoreUnavailable
from steelyard.studies.open_study import NotAllowed, OpenStudy
from steelyard.studies.results import as_csv
from steelyard.studies.runs import CHOICES, Refused
from steelyard.studies.store import Rater
from steelyard.studies.views import MIME
from steelyard.web.api import MOST_MORE, api_routes
from steelyard.web.metrics import Measured, Metrics
from steelyard.web.openapi import document
from steelyard.web.plot import path_plots
from steelyard.web.security import LOOPBACK, App, Guard, view_policy
from steelyard.web.watching import watching_routes

HERE = Path(__file__).parent
STATIC = {"style.css": "text/css", "page.js": "text/javascript", "icon.svg": "image/svg+xml"}
MORE = 10

NOTES = {
    "stale": "That question had been answered or changed already, so nothing was counted twice. Here is where you are.",
    "undo": "Your last answer is taken back.",
}

Form = dict[str, str]


@dataclass(frozen=True)
class Visit:
    """A rater at a page: who, under which link, and what to tell them first."""

    rater: Rater
    link: str
    note: str


def make_app(opened: OpenStudy, hosts: tuple[str, ...] | None = LOOPBACK, metrics: Metrics | None = None) -> App:
    """The whole application for one study; `hosts` are the names under which it may be called, None for any."""
    metrics = metrics or Metrics()
    pages = Pages(opened)
    app = Starlette(
        routes=[
            Route("/", pages.front, methods=["GET"]),
            *watching_routes(opened, metrics),
            Route("/static/{name}", static, methods=["GET"]),
            Route("/view/{key}", pages.view, methods=["GET"]),
            Route("/s/{token}", pages.get(pages.question), methods=["GET"]),
            Route("/s/{token}/best", pages.get(pages.best), methods=["GET"]),
            Route("/s/{token}/result", pages.get(pages.result), methods=["GET"]),
            Route("/s/{token}/result.json", pages.get(pages.result_json), methods=["GET"]),
            Route("/s/{token}/result.csv", pages.get(pages.result_csv), methods=["GET"]),
            Route("/s/{token}/check", pages.get(pages.check), methods=["GET"]),
            Route("/s/{token}/{action}", pages.act, methods=["POST"]),
            Route("/join/{token}", pages.join, methods=["GET", "POST"]),
            Route("/o/{token}", pages.organiser, methods=["GET", "POST"]),
            Route("/o/{token}/results.json", pages.results_json, methods=["GET"]),
            Route("/api", pages.api, methods=["GET"]),
            *api_routes(opened),
        ],
        exception_handlers={
            HTTPException: pages.failed,
            NotAllowed: pages.failed,
            StoreUnavailable: pages.failed,
            404: pages.failed,
            405: pages.failed,
            500: pages.failed,
        },
    )
    return Measured(Guard(app, hosts), metrics)


async def static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:  # a list, not a folder: no path to climb out of
        raise HTTPException(404, "there is no such file")
    return Response(_static(name), media_type=STATIC[name], headers={"cache-control": "max-age=300"})


@cache
def _static(name: str) -> bytes:
    """Read once and kept: whoever wants a style sheet waits for no thread."""
    return (HERE / "static" / name).read_bytes()


class Pages:
    """The pages of one study."""

    def __init__(self, opened: OpenStudy) -> None:
        self.opened = opened
        self._templates = Environment(
            loader=FileSystemLoader(HERE / "pages"), autoescape=True, trim_blocks=True, lstrip_blocks=True
        )
        self._templates.globals["study"] = opened.study
        self._actions: dict[str, Callable[[Rater, Form], str]] = {
            "answer": self._answer,
            "undo": self._undo,
            "finish": self._finish,
            "more": self._more,
            "retry": self._retry,
            "check": self._check,
        }

    # --- pages of a rater

    def question(self, visit: Visit) -> Response:
        state = self.opened.state(visit.rater)
        if state["status"] == "finished":
            return RedirectResponse(f"{visit.link}/result", 303)
        if state["status"] == "waiting":
            return self._page("waiting.html", visit=visit, state=state)
        return self._page("question.html", visit=visit, state=state, pair=self._pair(state["question"]))

    def best(self, visit: Visit) -> Response:
        run = self.opened.run_state(visit.rater)
        best = self.opened.runs.values(run.best)
        return self._page("best.html", visit=visit, run=run, shown=self._candidate(best), best=best)

    def result(self, visit: Visit) -> Response:
        run = self.opened.run_state(visit.rater)
        return self._page(
            "result.html",
            visit=visit,
            result=self.opened.result(visit.rater),
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
        return Response(body, media_type="application/json", headers=_download("result.json"))

    def result_csv(self, visit: Visit) -> Response:
        body = as_csv(self.opened.study.space, self.opened.result(visit.rater)["history"])
        return Response(body, media_type="text/csv", headers=_download("answers.csv"))

    # --- what a rater does

    async def act(self, request: Request) -> Response:
        action, token = request.path_params["action"], request.path_params["token"]
        if action not in self._actions:
            raise HTTPException(404, "there is no such page")
        form = await _form(request)

        def do() -> Response:
            rater = self.opened.rater(token, _client(request))
            try:
                where = self._actions[action](rater, form)
            except Refused:
                where = "/check?note=stale" if action == "check" else "?note=stale"
            return RedirectResponse(f"/s/{token}{where}", 303)

        return await run_in_threadpool(do)

    def _answer(self, rater: Rater, form: Form) -> str:
        new = self.opened.runs.answer(rater, form.get("question", ""), _choice(form))
        return "" if new else "?note=stale"

    def _undo(self, rater: Rater, form: Form) -> str:
        self.opened.runs.undo(rater, form.get("question", ""))
        return "?note=undo"

    def _finish(self, rater: Rater, form: Form) -> str:
        self.opened.runs.finish(rater)
        return "/result"

    def _more(self, rater: Rater, form: Form) -> str:
        self.opened.runs.more(rater, min(MORE, MOST_MORE))
        return ""

    def _retry(self, rater: Rater, form: Form) -> str:
        self.opened.runs.retry(rater)
        return ""

    def _check(self, rater: Rater, form: Form) -> str:
        self.opened.runs.check(rater, form.get("question", ""), _choice(form))
        return "/check"

    # --- everybody else

    async def front(self, request: Request) -> Response:
        return self._page("message.html", heading=self.opened.study.title, text="Please open the link you were given.")

    async def view(self, request: Request) -> Response:
        """A rendered candidate, by a key that tells nothing about it."""
        shown = await run_in_threadpool(self.opened.renderer.get, request.path_params["key"])
        if shown is None or shown.error:
            raise HTTPException(404, "this candidate is not there: reload the page")
        headers = {
            "content-security-policy": view_policy(self.opened.study.view.scripts),
            "x-frame-options": "SAMEORIGIN",
            "cache-control": "private, max-age=86400, immutable",
        }
        return Response(shown.body, media_type=MIME[shown.type], headers=headers)

    async def join(self, request: Request) -> Response:
        token = request.path_params["token"]
        form = await _form(request) if request.method == "POST" else None

        def do() -> Response:
            self.opened.role(token, _client(request), "join")
            if form is None:
                return self._page("join.html", action=f"/join/{token}")
            _, own = self.opened.add_rater(form.get("name", ""))
            return RedirectResponse(f"/s/{own}", 303)

        return await run_in_threadpool(do)

    async def organiser(self, request: Request) -> Response:
        token = request.path_params["token"]
        form = await _form(request) if request.method == "POST" else None

        def do() -> Response:
            self.opened.role(token, _client(request), "organiser")
            made = self._invite(form, str(request.base_url)) if form is not None else []
            return self._page("organiser.html", link=f"/o/{token}", made=made, results=self.opened.results())

        return await run_in_threadpool(do)

    def _invite(self, form: Form, base: str) -> list[tuple[str, str]]:
        """New links, shown once."""
        if form.get("kind") == "join":
            return [("Anyone with this link", f"{base}join/{self.opened.store.add_token('join')}")]
        names = [name for name in form.get("names", "").splitlines() if name.strip()][:100] or [""]
        made = [self.opened.add_rater(name) for name in names]
        return [(rater.name, f"{base}s/{token}") for rater, token in made]

    async def results_json(self, request: Request) -> Response:
        def do() -> Response:
            self.opened.role(request.path_params["token"], _client(request), "organiser")
            body = json.dumps(self.opened.results(details=True), indent=1)
            return Response(body, media_type="application/json", headers=_download("results.json"))

        return await run_in_threadpool(do)

    async def api(self, request: Request) -> Response:
        return self._page("api.html", document=document())

    async def failed(self, request: Request, error: Exception) -> Response:
        if isinstance(error, NotAllowed):
            error = HTTPException(error.status, error.detail)
        if isinstance(error, StoreUnavailable):
            error = HTTPException(503, "no answer can be kept at the moment: please wait a little and try again")
        status = error.status_code if isinstance(error, HTTPException) else 500
        detail = error.detail if isinstance(error, HTTPException) and error.detail else "something went wrong here"
        if request.url.path.startswith("/api/"):
            headers = dict(error.headers or {}) if isinstance(error, HTTPException) else {}
            return JSONResponse({"error": detail}, status, headers)
        headings = {401: "This link is not known", 404: "There is no such page", 429: "Slow down a little"}
        return self._page(
            "message.html", status=status, heading=headings.get(status, "That did not work"), text=detail + "."
        )

    # --- inside

    def get(self, page: Callable[[Visit], Response]) -> Callable[[Request], Awaitable[Response]]:
        """A route for a page of a rater."""

        async def endpoint(request: Request) -> Response:
            token = request.path_params["token"]

            def do() -> Response:
                note = NOTES.get(request.query_params.get("note", ""), "")
                return page(Visit(self.opened.rater(token, _client(request)), f"/s/{token}", note))

            return await run_in_threadpool(do)

        return endpoint

    def _pair(self, question: dict[str, Any]) -> dict[str, Any]:
        reference = self.opened.study.view.reference
        return {
            "id": question["id"],
            "left": self._candidate(question["left"]["values"]),
            "right": self._candidate(question["right"]["values"]),
            "reference": self._candidate(dict(reference)) if reference is not None else None,
        }

    def _candidate(self, values: dict[str, Any]) -> dict[str, Any]:
        """What the page needs to show a candidate: where it is, of which kind, or what went wrong."""
        shown = self.opened.renderer.show(values)
        kind = {"svg": "image", "png": "image", "jpeg": "image", "wav": "audio", "mp3": "audio"}.get(shown.type, "page")
        text = shown.body.decode(errors="replace") if shown.type == "text" else ""
        return {"src": f"/view/{shown.key}", "kind": "text" if text else kind, "text": text, "error": shown.error}

    def _page(self, template: str, status: int = 200, **context: Any) -> HTMLResponse:
        return HTMLResponse(self._templates.get_template(template).render(context), status)


async def _form(request: Request) -> Form:
    """The fields of a plain form; anything else is an empty one."""
    try:
        fields = parse_qs((await request.body()).decode(), keep_blank_values=True, max_num_fields=20)
    except ValueError as error:
        raise HTTPException(400, "the form cannot be read") from error
    return {name: values[-1] for name, values in fields.items()}


def _choice(form: Form) -> Any:
    if form.get("choice") not in CHOICES:
        raise HTTPException(422, f"choice must be one of {', '.join(CHOICES)}")
    return form["choice"]


def _client(request: Request) -> str:
    return request.client.host if request.client else ""


def _download(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"'}
