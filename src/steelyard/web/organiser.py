"""The organiser's page: who answers and how, live; open and close the study, leave people out, take answers away."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import TYPE_CHECKING

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from steelyard.studies.export import answers_csv, answers_parquet
from steelyard.studies.open_study import NotAllowed, OpenStudy
from steelyard.web.plot import progress_plot
from steelyard.web.requests import Form, client_of, download, form_fields

if TYPE_CHECKING:
    from steelyard.web.rater_pages import Pages

EVERY = 1.0
"""Seconds between looks at whether something has changed."""
STREAM = 3600.0
"""Seconds after which a stream ends, and the page asks for a new one."""
DOWNLOADS: dict[str, tuple[Callable[[OpenStudy], str | bytes], str]] = {
    "answers.csv": (answers_csv, "text/csv"),
    "answers.parquet": (answers_parquet, "application/vnd.apache.parquet"),
    "results.json": (lambda opened: json.dumps(opened.results(details=True), indent=1), "application/json"),
}
ACTS = ("pause", "reopen", "end", "exclude", "include", "rename", "revoke", "revoke-join")


class Organiser:
    """The organiser's routes of one study."""

    def __init__(self, opened: OpenStudy, pages: Pages) -> None:
        self.opened, self.pages = opened, pages

    def routes(self) -> list[Route]:
        return [
            Route("/o/{token}", self.page, methods=["GET", "POST"]),
            Route("/o/{token}/live", self.live, methods=["GET"]),
            *(Route(f"/o/{{token}}/{name}", partial(self._download, name), methods=["GET"]) for name in DOWNLOADS),
        ]

    async def page(self, request: Request) -> Response:
        form = await form_fields(request) if request.method == "POST" else None

        def do() -> Response:
            self._check(request)
            base = str(request.base_url).rstrip("/") + self.pages.root
            made = self._do(form, base) if form is not None else []
            number = request.query_params.get("page", "1")
            overview = self.opened.overview.page(int(number) if number.isdecimal() else 1)
            return self.pages.render(
                "organiser.html",
                link=f"{self.pages.root}/o/{request.path_params['token']}",
                made=made,
                overview=overview,
                control=self.opened.control,
                plot=Markup(progress_plot(overview["progress"])) if len(overview["progress"]) > 1 else "",
                trouble=self.opened.store.problem(),
                ago=_ago,
            )

        return await run_in_threadpool(do)

    async def live(self, request: Request) -> Response:
        """Server-sent events: a number that changes whenever there is something new to see."""
        await run_in_threadpool(self._check, request)
        return StreamingResponse(self._stream(request), media_type="text/event-stream")

    async def _stream(self, request: Request) -> AsyncIterator[str]:
        until, told = time.monotonic() + STREAM, -1
        while time.monotonic() < until and not await request.is_disconnected():
            version = await run_in_threadpool(self.opened.overview.refresh)
            if version != told:
                told = version
                yield f"data: {version}\n\n"
            else:
                yield ": still here\n\n"
            await asyncio.sleep(EVERY)

    async def _download(self, name: str, request: Request) -> Response:
        make, type_ = DOWNLOADS[name]

        def do() -> Response:
            self._check(request)
            return Response(make(self.opened), media_type=type_, headers=download(name))

        return await run_in_threadpool(do)

    def _check(self, request: Request) -> None:
        self.opened.role(request.path_params["token"], client_of(request), "organiser")

    # --- what the organiser does

    def _do(self, form: Form, base: str) -> list[tuple[str, str]]:
        """What was asked for; returns new links, which are shown once."""
        if "act" in form:
            return self._act(form, base)
        if form.get("kind") == "join":
            return [("Anyone with this link", f"{base}/join/{self.opened.store.add_token('join')}")]
        names = [name for name in form.get("names", "").splitlines() if name.strip()][:100] or [""]
        made = [self.opened.add_rater(name) for name in names]
        return [(rater.name, f"{base}/s/{token}") for rater, token in made]

    def _act(self, form: Form, base: str) -> list[tuple[str, str]]:
        act, store, control = form["act"], self.opened.store, self.opened.control
        if act in ("pause", "reopen", "end", "revoke-join"):
            control.act(act)  # type: ignore[arg-type]  # one of the kinds
            return []
        known = {rater.id: rater for rater in store.raters()}
        number = form.get("rater", "")
        rater = known.get(int(number)) if number.isdecimal() else None
        if rater is None or act not in (*ACTS, "link"):
            raise HTTPException(422, f"act must be one of {', '.join(ACTS)}, for a rater of this study")
        if act == "link":
            name = control.names.get(rater.id, rater.name)
            return [(name, f"{base}/s/{store.add_token('rater', rater.id)}")]
        name = " ".join(form.get("name", "").split())[:60]
        if act == "rename" and not name:
            raise NotAllowed(422, "a name must not be empty")
        control.act(act, rater.id, name if act == "rename" else "")  # type: ignore[arg-type]
        return []


def _ago(at: float) -> str:
    """How long ago, in words."""
    if not at:
        return "–"
    seconds = max(0.0, time.time() - at)
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit} ago"
    return "now"
