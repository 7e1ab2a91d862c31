"""The API in the words of OpenAPI 3.1: what tools, fuzzers and the page /api read."""

from typing import Any, NamedTuple

from steelyard.studies.choosing import PATTERN
from steelyard.studies.events import Role
from steelyard.version import __version__

MOST_MORE = 1000
"""The most answers by which a finished run can be extended at once."""


class Operation(NamedTuple):
    """One call of the API: where, how, what for, what comes back, who may make it, and what is sent."""

    path: str
    method: str
    name: str
    summary: str
    result: str
    roles: tuple[Role, ...]
    body: dict[str, Any] | None = None
    status: int = 200


def document() -> dict[str, Any]:
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "steelyard studies",
            "version": __version__,
            "description": "Ask people to compare. Create a run for each user, show them the open question, send the "
            "answer, repeat until the status is finished. Every call that changes something may be sent again: a "
            "question answered twice counts once.",
        },
        "servers": [{"url": "/api/v1"}],
        "security": [{"token": []}],
        "paths": _paths(),
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": _schemas(),
            "responses": {"Error": {"description": "What was wrong, in words.", "content": _json(_ref("Error"))}},
        },
    }


def _paths() -> dict[str, Any]:
    paths: dict[str, Any] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _described(operation)
    return paths


def _described(operation: Operation) -> dict[str, Any]:
    errors = [401, 403, 429] + ([400, 409, 413, 415, 422] if operation.body is not None else [])
    errors += [409] if operation.name == "finish" else []
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "responses": {
            str(operation.status): {"description": "Done.", "content": _json(_ref(operation.result))},
            **{str(code): {"$ref": "#/components/responses/Error"} for code in errors},
        },
    }
    if operation.body is not None:
        described["requestBody"] = {"required": operation.body is not _RATER_NAME, "content": _json(operation.body)}
    return described


def _schemas() -> dict[str, Any]:
    number, whole, flag, text = {"type": "number"}, {"type": "integer"}, {"type": "boolean"}, {"type": "string"}
    values = {"type": "object", "additionalProperties": {"type": ["number", "string"]}}
    side = _object(values=values, view=text)
    pair = _object(id=text, text=text, left=side, right=side)
    several = _object(id=text, text=text, candidates={"type": "array", "items": side}, ranking=flag)
    maybe_pair = {"anyOf": [_ref("Question"), {"type": "null"}]}
    status = {"enum": ["asking", "waiting", "finished"]}
    return {
        "Error": _object(error=text),
        "Answer": _object(
            question=_text(80), choice={"anyOf": [{"enum": ["left", "right", "tie", "skip"]}, {"pattern": PATTERN}]}
        ),
        "Created": _object(name=text, token=text, link=text),
        "Question": {
            "anyOf": [pair, several],
            "description": "Two sides, answered by left or right; or several candidates, answered by the number of the "
            "best (3) or, for a ranking, by the order of all (3>1=4>2).",
        },
        "RunState": _object(
            answers=whole, decided=whole, budget=whole, given=whole, expected=whole, remaining=whole, settled=number
        ),
        "State": {
            **_object(status=status, question=maybe_pair, undo={"type": ["string", "null"]}, progress=_ref("RunState")),
            "description": "The open question and the progress; `accepted` says whether a change was new.",
        },
        "Check": _object(status=status, question=maybe_pair, answers=whole, budget=whole),
        "Study": _object(title=text, question=text, parameters={"type": "array"}, budget=whole, mode=text, type=text),
        "Result": _object(
            title=text, finished=flag, answers=whole, best=values, start=values,
            statement={"type": "array", "items": text}, history={"type": "array"},
        ),
        "Results": _object(title=text, mode=text, raters={"type": "array"}, agreement={"type": "object"}),
    }  # fmt: skip


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _text(longest: int) -> dict[str, Any]:
    return {"type": "string", "maxLength": longest}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _json(schema: Any) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


_ANSWER = _ref("Answer")
_RATER_NAME = {"type": "object", "properties": {"name": _text(60)}, "additionalProperties": False}
_MORE = _object(answers={"type": "integer", "minimum": 1, "maximum": MOST_MORE})
RATER: tuple[Role, ...] = ("rater",)

OPERATIONS = (
    Operation(
        "/study", "GET", "study", "What the study asks, and its parameters.", "Study", ("rater", "organiser", "join")
    ),
    Operation(
        "/runs", "POST", "createRun",
        "A new rater with a token of their own (the organiser's token, or one to join with).",
        "Created", ("organiser", "join"), _RATER_NAME, 201,
    ),
    Operation("/question", "GET", "question", "The open question of the token's rater.", "State", RATER),
    Operation(
        "/answer", "POST", "answer", "Answer the open question; the next one comes back.", "State", RATER, _ANSWER
    ),
    Operation(
        "/undo", "POST", "undo", "Take back the last answer: the one named as `undo` in the state.",
        "State", RATER, _object(question=_text(80)),
    ),
    Operation("/finish", "POST", "finish", "End the run early.", "State", RATER),
    Operation("/more", "POST", "more", "Go on with a finished run.", "State", RATER, _MORE),
    Operation("/check", "GET", "check", "The next blind comparison of result and start.", "Check", RATER),
    Operation("/check", "POST", "answerCheck", "Answer it.", "Check", RATER, _ANSWER),
    Operation("/result", "GET", "result", "The result so far, with certainty and history.", "Result", RATER),
    Operation(
        "/results", "GET", "results", "All raters' results and their agreement (organiser).", "Results", ("organiser",)
    ),
)  # fmt: skip
"""All that can be called: what `api` serves, and what is described here."""
