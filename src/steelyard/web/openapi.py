"""The API in the words of OpenAPI 3.1: what tools, fuzzers and the page /api read."""

from __future__ import annotations

from typing import Any

from steelyard.studies.choosing import PATTERN
from steelyard.version import __version__


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
    answer, state, check = _ref("Answer"), _ref("State"), _ref("Check")
    return {
        "/study": {"get": _operation("study", "What the study asks, and its parameters.", 200, _ref("Study"))},
        "/runs": {
            "post": _operation(
                "createRun",
                "A new rater with a token of their own (the organiser's token, or one to join with).",
                201,
                _ref("Created"),
                {"type": "object", "properties": {"name": _text(60)}, "additionalProperties": False},
                required=False,
            )
        },
        "/question": {"get": _operation("question", "The open question of the token's rater.", 200, state)},
        "/answer": {
            "post": _operation("answer", "Answer the open question; the next one comes back.", 200, state, answer)
        },
        "/undo": {
            "post": _operation(
                "undo",
                "Take back the last answer: the one named as `undo` in the state.",
                200,
                state,
                _object(question=_text(80)),
            )
        },
        "/finish": {"post": _operation("finish", "End the run early.", 200, state)},
        "/more": {
            "post": _operation(
                "more",
                "Go on with a finished run.",
                200,
                state,
                _object(answers={"type": "integer", "minimum": 1, "maximum": 1000}),
            )
        },
        "/check": {
            "get": _operation("check", "The next blind comparison of result and start.", 200, check),
            "post": _operation("answerCheck", "Answer it.", 200, check, answer),
        },
        "/result": {"get": _operation("result", "The result so far, with certainty and history.", 200, _ref("Result"))},
        "/results": {
            "get": _operation("results", "All raters' results and their agreement (organiser).", 200, _ref("Results"))
        },
    }


def _operation(
    name: str, summary: str, status: int, schema: Any, body: Any = None, required: bool = True
) -> dict[str, Any]:
    errors = [401, 403, 429] + ([400, 409, 413, 415, 422] if body is not None else [])
    errors += [409] if name == "finish" else []
    operation: dict[str, Any] = {
        "operationId": name,
        "summary": summary,
        "responses": {
            str(status): {"description": "Done.", "content": _json(schema)},
            **{str(code): {"$ref": "#/components/responses/Error"} for code in errors},
        },
    }
    if body is not None:
        operation["requestBody"] = {"required": required, "content": _json(body)}
    return operation


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
