"""What strangers, other sites, views and too many requests cannot do."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from steelyard.studies.open_study import OpenStudy
from steelyard.studies.rates import Rates
from steelyard.web import server
from steelyard.web.app import make_app
from steelyard.web.security import MOST_BODY


@pytest.fixture
def link(opened: OpenStudy) -> str:
    return f"/s/{opened.add_rater('Ada')[1]}"


def open_question(web: TestClient, link: str) -> str:
    return web.get(link).text.split('name="question" value="')[1].split('"')[0]


def test_every_page_has_the_strict_headers(web: TestClient, link: str) -> None:
    for path in (
        "/",
        link,
        f"{link}/best",
        f"{link}/result",
        "/api",
        "/api/v1/question",
        "/nothing",
        "/static/page.js",
    ):
        response = web.get(path)
        policy = response.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["x-frame-options"] == "DENY"
        assert "set-cookie" not in response.headers


def test_pages_have_nothing_inline_and_nothing_from_elsewhere(web: TestClient, opened: OpenStudy, link: str) -> None:
    organiser = f"/o/{opened.store.add_token('organiser')}"
    for path in ("/", link, f"{link}/best", f"{link}/result", "/api", organiser):
        page = web.get(path).text
        assert " style=" not in page
        assert "<style" not in page
        assert " onclick" not in page
        assert "//" not in page.replace("<!doctype html>", "").replace("http://testserver/", "")


def test_a_view_has_no_rights(web: TestClient, link: str) -> None:
    page = web.get(link).text
    assert 'sandbox="allow-same-origin"' in page
    assert "allow-scripts" not in page
    view = web.get(page.split('src="/view/')[1].split('"')[0].join(["/view/", ""]))
    policy = view.headers["content-security-policy"]
    assert policy.startswith("sandbox allow-same-origin; default-src 'none'")  # no scripts, no forms, no popups
    assert "script-src" not in policy
    assert view.status_code == 200
    assert web.get("/view/" + "0" * 40).status_code == 404


def test_other_sites_cannot_post(web: TestClient, opened: OpenStudy, link: str) -> None:
    form = {"question": open_question(web, link), "choice": "left"}
    for bad in (
        {"origin": "https://elsewhere.example"},
        {"origin": "null"},  # what a sandboxed view would send
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ):
        assert web.post(f"{link}/answer", data=form, headers=bad).status_code == 403
    assert opened.store.events(1) == []
    good = {"origin": "http://testserver", "sec-fetch-site": "same-origin"}
    assert web.post(f"{link}/answer", data=form, headers=good).status_code == 200
    assert len(opened.store.events(1)) == 1


def test_a_local_server_answers_only_under_local_names(opened: OpenStudy) -> None:
    local = TestClient(make_app(opened), base_url="http://evil.example")
    assert local.get("/").status_code == 403
    for name in ("127.0.0.1:8321", "localhost", "[::1]:9"):
        assert local.get("/", headers={"host": name}).status_code == 200


def test_sizes_are_bounded(web: TestClient, link: str) -> None:
    assert web.post(f"{link}/answer", content=b"x" * (MOST_BODY + 1)).status_code == 413

    def endless() -> object:
        for _ in range(100):
            yield b"x" * 1024

    assert web.post(f"{link}/answer", content=endless()).status_code == 413  # type: ignore[arg-type]
    assert web.post(f"{link}/answer", headers={"content-length": "-1"}).status_code == 413
    assert web.post(f"{link}/answer", content="&".join(["a=1"] * 50)).status_code == 400


def test_rates_are_bounded(opened: OpenStudy, web: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steelyard.studies.rates.time.monotonic", lambda: 1.0)  # however slow this computer is
    codes = [web.get(f"/s/guess-{i}").status_code for i in range(70)]
    assert codes[:60] == [401] * 60
    assert codes[-1] == 429
    _, token = opened.add_rater("Ada")
    assert web.get(f"/s/{token}").status_code == 200  # others are not kept out


def test_buckets_fill_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("steelyard.studies.rates.time.monotonic", lambda: now[0])
    rates = Rates(rate=2.0, burst=3.0)
    assert [rates.allow("a") for _ in range(4)] == [True, True, True, False]
    assert rates.allow("b")
    now[0] = 0.5
    assert [rates.allow("a") for _ in range(2)] == [True, False]


def test_static_files_are_a_list_not_a_folder(web: TestClient) -> None:
    assert web.get("/static/style.css").status_code == 200
    for name in ("..%2fapp.py", "%2e%2e/app.py", "....//app.py", "style.css%00"):
        assert web.get(f"/static/{name}").status_code == 404


def test_no_token_in_logs(web: TestClient, link: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="steelyard")
    caplog.set_level(logging.DEBUG, logger="starlette")
    web.get(link)
    web.post(f"{link}/answer", data={"question": "x", "choice": "left"})
    assert not any(link in record.getMessage() for record in caplog.records if record.name != "httpx")


def test_names_and_notes_are_escaped(opened: OpenStudy, web: TestClient) -> None:
    opened.add_rater("<script>alert(1)</script>")
    organiser = f"/o/{opened.store.add_token('organiser')}"
    page = web.get(organiser).text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


def test_public_needs_tokens(opened: OpenStudy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(server.TOKEN_VARIABLE, raising=False)
    with pytest.raises(ValueError, match="--public needs tokens"):
        server.serve(opened, server.Address("0.0.0.0", 0, public=True))
    with pytest.raises(ValueError, match="without --public"):
        server.serve(opened, server.Address("0.0.0.0", 0))
    monkeypatch.setenv(server.TOKEN_VARIABLE, "short")
    with pytest.raises(ValueError, match="at least 24 characters"):
        server.organiser_token(opened, public=True)
    monkeypatch.setenv(server.TOKEN_VARIABLE, "a-long-enough-token-of-my-own")
    assert server.organiser_token(opened, public=True) == "a-long-enough-token-of-my-own"
    assert (opened.store.token("a-long-enough-token-of-my-own") or ())[:2] == ("organiser", None)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    from steelyard.studies.store import open_store

    (tmp_path / "x.db").write_text("this is not a database, but it is long enough to be taken for one" * 20)
    with pytest.raises(ValueError, match="data must be a steelyard database"):
        open_store(tmp_path / "x.db")
