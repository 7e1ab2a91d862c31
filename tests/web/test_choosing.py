"""Choices among several in a study: the best of four, an order of three; the log, undo, the pages."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable

import numpy as np
import pytest

from steelyard.dialogue import Past, pairs_of
from steelyard.studies.choosing import WrongChoice, comparisons, one_each, read_choice, write_choice
from steelyard.studies.decided import Asked
from steelyard.studies.events import Event, Rater
from steelyard.studies.open_study import OpenStudy

from .conftest import BOTH_STORES, client_of, headers

Opener = Callable[..., OpenStudy]
BEST = {"method": "preference-gp", "options": {"choose": 4}, "budget": 5}
ORDER = {"method": "preference-gp", "options": {"choose": 3, "ranking": True}, "budget": 5}


@pytest.mark.parametrize(
    ("text", "ranking", "ranks"),
    [
        ("3", False, [1, 1, 0, 1]),
        ("tie", False, [0, 0, 0, 0]),
        ("skip", True, [0, 0, 0, 0]),
        ("4>2>1>3", True, [2, 1, 3, 0]),
        ("4=2>1>3", True, [1, 0, 2, 0]),
        ("1=2=3=4", True, [0, 0, 0, 0]),
    ],
)
def test_a_choice_is_read_as_ranks_and_written_again(text: str, ranking: bool, ranks: list[int]) -> None:
    assert read_choice(text, 4, ranking) == ranks
    again = write_choice(ranks, ranking)
    assert read_choice(again, 4, ranking) == ranks


NO_ANSWERS = [("5", False), ("1>2", False), ("left", False), ("", False)]
NO_ORDERS = [("1>2>3", True), ("1>1>2>3", True), ("2", True), ("1>2>3>x", True)]


@pytest.mark.parametrize(("text", "ranking"), [*NO_ANSWERS, *NO_ORDERS])
def test_what_is_no_answer_is_refused(text: str, ranking: bool) -> None:
    with pytest.raises(WrongChoice, match="choice must be"):
        read_choice(text, 4, ranking)


def ask(opened: OpenStudy, rater: Rater) -> Asked:
    asked = opened.runs.question(rater)
    assert asked is not None
    assert asked.points is not None
    return asked


def by_size(asked: Asked) -> str:
    """The number of the largest; or all from the largest to the smallest."""
    order = np.argsort([-point[0] for point in asked.shown])
    return ">".join(str(i + 1) for i in order) if asked.ranking else str(order[0] + 1)


@BOTH_STORES
@pytest.mark.parametrize("how", [BEST, ORDER], ids=["best", "order"])
def test_a_run_of_choices_from_beginning_to_end(open_small: Opener, how: dict[str, object]) -> None:
    opened = open_small(**how)
    rater, _ = opened.add_rater("Ada")
    shown = []
    for number in range(5):
        asked = ask(opened, rater)
        assert sorted(asked.order) == list(range(len(asked.order)))
        assert opened.answer(rater, asked.id, by_size(asked))
        assert not opened.answer(rater, asked.id, "tie")  # sent again
        assert len(opened.run_state(rater).decisions) == number + 1
        shown.append(asked)
    state = opened.run_state(rater)
    assert state.finished
    kept = [json.loads(event.points) for event in opened.store.events(rater.run)]
    for asked, points in zip(shown, kept, strict=True):
        assert asked.points is not None
        np.testing.assert_array_equal(points["points"], asked.points)
        assert points["points"][points["ranks"].index(0)][0] == max(point[0] for point in points["points"])
    assert state.best[0] > state.start[0] + 0.2  # larger is what was chosen
    again = open_small(**how)  # another process reads the log
    np.testing.assert_array_equal(again.run_state(rater).best, state.best)
    result = again.result(rater)
    assert [row["choice"] for row in result["history"]] == [by_size(asked) for asked in shown]
    assert all(len(row["shown"]) == len(shown[0].order) for row in result["history"])


def test_the_method_is_told_what_was_chosen_and_that_looks_are_shared(open_small: Opener) -> None:
    opened = open_small(**BEST)
    rater, _ = opened.add_rater("Ada")
    for _ in range(2):
        asked = ask(opened, rater)
        opened.answer(rater, asked.id, by_size(asked))
    told: Past = opened.run_state(rater).told
    assert told.a.shape == (6, 2)
    assert (told.a[:, 0] >= told.b[:, 0]).all()
    assert told.answers.tolist() == [1] * 6
    assert told.looks is not None
    first, second = told.looks[:3], told.looks[3:]
    assert len(set(first[:, 0])) == 1  # the best is looked at once, and then each of the others
    assert sorted(first.ravel().tolist())[:1] == [0]
    assert set(first.ravel()) == {0, 1, 2, 3}
    assert set(second.ravel()) == {4, 5, 6, 7}


def test_a_choice_is_taken_back_and_nothing_is_thought_again(
    open_small: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = open_small(**BEST)
    rater, _ = opened.add_rater("Ada")
    first = ask(opened, rater)
    opened.answer(rater, first.id, "2")
    second = ask(opened, rater)
    opened.answer(rater, second.id, "tie")
    assert opened.runs.undo(rater, second.id)
    again = ask(opened, rater)
    np.testing.assert_array_equal(again.points, second.points)
    assert again.id != second.id
    opened.answer(rater, again.id, "1")
    third = ask(opened, rater)
    restarted = open_small(**BEST)
    monkeypatch.setattr(restarted.runs.thinker, "submit", None)  # would fail
    np.testing.assert_array_equal(ask(restarted, rater).points, third.points)


def test_pages_and_interface_without_scripts(open_small: Opener) -> None:
    opened = open_small(**{**BEST, "budget": 2})
    web = client_of(opened)
    _, token = opened.add_rater("Ada")
    page = web.get(f"/s/{token}").text
    assert page.count("<iframe") == 4
    for number in range(1, 5):
        assert f'value="{number}" aria-keyshortcuts="{number}"' in page
    question = page.split('name="question" value="')[1].split('"')[0]
    assert web.post(f"/s/{token}/answer", data={"question": question, "choice": "7"}).status_code == 422
    assert "1 of 2" in web.post(f"/s/{token}/answer", data={"question": question, "choice": "3"}).text
    state = web.get("/api/v1/question", headers=headers(token)).json()
    assert len(state["question"]["candidates"]) == 4
    wrong = web.post(
        "/api/v1/answer", json={"question": state["question"]["id"], "choice": "left"}, headers=headers(token)
    )
    assert wrong.status_code == 422
    assert "1 to 4" in wrong.json()["error"]
    sent = {"question": state["question"]["id"], "choice": "tie"}
    assert web.post("/api/v1/answer", json=sent, headers=headers(token)).json()["status"] == "finished"
    rows = list(csv.DictReader(io.StringIO(web.get(f"/s/{token}/result.csv").text)))
    assert [row["choice"] for row in rows] == ["3", "tie"]
    assert float(rows[0]["shown4.size"]) >= 8
    organiser = f"/o/{opened.store.add_token('organiser')}"
    rows = list(csv.DictReader(io.StringIO(web.get(f"{organiser}/answers.csv").text)))
    assert [row["choice"] for row in rows] == ["3", "tie"]
    assert float(rows[1]["shown1.warmth"]) >= 0
    assert "2 answers by 1 person" in web.get(organiser).text
    assert "Your 2 answers" in web.get(f"/s/{token}/result").text


def test_an_order_comes_as_places_without_scripts(open_small: Opener) -> None:
    opened = open_small(**ORDER)
    web = client_of(opened)
    rater, token = opened.add_rater("Ada")
    page = web.get(f"/s/{token}").text
    assert page.count("<select") == 3
    question = page.split('name="question" value="')[1].split('"')[0]
    link = f"/s/{token}/answer"
    missing = {"question": question, "choice": "order", "place.1": "1", "place.2": ""}
    assert web.post(link, data=missing).status_code == 422
    places = {"question": question, "choice": "order", "place.1": "2", "place.2": "1", "place.3": "2"}
    assert "1 of 5" in web.post(link, data=places).text
    assert opened.result(rater)["history"][0]["choice"] == "2>1=3"


def test_choices_need_runs_of_their_own(open_small: Opener) -> None:
    with pytest.raises(ValueError, match="run of their own"):
        open_small(**{**BEST, "raters": {"mode": "shared"}})


def chosen(number: int, ranks: list[int], ranking: bool) -> Event:
    points = {"points": [[0.1], [0.2], [0.3], [0.4]], "order": [3, 1, 0, 2], "ranks": ranks, "ranking": ranking}
    return Event(1, 1, "answer", f"{number}-0-0-abc", ranks.index(0) + 1, points=json.dumps(points))


def test_what_a_choice_says_as_comparisons() -> None:
    a, b, signs = comparisons([chosen(0, [1, 0, 1, 1], False), chosen(1, [3, 2, 1, 0], True)], 1)
    assert np.hstack([a, b]).tolist() == [[0.2, 0.1], [0.2, 0.3], [0.2, 0.4], [0.4, 0.3], [0.3, 0.2], [0.2, 0.1]]
    assert signs.tolist() == [1.0] * 6
    old = Event(1, 1, "answer", "0-0-0-x", -1, points=json.dumps({"a": [0.5], "b": [0.6], "x": [0.5]}))
    a, b, signs = comparisons([old], 1)
    assert (a.tolist(), b.tolist(), signs.tolist()) == ([[0.5]], [[0.6]], [-1.0])


def test_random_choices_look_like_chance() -> None:
    rng = np.random.default_rng(0)
    events = []
    for number in range(2000):
        best = int(rng.integers(4))
        events.append(chosen(number, [int(i != best) for i in range(4)], False))
    a, b, signs, _ = one_each(events, 1)
    assert len(signs) == 2000  # one each: the other pairs of a choice are not independent
    assert abs(signs.mean()) < 0.07
    for low, high in ((0.1, 0.2), (0.1, 0.4), (0.3, 0.4)):
        some = (a[:, 0] == low) & (b[:, 0] == high)
        assert abs(signs[some].mean()) < 0.17


def test_the_pairs_of_an_answer_are_those_it_stands_for() -> None:
    first, second, signs = pairs_of(np.array([1, 0, 1]), ranking=False)
    assert (first.tolist(), second.tolist(), signs.tolist()) == ([1, 1], [0, 2], [1, 1])
    first, second, signs = pairs_of(np.array([0, 2, 1, 1]), ranking=True)
    assert (first.tolist(), second.tolist(), signs.tolist()) == ([0, 2, 3], [2, 3, 1], [1, 0, 1])
