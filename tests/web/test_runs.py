"""Answering: nothing counts twice, nothing is lost, everything can be taken back, and replay gives the same run."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from steelyard.session import ReplayError
from steelyard.web.desk import Desk
from steelyard.web.progress import Progress
from steelyard.web.runs import Choice, StaleQuestion
from steelyard.web.store import DuplicateEvent, Event, Rater

Desks = Callable[..., Desk]


def give(desk: Desk, rater: Rater, *choices: Choice) -> list[str]:
    """Answer the open questions one after another; returns their ids."""
    ids = []
    for choice in choices:
        asked = desk.runs.question(rater)
        assert asked is not None
        assert desk.runs.answer(rater, asked.id, choice)
        ids.append(asked.id)
    return ids


def test_an_answer_sent_twice_counts_once(desk: Desk) -> None:
    rater, _ = desk.add_rater("Ada")
    (first,) = give(desk, rater, "left")
    assert not desk.runs.answer(rater, first, "left")
    assert not desk.runs.answer(rater, first, "right")  # the first one stands
    assert len(desk.progress(rater).live) == 1
    with pytest.raises(StaleQuestion):
        desk.runs.answer(rater, "5-0-0-00000000", "left")


def test_ten_threads_with_the_same_answer_count_once(desk: Desk) -> None:
    rater, _ = desk.add_rater("Ada")
    asked = desk.runs.question(rater)
    assert asked is not None
    new: list[bool] = []
    threads = [
        threading.Thread(target=lambda: new.append(desk.runs.answer(rater, asked.id, "left"))) for _ in range(10)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(new) == [False] * 9 + [True]
    assert len(desk.store.events(rater.run)) == 1


def test_sides_are_shuffled_recorded_and_stable(desk: Desk) -> None:
    rater, _ = desk.add_rater("Ada")
    sides = []
    for _ in range(12):
        asked, again = desk.runs.question(rater), desk.runs.question(rater)
        assert asked is not None
        assert again is not None
        assert asked.flipped == again.flipped
        give(desk, rater, "left")
        sides.append(asked.flipped)
        event = desk.store.events(rater.run)[-1]
        assert event.flipped == asked.flipped
        assert event.value == (-1 if asked.flipped else 1)  # left was chosen; the value is about the method's first
    assert 0 < sum(sides) < 12


def test_undo_takes_back_all_the_way_and_late_answers_do_not_return(desk: Desk) -> None:
    rater, _ = desk.add_rater("Ada")
    begin = desk.runs.question(rater)
    ids = give(desk, rater, "left", "right", "tie")
    for id_ in reversed(ids):
        assert desk.runs.undo(rater, id_)
        assert not desk.runs.undo(rater, id_)
    assert desk.progress(rater).undoable(rater.id) is None
    now = desk.runs.question(rater)
    assert begin is not None
    assert now is not None
    np.testing.assert_array_equal(now.a, begin.a)
    assert now.id != begin.id
    assert not desk.runs.answer(rater, begin.id, "left")  # known, undone: ignored
    assert desk.progress(rater).decisions == []


def test_undo_then_the_same_answers_give_the_same_run(desks: Desks) -> None:
    choices: list[Choice] = ["left", "right", "left", "tie", "right", "right"]
    plain, crooked = desks("plain.db"), desks("crooked.db")
    a, b = plain.add_rater("A")[0], crooked.add_rater("A")[0]
    for choice in choices:
        value = {"left": 1, "right": -1, "tie": 0}[choice]
        for desk, rater, wrong_first in ((plain, a, False), (crooked, b, True)):
            if wrong_first:
                (id_,) = give(desk, rater, "right")
                desk.runs.undo(rater, id_)
            asked = desk.runs.question(rater)
            assert asked is not None
            same = "tie" if value == 0 else "left" if (value > 0) != asked.flipped else "right"
            give(desk, rater, same)
    np.testing.assert_array_equal(plain.progress(a).best, crooked.progress(b).best)


@pytest.mark.parametrize("ahead", [False, True])
def test_a_second_process_sees_the_same_run(desks: Desks, ahead: bool) -> None:
    first = desks(ahead=ahead)
    rater, _ = first.add_rater("Ada")
    ids = give(first, rater, "left", "right", "tie", "left")
    first.runs.undo(rater, ids[-1])
    second = desks()  # the same database, opened again
    one, other = first.progress(rater), second.progress(rater)
    np.testing.assert_array_equal(one.best, other.best)
    assert [d.value for d in one.decisions] == [d.value for d in other.decisions]
    asked = second.runs.question(rater)
    assert asked is not None
    give(second, rater, "right")
    assert not first.runs.answer(rater, asked.id, "left")  # the first process had not seen it yet
    np.testing.assert_array_equal(first.progress(rater).best, second.progress(rater).best)


def test_thinking_ahead_changes_nothing(desks: Desks) -> None:
    quick, slow = desks("quick.db"), desks("slow.db")  # without the thread, whose work is done here, before each answer
    a, b = quick.add_rater("A")[0], slow.add_rater("A")[0]
    choices: list[Choice] = ["left", "right", "right", "left", "tie", "left", "right"]
    for choice in choices:
        live = quick.runs.live(a.run)
        quick.runs.question(a)
        quick.runs._think_about(live)
        assert set(live.progress.ahead) >= {(0, 1), (0, -1)}
        assert give(quick, a, choice) == give(slow, b, choice)
    id_ = give(quick, a, "left")[0]
    quick.runs.undo(a, id_)
    np.testing.assert_array_equal(quick.progress(a).best, slow.progress(b).best)
    now, then = quick.runs.question(a), slow.runs.question(b)
    assert now is not None
    assert then is not None
    np.testing.assert_array_equal(now.a, then.a)


def test_the_budget_ends_a_run_and_more_goes_on(desk: Desk) -> None:
    rater, _ = desk.add_rater("Ada")
    give(desk, rater, *["left"] * 12)
    assert desk.progress(rater).finished
    assert desk.runs.question(rater) is None
    assert desk.runs.more(rater, 5)
    assert not desk.runs.more(rater, 5)  # not finished now
    give(desk, rater, *["right"] * 5)
    assert desk.progress(rater).finished
    assert desk.runs.live(rater.run).progress.budget == 17


def test_finishing_early_can_be_undone_by_going_on(desk: Desk) -> None:
    rater, _ = desk.add_rater("Ada")
    give(desk, rater, "left", "left")
    assert desk.runs.finish(rater)
    assert not desk.runs.finish(rater)
    assert desk.runs.question(rater) is None
    assert desk.runs.more(rater, 10)
    assert desk.progress(rater).budget == 12
    give(desk, rater, "left")


def test_the_blind_check_is_about_the_present_result(desk: Desk) -> None:
    rater, _ = desk.add_rater("Ada")
    give(desk, rater, *["left"] * 6, *["right"] * 6)
    result = desk.progress(rater)
    assert not np.array_equal(result.best, result.start)
    for _ in range(3):
        state = desk.check_state(rater)
        start = desk.runs.values(result.start)
        left_is_start = state["question"]["left"]["values"] == start
        assert left_is_start != (state["question"]["right"]["values"] == start)
        assert desk.runs.check(rater, state["question"]["id"], "right" if left_is_start else "left")
        assert not desk.runs.check(rater, state["question"]["id"], "left")
    assert desk.check_state(rater)["status"] == "finished"
    check = desk.result(rater)["check"]
    assert (check["asked"], check["result"], check["start"]) == (3, 3, 0)
    assert check["probability"] == pytest.approx(1 - 0.5**4)
    desk.runs.more(rater, 2)
    assert desk.check_state(rater)["status"] == "waiting"


def test_a_changed_study_is_refused(desks: Desks) -> None:
    give(desks(), desks().add_rater("Ada")[0], "left")
    with pytest.raises(ValueError, match="must not change"):
        desks(seed=8)
    assert desks(question="Other words?") is not None


def test_a_log_of_another_method_fails_loudly(desks: Desks) -> None:
    desk = desks()
    rater, _ = desk.add_rater("Ada")
    give(desk, rater, "left", "right")
    other = replace(desk.study, options={"step": 0.31})
    progress = Progress(other, desk.store.seed_of(rater.run))
    with pytest.raises(ReplayError, match="another question"):
        for event in desk.store.events(rater.run):
            progress.apply(event)


def test_the_store_takes_an_event_once(desk: Desk) -> None:
    rater, _ = desk.add_rater("Ada")
    event = Event(rater.run, rater.id, "answer", "0-0-0-00000000", 1)
    assert desk.store.append(event).id == 1
    with pytest.raises(DuplicateEvent):
        desk.store.append(event)


def test_tokens_are_stored_hashed_and_the_file_is_private(desk: Desk) -> None:
    _, token = desk.add_rater("Ada")
    desk.store._db.execute("pragma wal_checkpoint(full)")
    for path in desk.store.path.parent.glob("study.db*"):
        assert token.encode() not in path.read_bytes()
    assert desk.store.path.stat().st_mode & 0o077 == 0
    assert desk.store._db.execute("pragma synchronous").fetchone() == (2,)
    assert desk.store._db.execute("pragma journal_mode").fetchone() == ("wal",)
