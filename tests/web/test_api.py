"""The HTTP API: a run from creation to result, every refusal in words, and the document that describes it."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from steelyard.studies.open_study import OpenStudy
from steelyard.web.api import HANDLERS
from steelyard.web.client import ApiError, Client
from steelyard.web.openapi import OPERATIONS, document

from .conftest import headers


@pytest.fixture
def organiser(opened: OpenStudy, web: TestClient) -> Client:
    return Client("http://testserver", opened.store.add_token("organiser"), patience=0.0, http=web)


def test_a_whole_run_through_the_client(organiser: Client) -> None:
    ada = organiser.create_run("Ada")
    state = ada.question()
    assert state["progress"] == {
        "answers": 0,
        "decided": 0,
        "budget": 12,
        "given": 0,
        "expected": 12,
        "remaining": 12,
        "settled": 0.0,
    }
    while state["status"] == "asking":
        question = state["question"]
        assert b"<!doctype html>" in ada.view(question["left"]["view"])
        # prefers larger letters
        larger = question["left"]["values"]["size"] > question["right"]["values"]["size"]
        state = ada.answer(question["id"], "left" if larger else "right")
        assert state["accepted"]
    result = ada.result()
    assert result["finished"]
    assert result["best"]["size"] > result["start"]["size"]
    assert len(result["history"]) == 12
    check = ada.check()
    assert ada.answer_check(check["question"]["id"], "tie")["answers"] == 1
    everything = organiser.results()
    assert [rater["name"] for rater in everything["raters"]] == ["Ada"]
    assert everything["pooled"]["favourite"]["size"] > 20


def test_sent_again_counts_once_and_undo_returns(organiser: Client) -> None:
    ada = organiser.create_run()
    first = ada.question()["question"]["id"]
    second = ada.answer(first, "left")
    again = ada.answer(first, "right")
    assert not again["accepted"]
    assert again["question"] == second["question"]
    assert again["progress"]["answers"] == 1
    back = ada.undo(second["undo"])
    assert back["progress"]["answers"] == 0
    assert back["undo"] is None
    assert ada.finish()["status"] == "finished"
    assert ada.more(3)["status"] == "asking"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"question": "x", "choice": "left"}, 409),
        ({"question": "x", "choice": "up"}, 422),
        ({"question": "x"}, 422),
        ({"question": 3, "choice": "left"}, 422),
        ({"question": "x" * 300, "choice": "left"}, 422),
        ({"question": "\x00", "choice": "left"}, 422),
        ([], 422),
        ("{", 400),
        ("[" * 30_000, 400),
    ],
)
def test_bad_answers_are_refused_in_words(opened: OpenStudy, web: TestClient, body: Any, status: int) -> None:
    _, token = opened.add_rater("Ada")
    kind = {"content-type": "application/json"}
    send: dict[str, Any] = {"content": body} if isinstance(body, str) else {"json": body}
    response = web.post("/api/v1/answer", headers={**headers(token), **kind}, **send)
    assert response.status_code == status
    assert response.json()["error"]
    assert opened.store.events(1) == []


def test_tokens_open_only_their_own_doors(opened: OpenStudy, web: TestClient) -> None:
    _, rater = opened.add_rater("Ada")
    tokens = {
        "rater": rater,
        "organiser": opened.store.add_token("organiser"),
        "join": opened.store.add_token("join"),
    }
    for path, method, _, _, _, roles, *_ in OPERATIONS:
        for role, token in tokens.items():
            response = web.request(method, f"/api/v1{path}", headers=headers(token))
            assert (response.status_code == 403) == (role not in roles), (path, role)
        response = web.request(method, f"/api/v1{path}")
        assert response.status_code == 401
        assert response.headers["www-authenticate"] == "Bearer"
        assert web.request(method, f"/api/v1{path}", headers=headers("wrong")).status_code == 401


def test_wrong_methods_types_and_paths(opened: OpenStudy, web: TestClient) -> None:
    _, token = opened.add_rater("Ada")
    assert web.put("/api/v1/answer", headers=headers(token)).status_code == 405
    assert web.get("/api/v1/nothing", headers=headers(token)).status_code == 404
    assert "error" in web.get("/api/v1/nothing").json()
    response = web.post("/api/v1/answer", headers=headers(token), data={"question": "x"})
    assert response.status_code == 415


def test_the_document_describes_every_route(web: TestClient) -> None:
    described = {(path, method.upper()) for path, operations in document()["paths"].items() for method in operations}
    assert described == {(operation.path, operation.method) for operation in OPERATIONS}
    assert HANDLERS.keys() == {operation.name for operation in OPERATIONS}
    assert web.get("/api/v1/openapi.json").json() == document()
    assert "POST /answer" in web.get("/api").text


def test_the_client_says_what_the_server_refused(organiser: Client) -> None:
    with pytest.raises(ApiError, match="no longer asked") as error:
        organiser.create_run("Ada").answer("0-0-0-00000000", "left")
    assert error.value.status == 409
