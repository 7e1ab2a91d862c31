"""For those who watch the server: is it well, and how much does it do?"""

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from steelyard.studies.open_study import OpenStudy
from steelyard.web.metrics import Metrics


def watching_routes(opened: OpenStudy, metrics: Metrics) -> list[Route]:
    """`/healthz` for everybody; `/metrics` for the organiser, whose token is sent as a bearer's."""

    async def healthz(request: Request) -> Response:
        problem = await run_in_threadpool(opened.store.problem)
        return JSONResponse({"ok": not problem, **({"problem": problem} if problem else {})}, 503 if problem else 200)

    async def show(request: Request) -> Response:
        return PlainTextResponse(
            await run_in_threadpool(read, request), media_type="text/plain; version=0.0.4; charset=utf-8"
        )

    def read(request: Request) -> str:
        token = request.headers.get("authorization", "").partition(" ")[2].strip()
        opened.role(token, request.client.host if request.client else "", "organiser")
        metrics.note(opened)
        return metrics.text(opened.store.event_counts(), opened.store.rater_count())

    return [Route("/healthz", healthz, methods=["GET"]), Route("/metrics", show, methods=["GET"])]
