"""Several people: own runs, one shared run, and how far they agree."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

from steelyard.studies.agreement import Pairs, agreement, agreement_table, bradley_terry, favourite
from steelyard.studies.open_study import OpenStudy
from steelyard.studies.positions import Live, Positions
from steelyard.studies.runs import SHORT_LEASE, Refused, StaleQuestion

from .conftest import BOTH_STORES, client_of

Opener = Callable[..., OpenStudy]
SHARED = {"mode": "shared", "votes": 3}


def pairs_of(peak: list[float], n: int, seed: int, noise: float = 0.0) -> Pairs:
    """Answers of somebody who likes what is near `peak`."""
    rng = np.random.default_rng(seed)
    a, b = rng.random((n, len(peak))), rng.random((n, len(peak)))
    better = ((b - peak) ** 2).sum(1) - ((a - peak) ** 2).sum(1) + noise * rng.logistic(size=n)
    return Pairs(a, b, np.sign(better))


def test_the_model_finds_the_favourite() -> None:
    model = bradley_terry(pairs_of([0.3, 0.7], 300, 0))
    np.testing.assert_allclose(favourite(model, 2), [0.3, 0.7], atol=0.05)


def test_like_minded_raters_agree_and_opposite_ones_do_not() -> None:
    table = agreement_table([pairs_of([0.2, 0.2], 80, 1), pairs_of([0.2, 0.25], 80, 2), pairs_of([0.9, 0.9], 80, 3)])
    assert table[0][1] is not None
    assert table[0][2] is not None
    assert table[0][1] > 0.9
    assert table[0][2] < 0.4


def test_random_answers_agree_by_chance_only() -> None:
    model = bradley_terry(pairs_of([0.5, 0.5], 200, 4))
    share = agreement(model, pairs_of([0.5, 0.5], 400, 5, noise=1e6))
    assert share is not None
    assert 0.4 < share < 0.6


def test_too_few_answers_are_not_judged() -> None:
    few = pairs_of([0.5], 3, 6)
    assert agreement_table([few, pairs_of([0.5], 50, 7)])[0] == [None, None]
    assert agreement(np.zeros(2), few) is None


@BOTH_STORES
def test_a_shared_question_is_decided_by_its_votes(open_small: Opener) -> None:
    opened = open_small(raters=SHARED)
    people = [opened.add_rater(name)[0] for name in "ABCD"]
    assert len({rater.run for rater in people}) == 1
    asked = [opened.runs.question(rater) for rater in people]
    assert asked[3] is None  # three are at it, and three are enough
    for rater, question, better_first in zip(people[:2], asked, (True, False), strict=False):
        assert question is not None
        opened.runs.answer(rater, question.id, "left" if better_first != question.flipped else "right")
        assert opened.runs.question(rater) is None  # waits for the others
        assert opened.run_state(rater).decisions == []
    assert asked[2] is not None
    opened.runs.answer(people[2], asked[2].id, "right" if asked[2].flipped else "left")
    decisions = opened.run_state(people[0]).decisions
    assert [decision.value for decision in decisions] == [1]  # two of three
    assert opened.runs.question(people[3]) is not None


@BOTH_STORES
def test_undo_in_a_shared_run_takes_nothing_from_others(open_small: Opener) -> None:
    opened = open_small(raters={"mode": "shared", "votes": 2})
    a, b = (opened.add_rater(name)[0] for name in "AB")
    first, second = opened.runs.question(a), opened.runs.question(b)
    assert first is not None
    assert second is not None
    opened.runs.answer(a, first.id, "left")
    assert opened.runs.undo(a, first.id)  # nobody has built on it
    assert opened.run_state(a).votes_on(first.id) == 0
    again = opened.runs.question(a)
    assert again is not None
    opened.runs.answer(a, again.id, "tie")
    opened.runs.answer(b, second.id, "tie")
    assert len(opened.run_state(a).decisions) == 1
    with pytest.raises(StaleQuestion):
        opened.runs.undo(a, again.id)  # decided with b's vote
    assert opened.runs.undo(b, second.id)  # b's own was the last
    assert opened.run_state(a).decisions == []
    assert opened.run_state(a).votes_on(first.id) == 1
    with pytest.raises(Refused, match="only the organiser"):
        opened.runs.finish(a)


@BOTH_STORES
def test_a_vote_that_comes_too_late_is_kept_but_not_counted(open_small: Opener) -> None:
    opened = open_small(raters={"mode": "shared", "votes": 1})
    other = open_small(raters={"mode": "shared", "votes": 1})  # a second process on the same log
    a, b = (opened.add_rater(name)[0] for name in "AB")
    asked = opened.run_state(b).open_questions(b.id)[0]
    first = other.runs.question(a)
    assert first is not None
    other.runs.answer(a, first.id, "left")
    opened.store.append(opened.store.events(a.run)[0].__class__(b.run, b.id, "answer", asked.id, -1, points="{}"))
    progress = opened.run_state(b)
    assert (len(progress.decisions), progress.surplus) == (1, 1)


def test_the_organiser_invites_and_reads(open_small: Opener) -> None:
    opened = open_small(options={"step": 0.2})
    web = client_of(opened)
    link = f"/o/{opened.store.add_token('organiser')}"
    page = web.post(link, data={"kind": "names", "names": "Ada\nBen\n"}).text
    assert "copy them now" in page
    ada = page.split("http://testserver")[1].split("<")[0]
    assert web.get(ada).status_code == 200
    join = web.post(link, data={"kind": "join"}).text.split("http://testserver")[1].split("<")[0]
    assert "Begin" in web.get(join).text
    joined = web.post(join, data={"name": "Cleo"})
    assert "/s/" in str(joined.url)
    assert [r.name for r in opened.store.raters()] == ["Ada", "Ben", "Cleo"]
    for rater in opened.store.raters():
        for _ in range(12):
            asked = opened.runs.question(rater)
            assert asked is not None
            larger = asked.left.sum() > asked.right.sum()
            opened.runs.answer(rater, asked.id, "left" if larger else "right")
    results = web.get(f"{link}/results.json").json()
    assert results["agreement"]["mean"] > 0.8
    assert results["pooled"]["answers"] == 36
    page = web.get(link).text
    assert "A model of all answers predicts" in page
    assert web.get(link.replace("/o/", "/s/")).status_code == 403


@BOTH_STORES
def test_the_open_questions_of_a_batch_are_distributed(open_small: Opener) -> None:
    opened = open_small(method="preference-gp", options={"batch": 2}, raters={"mode": "shared"})
    a, b, c = (opened.add_rater(name)[0] for name in "ABC")
    first, second = opened.runs.question(a), opened.runs.question(b)
    assert first is not None
    assert second is not None
    assert {first.row, second.row} == {0, 1}
    third = opened.runs.question(c)
    assert third is not None
    assert {third.row} == {2}  # one more is thought of for whoever comes
    opened.runs.answer(b, second.id, "left")
    opened.runs.answer(a, first.id, "right")
    assert [decision.rater for decision in opened.run_state(c).decisions] == [str(b.id), str(a.id)]
    assert set(opened.run_state(c).told.raters) == {str(a.id), str(b.id)}  # the method is told who said what
    assert opened.runs.question(c) is not None
    table = opened.results(details=True)
    assert [row["answers"] for row in table["raters"]] == [1, 1, 0]
    assert len(table["runs"]) == 1


@BOTH_STORES
def test_everybody_present_has_a_question_of_their_own_whichever_server_they_ask(open_small: Opener) -> None:
    one, other = (open_small(method="preference-gp", options={}, raters={"mode": "shared"}) for _ in range(2))
    people = [one.add_rater(name)[0] for name in "ABCD"]
    asked = {}
    for i, rater in enumerate(people):
        question = (one, other)[i % 2].runs.question(rater)
        assert question is not None
        asked[rater] = question
        again = (other, one)[i % 2].runs.question(rater)  # the next request may go to the other server
        assert again is not None
        assert again.id == question.id
    points = np.array([[question.a, question.b] for question in asked.values()])
    apart = np.abs(points[:, None] - points[None]).sum(axis=(2, 3))
    assert (apart[~np.eye(4, dtype=bool)] > 1e-3).all()
    for i, (rater, question) in enumerate(reversed(asked.items())):
        assert (one, other)[i % 2].runs.answer(rater, question.id, "left")
    assert len(one.run_state(people[0]).decisions) == len(other.run_state(people[0]).decisions) == 4
    assert one.run_state(people[0]).surplus == 0


@BOTH_STORES
def test_who_comes_after_an_answer_finds_a_question_of_their_own(
    open_small: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of three questions one is answered and one is new: a further one must not be taken for that one."""
    opened = open_small(method="preference-gp", options={}, raters={"mode": "shared"})
    people = [opened.add_rater(name)[0] for name in "ABCDE"]
    for rater in people[:3]:
        assert opened.runs.question(rater) is not None
    first = opened.runs.question(people[0])
    assert first is not None
    assert opened.runs.answer(people[0], first.id, "left")
    extend, extended = Positions.extend, 0

    def counted(self: Positions, live: Live, questions: int) -> bool:
        nonlocal extended
        extended += 1
        assert extended <= 3, "the same questions are thought of again and again"
        return extend(self, live, questions)

    monkeypatch.setattr(Positions, "extend", counted)
    asked = [opened.runs.question(rater) for rater in people]
    assert len({question.id for question in asked if question is not None}) == 5


