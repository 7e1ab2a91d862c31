"""What the organiser can do, and what people from panels go through."""

from __future__ import annotations

import csv
import io
import json
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from string import Formatter

import pytest
from starlette.testclient import TestClient

from steelyard.studies.events import Event, Rater
from steelyard.studies.open_study import SEEN, NotAllowed, OpenStudy
from steelyard.studies.overview import Overview
from steelyard.studies.study import LANGUAGES
from steelyard.studies.wording import FOLDER, Messages, built_in

from .conftest import BOTH_STORES, client_of

Opener = Callable[..., OpenStudy]


def give(opened: OpenStudy, rater: Rater, count: int) -> None:
    for _ in range(count):
        asked = opened.runs.question(rater)
        assert asked is not None
        opened.answer(rater, asked.id, "left" if asked.left[0] > asked.right[0] else "right")


@pytest.fixture
def link(opened: OpenStudy) -> str:
    return f"/o/{opened.store.add_token('organiser')}"


def test_a_study_is_paused_ended_and_opened_again(opened: OpenStudy, web: TestClient, link: str) -> None:
    rater, token = opened.add_rater("Ada")
    give(opened, rater, 2)
    for act, says in (("pause", "paused"), ("end", "has ended")):
        web.post(link, data={"act": act})
        closed = web.get(f"/s/{token}")
        assert closed.status_code == 403
        assert says in closed.text
        api = web.get("/api/v1/question", headers={"authorization": f"Bearer {token}"})
        asked = api.json()["question"]["id"]
        refused = web.post(
            "/api/v1/answer", json={"question": asked, "choice": "left"}, headers={"authorization": f"Bearer {token}"}
        )
        assert refused.status_code == 403
    web.post(link, data={"act": "reopen"})
    assert "2 of 12" in web.get(f"/s/{token}").text


def test_people_are_renamed_left_out_and_their_links_revoked(opened: OpenStudy, web: TestClient, link: str) -> None:
    ada, token = opened.add_rater("Ada")
    ben, _ = opened.add_rater("Ben")
    for rater in (ada, ben):
        give(opened, rater, 6)
    web.post(link, data={"act": "rename", "rater": str(ada.id), "name": "Grace"})
    web.post(link, data={"act": "exclude", "rater": str(ben.id)})
    page = web.get(link).text
    assert "Grace" in page
    assert "left out" in page
    assert [row["name"] for row in opened.results()["raters"]] == ["Ada"]
    assert len(opened.store.events(ben.run)) == 6  # kept in the log
    web.post(link, data={"act": "include", "rater": str(ben.id)})
    assert len(opened.results()["raters"]) == 2
    web.post(link, data={"act": "revoke", "rater": str(ada.id)})
    assert web.get(f"/s/{token}").status_code == 401
    made = web.post(link, data={"act": "link", "rater": str(ada.id)}).text
    again = made.split("http://testserver")[1].split("<")[0]
    assert "6 of 12" in web.get(again).text
    assert web.post(link, data={"act": "exclude", "rater": "99"}).status_code == 422


@BOTH_STORES
def test_what_another_server_was_told_holds_here_soon(open_small: Opener) -> None:
    one, other = open_small(), open_small()
    rater, token = one.add_rater("Ada")
    for opened in (one, other):
        assert opened.rater(token, "here") == rater
    one.control.act("revoke", rater.id)
    with pytest.raises(NotAllowed, match="not known"):
        one.rater(token, "here")
    time.sleep(SEEN)
    with pytest.raises(NotAllowed, match="not known"):
        other.rater(token, "here")


def test_join_links_are_revoked_and_people_limited(open_small: Opener) -> None:
    opened = open_small(limits={"people": 2, "answers": 3})
    web = client_of(opened)
    link = f"/o/{opened.store.add_token('organiser')}"
    join = f"/join/{opened.store.add_token('join')}"
    assert "/s/" in str(web.post(join, data={"name": "Ada"}).url)
    assert "/s/" in str(web.post(join, data={"name": "Ben"}).url)
    assert "all the people it needs" in web.post(join, data={"name": "Cleo"}).text
    web.post(link, data={"act": "revoke-join"})
    assert web.get(join).status_code == 401
    rater = opened.store.raters()[0]
    give(opened, rater, 3)
    with pytest.raises(Exception, match="all the answers"):
        give(opened, rater, 1)


