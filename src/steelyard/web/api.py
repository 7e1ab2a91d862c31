"""The HTTP API, for apps that ask their own users: JSON in, JSON out, a bearer token for who is asking."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from steelyard.studies.choosing import WrongChoice
from steelyard.studies.open_study import NotAllowed, OpenStudy
from steelyard.studies.runs import Refused
from steelyard.web.in_turn import in_turn
from steelyard.web.openapi import MOST_MORE, OPERATIONS, Operation, document
from steelyard.web.requests import client_of, some_choice

Body = dict[str, Any]
Handler = Callable[[OpenStudy, Any, Body], Any]


def _study(opened: OpenStudy, rater: Any, body: Body) -> Any:
    about = opened.study
    said = {name: getattr(about, name) for name in ("title", "question", "instructions", "budget")}
    return {**said, "parameters": about.space.to_json(), "mode": about.raters.mode, "type": about.view.type}


def _create_run(opened: OpenStudy, rater: Any, body: Body) -> Any:
    opened.refuse_unless_open()
    made, token = opened.add_rater(_text(body, "name", default=""))
    return {"name": made.name, "token": token, "link": f"/s/{token}"}


def _answer(opened: OpenStudy, rater: Any, body: Body) -> Any:
    accepted = opened.answer(rater, _text(body, "question"), some_choice(body.get("choice")))
    return {"accepted": accepted, **opened.state(rater, fresh=not accepted)}


def _answer_check(opened: OpenStudy, rater: Any, body: Body) -> Any:
    accepted = opened.check(rater, _text(body, "question"), some_choice(body.get("choice")))
    return {"accepted": accepted, **opened.check_state(rater)}


def _changed(opened: OpenStudy, rater: Any, accepted: bool) -> Any:
    return {"accepted": accepted, **opened.state(rater)}


HANDLERS: dict[str, Handler] = {
    "study": _study,
    "createRun": _create_run,
    "question": lambda opened, rater, body: opened.state(rater),
    "answer": _answer,
    "undo": lambda opened, rater, body: _changed(opened, rater, opened.runs.undo(rater, _text(body, "question"))),
    "finish": lambda opened, rater, body: _changed(opened, rater, opened.runs.finish(rater)),
    "more": lambda opened, rater, body: _changed(opened, rater, opened.runs.more(rater, _count(body))),
    "check": lambda opened, rater, body: opened.check_state(rater),
    "answerCheck": _answer_check,
    "result": lambda opened, rater, body: opened.result(rater),
    "results": lambda opened, rater, body: opened.results(details=True),
}
"""What an operation of the API does, by its name: for a rater, where only raters may call it, else for None."""


def api_routes(opened: OpenStudy) -> list[Route]:
    """The routes under /api/v1. One route per path, so that a wrong method is told which ones are right."""
    paths: dict[str, dict[str, Operation]] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method] = operation

    async def openapi(request: Request) -> Response:
        return JSONResponse(document())

    routes = [Route("/api/v1/openapi.json", openapi, methods=["GET"])]
    for path, operations in paths.items():
        routes.append(Route(f"/api/v1{path}", _endpoint(opened, operations), methods=list(operations)))
    return routes


def _endpoint(opened: OpenStudy, operations: dict[str, Operation]) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        operation = operations["GET" if request.method == "HEAD" else request.method]
        raw = await request.body() if request.method == "POST" else b""
        try:
            call = in_turn if "rater" in operation.roles else run_in_threadpool
            data = await call(_call, opened, request, raw, operation)
        except (HTTPException, NotAllowed) as error:
            status = error.status_code if isinstance(error, HTTPException) else error.status
            headers = {"www-authenticate": "Bearer"} if status == 401 else None
            return JSONResponse({"error": error.detail}, status, headers)
        except (Refused, WrongChoice) as error:
            return JSONResponse({"error": str(error)}, 409 if isinstance(error, Refused) else 422)
        return JSONResponse(data, operation.status)

    return endpoint


def _call(opened: OpenStudy, request: Request, raw: bytes, operation: Operation) -> Any:
    rater = opened.role(_bearer(request), client_of(request), *operation.roles)
    return HANDLERS[operation.name](opened, rater, _json(request, raw) if request.method == "POST" else {})


def _bearer(request: Request) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise HTTPException(401, "send the token as Authorization: Bearer TOKEN")
    return token.strip()


def _json(request: Request, raw: bytes) -> Body:
    if not raw:
        return {}
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "the body must be application/json")
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, "the body must be JSON") from error
    if not isinstance(body, dict):
        raise HTTPException(422, "the body must be a JSON object")
    return body


def _count(body: Body) -> int:
    answers = body.get("answers")
    if isinstance(answers, bool) or not isinstance(answers, int) or not 1 <= answers <= MOST_MORE:
        raise HTTPException(422, f"answers must be an integer from 1 to {MOST_MORE}")
    return answers


def _text(body: Body, name: str, default: str | None = None) -> str:
    text = body.get(name, default)
    if not isinstance(text, str) or len(text) > 200 or not text.isprintable():
        raise HTTPException(422, f"{name} must be a string of at most 200 printable characters")
    return text