def test_where_the_method_has_one_question_nobody_waits_for_long(
    open_small: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = open_small(raters={"mode": "shared"})
    a, b = (opened.add_rater(name)[0] for name in "AB")
    first = opened.runs.question(a)
    assert first is not None
    assert opened.runs.question(b) is None  # one is enough
    now = time.time() + SHORT_LEASE
    monkeypatch.setattr("steelyard.studies.store.time.time", lambda: now)
    same = opened.runs.question(b)
    assert same is not None
    np.testing.assert_array_equal(same.a, first.a)
    opened.runs.answer(b, same.id, "left")
    with pytest.raises(StaleQuestion):
        opened.runs.answer(a, first.id, "right")
    assert opened.runs.question(a) is not None


def test_in_a_shared_run_there_is_a_question_to_spare(open_small: Opener) -> None:
    opened = open_small(method="preference-gp", options={}, raters={"mode": "shared"})
    opened.runs.ahead = True  # without processes: what is thought ahead is thought at once
    a, b = (opened.add_rater(name)[0] for name in "AB")
    first = opened.runs.question(a)
    state = opened.run_state(a)
    assert len(state.undecided) == 2
    second = opened.runs.question(b)
    assert first is not None
    assert second is not None
    assert first.id.split("-")[:2] == ["0", "0"]
    assert second.id.split("-")[:2] == ["0", "1"]
    assert opened.runs.answer(a, first.id, "left")
    third = opened.runs.question(a)
    assert third is not None
    assert third.id.split("-")[:2] != ["0", "1"]


def test_in_a_shared_run_everybody_downloads_their_own_answers(open_small: Opener) -> None:
    opened = open_small(raters={"mode": "shared"})
    web = client_of(opened)
    people = [opened.add_rater(name) for name in ("Ada", "Ben")]
    for rater, _ in (*people, people[0]):
        asked = opened.runs.question(rater)
        assert asked is not None
        opened.answer(rater, asked.id, "left")
    for (rater, token), count in zip(people, (2, 1), strict=True):
        mine = web.get(f"/s/{token}/result.json").json()["history"]
        assert [row["rater"] for row in mine] == [rater.name] * count
        table = web.get(f"/s/{token}/result.csv").text
        assert table.count(rater.name) == count
        assert all(other.name not in table for other, _ in people if other is not rater)
