"""The application for one study: which address leads where."""

from functools import cache
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from steelyard.studies.database import StoreUnavailable
from steelyard.studies.open_study import NotAllowed, OpenStudy
from steelyard.web.api import api_routes
from steelyard.web.in_turn import OneByOne
from steelyard.web.metrics import Measured, Metrics
from steelyard.web.organiser import Organiser
from steelyard.web.rater_pages import Pages
from steelyard.web.security import LOOPBACK, App, RequestGuard
from steelyard.web.watching import watching_routes

HERE = Path(__file__).parent
STATIC = {"style.css": "text/css", "page.js": "text/javascript", "icon.svg": "image/svg+xml"}


def make_app(
    opened: OpenStudy,
    hosts: tuple[str, ...] | None = LOOPBACK,
    metrics: Metrics | None = None,
    root: str = "",
    proxies: tuple[str, ...] = (),
) -> App:
    """The whole application for one study.

    `hosts` are the names under which it may be called, None for any; `root` is the path under which others see it;
    `proxies` are the addresses whose word is taken for who asks, and how.
    """
    metrics = metrics or Metrics()
    pages = Pages(opened, root)
    organiser = Organiser(opened, pages)
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
            *organiser.routes(),
            Route("/api", pages.api, methods=["GET"]),
            *api_routes(opened),
        ],
        exception_handlers=dict.fromkeys((HTTPException, NotAllowed, StoreUnavailable, 404, 405, 500), pages.failed),
    )
    return Measured(OneByOne(RequestGuard(app, hosts, root, proxies)), metrics)


async def static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:  # a list, not a folder: no path to climb out of
        raise HTTPException(404, "there is no such file")
    return Response(_static(name), media_type=STATIC[name], headers={"cache-control": "max-age=300"})


@cache
def _static(name: str) -> bytes:
    """Read once and kept: a style sheet needs no thread."""
    return (HERE / "static" / name).read_bytes()