def test_links_expire(open_small: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = open_small(limits={"link_days": 7})
    web = client_of(opened)
    _, token = opened.add_rater("Ada")
    organiser = opened.store.add_token("organiser")
    assert web.get(f"/s/{token}").status_code == 200
    now = time.time()
    monkeypatch.setattr("steelyard.studies.open_study.time.time", lambda: now + 8 * 86400)
    assert web.get(f"/s/{token}").status_code == 401
    assert web.get(f"/o/{organiser}").status_code == 200


PANEL = {
    "consent": {"text": "We keep your answers.\n\nNothing else."},
    "before": [
        {"name": "age", "label": "Your age", "type": "number", "low": 18, "high": 120},
        {"name": "hearing", "label": "How well do you hear?", "type": "choice", "choices": ["well", "badly"]},
    ],
    "after": [{"name": "remarks", "label": "Anything else?", "required": False}],
    "panel": {"participant": "PID", "code": "C0DE", "url": "https://panel.example/done?cc={code}&pid={participant}"},
    "checks": 0,
    "budget": 2,
}


def test_a_person_from_a_panel(open_small: Opener) -> None:
    opened = open_small(**PANEL)
    web = client_of(opened)
    join = f"/join/{opened.store.add_token('join')}"
    assert 'value="p 17"' in web.get(f"{join}?PID=p%2017").text
    page = web.post(join, data={"participant": "p 17"})
    link = str(page.url).replace("http://testserver", "")
    assert "Nothing else." in page.text
    assert "tick the box" in web.post(f"{link}/consent", data={}).text
    page = web.post(f"{link}/consent", data={"agree": "yes"})
    assert "Your age" in page.text
    wrong = web.post(f"{link}/before", data={"q.age": "12", "q.hearing": "well"})
    assert wrong.status_code == 422
    assert "check your answer to: Your age" in wrong.text
    page = web.post(f"{link}/before", data={"q.age": "42", "q.hearing": "well"})
    assert "0 of 2" in page.text
    rater = opened.store.raters()[0]
    give(opened, rater, 2)
    page = web.get(link)
    assert "Anything else?" in page.text
    page = web.post(f"{link}/after", data={"q.remarks": ""})
    assert "C0DE" in page.text
    assert "https://panel.example/done?cc=C0DE&amp;pid=p%2017" in page.text
    assert opened.told(rater)["before"] == {"age": 42.0, "hearing": "well"}
    again = web.post(join, data={"participant": "p 17"})  # the same person comes again
    assert len(opened.store.raters()) == 1
    assert "C0DE" in again.text
    rows = list(csv.DictReader(io.StringIO(web.get(f"/o/{opened.store.add_token('organiser')}/answers.csv").text)))
    assert {row["participant"] for row in rows} == {"p 17"}
    assert json.loads(next(row["text"] for row in rows if row["question"] == "before")) == {
        "age": 42.0,
        "hearing": "well",
    }


def test_all_answers_as_one_table(opened: OpenStudy, web: TestClient, link: str, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    rater, _ = opened.add_rater("=Ada")
    give(opened, rater, 3)
    last = opened.run_state(rater).undoable(rater.id)
    assert last is not None
    opened.runs.undo(rater, last.question)
    rows = list(csv.DictReader(io.StringIO(web.get(f"{link}/answers.csv").text)))
    assert [row["kind"] for row in rows] == ["answer", "answer", "answer", "undo"]
    assert [row["undone"] for row in rows] == ["False", "False", "True", "False"]
    assert rows[0]["name"] == "'=Ada"
    assert float(rows[0]["left.size"]) >= 8
    file = tmp_path / "answers.parquet"
    file.write_bytes(web.get(f"{link}/answers.parquet").content)
    assert parquet.read_table(file).num_rows == 4


def test_a_thousand_raters_in_pages(opened: OpenStudy, web: TestClient, link: str) -> None:
    def work(execute):  # type: ignore[no-untyped-def]
        for number in range(1, 121):
            execute("insert into runs (seed, created) values (?, 0)", number)
            execute("insert into raters (name, run, created) values (?, ?, 0)", f"r{number}", number)

    opened.store.database.write(work)
    for number in (1, 60):
        points = json.dumps({"a": [0.1, 0.2], "b": [0.3, 0.4], "x": [0.5, 0.5]})
        opened.store.append(Event(number, number, "answer", "0-0-0-00000000", 1, points=points, at=100.0))
    first, second = web.get(link).text, web.get(f"{link}?page=2").text
    assert "Page 1 of 3" in first
    assert ">r50<" in first
    assert ">r51<" not in first
    assert ">r60<" in second
    assert "2 answers by 120 people" in first


def test_what_the_overview_counts(opened: OpenStudy) -> None:
    rater, _ = opened.add_rater("Ada")
    give(opened, rater, 5)
    row = opened.overview.page(1)["rows"][0]
    assert (row["answers"], row["ties"], row["state"]) == (5, 0, "answering")
    assert row["left"] == pytest.approx(
        sum((e.value > 0) != e.flipped for e in opened.store.events(rater.run)) / 5, abs=0.01
    )
    version = opened.overview.version
    assert opened.overview.refresh() == version
    give(opened, rater, 1)
    assert opened.overview.refresh() == version + 1
    opened.control.act("pause")
    assert opened.control.refresh().status == "paused"  # read by somebody else
    assert opened.overview.refresh() == version + 2
    fresh = Overview(opened.study, opened.store, opened.control).page(1)
    assert fresh["rows"][0]["answers"] == 6  # the same from the log alone


def test_every_language_has_every_message() -> None:
    english = built_in("en")
    for language in LANGUAGES:
        own = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
        assert own.keys() == english.keys(), language
        for name, text in own.items():
            fields = {field for _, field, _, _ in Formatter().parse(text) if field}
            assert fields == {field for _, field, _, _ in Formatter().parse(english[name]) if field}, (language, name)


def test_a_study_speaks_its_language_with_its_own_words(open_small: Opener) -> None:
    opened = open_small(language="de", messages={"cannot_tell": "Keine Ahnung"})
    page = client_of(opened).get(f"/s/{opened.add_rater('Ada')[1]}").text
    assert '<html lang="de">' in page
    assert "A ist besser" in page
    assert "Keine Ahnung" in page
    with pytest.raises(ValueError, match="nonsense"):
        Messages("en", {"nonsense": "x"})
    with pytest.raises(ValueError, match="language must be one of"):
        open_small("other.db", language="tlh")
