"""Answering: nothing counts twice, nothing is lost, everything can be taken back, and replay gives the same run."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steelyard.errors import ReplayError
from steelyard.studies.events import Event, Rater
from steelyard.studies.open_study import OpenStudy
from steelyard.studies.replaying import Replay
from steelyard.studies.run_state import RunState
from steelyard.studies.runs import Choice, StaleQuestion

from .conftest import BOTH_STORES

pytestmark = BOTH_STORES

Opener = Callable[..., OpenStudy]


def give(opened: OpenStudy, rater: Rater, *choices: Choice) -> list[str]:
    """Answer the open questions one after another; returns their ids."""
    ids = []
    for choice in choices:
        asked = opened.runs.question(rater)
        assert asked is not None
        assert opened.runs.answer(rater, asked.id, choice)
        ids.append(asked.id)
    return ids


def test_an_answer_sent_twice_counts_once(opened: OpenStudy) -> None:
    rater, _ = opened.add_rater("Ada")
    (first,) = give(opened, rater, "left")
    assert not opened.runs.answer(rater, first, "left")
    assert not opened.runs.answer(rater, first, "right")  # the first one stands
    assert len(opened.run_state(rater).live) == 1
    with pytest.raises(StaleQuestion):
        opened.runs.answer(rater, "5-0-0-00000000", "left")


def test_ten_threads_with_the_same_answer_count_once(opened: OpenStudy) -> None:
    rater, _ = opened.add_rater("Ada")
    asked = opened.runs.question(rater)
    assert asked is not None
    new: list[bool] = []
    threads = [
        threading.Thread(target=lambda: new.append(opened.runs.answer(rater, asked.id, "left"))) for _ in range(10)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(new) == [False] * 9 + [True]
    assert len(opened.store.events(rater.run)) == 1


def test_sides_are_shuffled_recorded_and_stable(opened: OpenStudy) -> None:
    rater, _ = opened.add_rater("Ada")
    sides = []
    for _ in range(12):
        asked, again = opened.runs.question(rater), opened.runs.question(rater)
        assert asked is not None
        assert again is not None
        assert asked.flipped == again.flipped
        give(opened, rater, "left")
        sides.append(asked.flipped)
        event = opened.store.events(rater.run)[-1]
        assert event.flipped == asked.flipped
        assert event.value == (-1 if asked.flipped else 1)  # left was chosen; the value is about the method's first
    assert 0 < sum(sides) < 12


def test_undo_takes_back_all_the_way_and_late_answers_do_not_return(opened: OpenStudy) -> None:
    rater, _ = opened.add_rater("Ada")
    begin = opened.runs.question(rater)
    ids = give(opened, rater, "left", "right", "tie")
    for id_ in reversed(ids):
        assert opened.runs.undo(rater, id_)
        assert not opened.runs.undo(rater, id_)
    assert opened.run_state(rater).undoable(rater.id) is None
    now = opened.runs.question(rater)
    assert begin is not None
    assert now is not None
    np.testing.assert_array_equal(now.a, begin.a)
    assert now.id != begin.id
    assert not opened.runs.answer(rater, begin.id, "left")  # known, undone: ignored
    assert opened.run_state(rater).decisions == []


def test_undo_then_the_same_answers_give_the_same_run(open_small: Opener) -> None:
    choices: list[Choice] = ["left", "right", "left", "tie", "right", "right"]
    plain, crooked = open_small("plain.db"), open_small("crooked.db")
    a, b = plain.add_rater("A")[0], crooked.add_rater("A")[0]
    for choice in choices:
        value = {"left": 1, "right": -1, "tie": 0}[choice]
        for opened, rater, wrong_first in ((plain, a, False), (crooked, b, True)):
            if wrong_first:
                (id_,) = give(opened, rater, "right")
                opened.runs.undo(rater, id_)
            asked = opened.runs.question(rater)
            assert asked is not None
            same = "tie" if value == 0 else "left" if (value > 0) != asked.flipped else "right"
            give(opened, rater, same)
    np.testing.assert_array_equal(plain.run_state(a).best, crooked.run_state(b).best)


def test_in_the_middle_of_a_batch_another_process_knows_the_same_recommendations(open_small: Opener) -> None:
    changes: dict[str, Any] = {"method": "signopt", "options": {"m": 4}, "budget": 40}
    first = open_small(**changes)
    rater, _ = first.add_rater("Ada")
    choices: list[Choice] = ["left", "right", "left"]
    give(first, rater, *(choices * 5))
    while len(first.run_state(rater).undecided) != 2:  # two rows of the open batch are answered
        give(first, rater, "left")
    here, there = first.run_state(rater), open_small(**changes).run_state(rater)
    assert not np.array_equal(here.best, here.start)
    assert [decision.x.tolist() for decision in there.decisions] == [decision.x.tolist() for decision in here.decisions]


@pytest.mark.parametrize("ahead", [False, True])
def test_a_second_process_sees_the_same_run(open_small: Opener, ahead: bool) -> None:
    first = open_small(ahead=ahead)
    rater, _ = first.add_rater("Ada")
    ids = give(first, rater, "left", "right", "tie", "left")
    first.runs.undo(rater, ids[-1])
    second = open_small()  # the same database, opened again
    one, other = first.run_state(rater), second.run_state(rater)
    np.testing.assert_array_equal(one.best, other.best)
    assert [d.value for d in one.decisions] == [d.value for d in other.decisions]
    asked = second.runs.question(rater)
    assert asked is not None
    give(second, rater, "right")
    assert not first.runs.answer(rater, asked.id, "left")  # the first process had not seen it yet
    np.testing.assert_array_equal(first.run_state(rater).best, second.run_state(rater).best)


def test_thinking_ahead_changes_nothing(open_small: Opener) -> None:
    quick, slow = (open_small(name, method="preference-gp", options={}) for name in ("quick.db", "slow.db"))
    quick.runs.ahead = True  # without processes: what is thought ahead is thought at once, before each answer
    a, b = quick.add_rater("A")[0], slow.add_rater("A")[0]
    choices: list[Choice] = ["left", "right", "tie", "left"]
    for choice in choices:
        quick.runs.question(a)
        live = quick.runs.live(a.run)
        assert len(live.ahead) == 2
        assert live.state.certain_at == len(live.state.decisions)
        assert give(quick, a, choice) == give(slow, b, choice)
    id_ = give(quick, a, "left")[0]
    quick.runs.undo(a, id_)
    np.testing.assert_array_equal(quick.run_state(a).best, slow.run_state(b).best)
    now, then = quick.runs.question(a), slow.runs.question(b)
    assert now is not None
    assert then is not None
    np.testing.assert_array_equal(now.a, then.a)


def test_nothing_is_thought_again_after_a_restart(open_small: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    first = open_small(method="preference-gp", options={})
    rater, _ = first.add_rater("Ada")
    ids = give(first, rater, "left", "right", "tie", "left")
    first.runs.undo(rater, ids[-1])
    shown, certainty = first.runs.question(rater), first.runs.certainty(rater)
    second = open_small(method="preference-gp", options={})

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("thought again")

    monkeypatch.setattr(second.runs.thinker, "submit", fail)
    again = second.runs.question(rater)
    assert shown is not None
    assert again is not None
    assert again.id == shown.id
    np.testing.assert_array_equal(again.a, shown.a)
    known = second.runs.certainty(rater)
    assert certainty is not None
    assert known is not None
    assert (known.missing, known.gain) == (certainty.missing, certainty.gain)
    one, other = first.run_state(rater), second.run_state(rater)
    np.testing.assert_array_equal(one.best, other.best)
    for mine, theirs in zip(one.decisions, other.decisions, strict=True):
        np.testing.assert_array_equal(mine.x, theirs.x)  # what was recommended on the way is in the log


def test_thoughts_that_are_lost_are_thought_again_from_the_answers(open_small: Opener) -> None:
    first = open_small(method="preference-gp", options={})
    rater, _ = first.add_rater("Ada")
    give(first, rater, "left", "right", "left", "left")
    first.store.database.write(lambda execute: execute("delete from thoughts"))
    second, third = (open_small(method="preference-gp", options={}) for _ in range(2))
    asked, same = second.runs.question(rater), third.runs.question(rater)
    assert asked is not None
    assert same is not None
    assert asked.id == same.id  # whoever thought first decides for all
    np.testing.assert_allclose(second.run_state(rater).best, first.run_state(rater).best, atol=0.35)
    give(third, rater, "left")
    assert len(second.run_state(rater).decisions) == 5


def test_the_budget_ends_a_run_and_more_goes_on(opened: OpenStudy) -> None:
    rater, _ = opened.add_rater("Ada")
    give(opened, rater, *["left"] * 12)
    assert opened.run_state(rater).finished
    assert opened.runs.question(rater) is None
    assert opened.runs.more(rater, 5)
    assert not opened.runs.more(rater, 5)  # not finished now
    give(opened, rater, *["right"] * 5)
    assert opened.run_state(rater).finished
    assert opened.runs.live(rater.run).state.budget == 17


def test_finishing_early_can_be_undone_by_going_on(opened: OpenStudy) -> None:
    rater, _ = opened.add_rater("Ada")
    give(opened, rater, "left", "left")
    assert opened.runs.finish(rater)
    assert not opened.runs.finish(rater)
    assert opened.runs.question(rater) is None
    assert opened.runs.more(rater, 10)
    assert opened.run_state(rater).budget == 12
    give(opened, rater, "left")


def test_the_blind_check_is_about_the_present_result(opened: OpenStudy) -> None:
    rater, _ = opened.add_rater("Ada")
    give(opened, rater, *["left"] * 6, *["right"] * 6)
    result = opened.run_state(rater)
    assert not np.array_equal(result.best, result.start)
    while (state := opened.check_state(rater))["status"] == "asking":
        asked = result.check_questions(rater.id)[0]
        assert state["question"]["id"] == asked.id
        assert opened.runs.check(rater, asked.id, "right" if asked.flipped else "left")
        assert not opened.runs.check(rater, state["question"]["id"], "left")
    assert opened.check_state(rater)["status"] == "finished"
    check = opened.result(rater)["check"]
    assert (check["asked"], check["result"], check["start"]) == (3, 3, 0)
    assert check["probability"] == pytest.approx(1 - 0.5**4)
    opened.runs.more(rater, 2)
    assert opened.check_state(rater)["status"] == "waiting"


def test_a_changed_study_is_refused(open_small: Opener) -> None:
    give(open_small(), open_small().add_rater("Ada")[0], "left")
    with pytest.raises(ValueError, match="must not change"):
        open_small(seed=8)
    assert open_small(question="Other words?") is not None


def test_a_log_of_another_method_fails_loudly(open_small: Opener) -> None:
    opened = open_small()
    rater, _ = opened.add_rater("Ada")
    give(opened, rater, "left", "right")
    other = replace(opened.study, options={"step": 0.31})
    seed = opened.store.seed_of(rater.run)
    state = RunState(other, seed)
    for event in opened.store.events(rater.run):
        state.apply(event)
    with pytest.raises(ReplayError, match="a different question"):
        Replay(other, seed).position(state)


def test_what_another_process_wrote_is_not_skipped(open_small: Opener) -> None:
    one, other = (open_small(raters={"mode": "shared", "votes": 2}) for _ in range(2))
    a, b = (one.add_rater(name)[0] for name in "AB")
    mine, theirs = one.runs.question(a), other.runs.question(b)
    assert mine is not None
    assert theirs is not None
    append = one.store.append

    def late(*arguments: Any, **options: Any) -> Event:
        one.store.append = append  # type: ignore[method-assign]
        other.runs.answer(b, theirs.id, "left")  # between this process's last look at the log and its commit
        return append(*arguments, **options)

    one.store.append = late  # type: ignore[method-assign]
    assert one.runs.answer(a, mine.id, "left")
    assert len(one.run_state(a).live) == 2
    assert len(one.run_state(a).decisions) == len(other.run_state(a).decisions) == 1


def test_an_answer_to_what_another_process_took_back_is_refused(open_small: Opener) -> None:
    one, other = open_small(), open_small()
    rater, _ = one.add_rater("Ada")
    (first,) = give(one, rater, "left")
    second = one.runs.question(rater)
    assert second is not None
    append = one.store.append

    def late(*arguments: Any, **options: Any) -> Event:
        one.store.append = append  # type: ignore[method-assign]
        other.runs.undo(rater, first)
        return append(*arguments, **options)

    one.store.append = late  # type: ignore[method-assign]
    with pytest.raises(StaleQuestion):
        one.runs.answer(rater, second.id, "left")
    assert one.run_state(rater).decisions == open_small().run_state(rater).decisions == []
