"""Questions that are not the method's: repeats with swapped sides, attention checks, the closing comparison."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from steelyard.studies.consistency import Consistency, Judged
from steelyard.studies.decided import Asked
from steelyard.studies.events import Rater
from steelyard.studies.extra_questions import MORE_FAR, NEIGHBOURHOOD
from steelyard.studies.open_study import OpenStudy

Opener = Callable[..., OpenStudy]


def ask(opened: OpenStudy, rater: Rater) -> Asked:
    asked = opened.runs.question(rater)
    assert asked is not None
    return asked


def prefer_larger(opened: OpenStudy, rater: Rater, asked: Asked) -> None:
    assert opened.runs.answer(rater, asked.id, "left" if asked.left[0] > asked.right[0] else "right")


def test_one_in_ten_is_asked_again_with_its_sides_swapped(open_small: Opener) -> None:
    opened = open_small(repeats=0.1, budget=30)
    rater, _ = opened.add_rater("Ada")
    shown: dict[bytes, Asked] = {}
    repeats = 0
    while (asked := opened.runs.question(rater)) is not None:
        if asked.id.startswith("repeat-"):
            repeats += 1
            before = shown[asked.a.tobytes() + asked.b.tobytes()]
            np.testing.assert_array_equal((asked.left, asked.right), (before.right, before.left))
        shown.setdefault(asked.a.tobytes() + asked.b.tobytes(), asked)
        prefer_larger(opened, rater, asked)
    state = opened.run_state(rater)
    assert (len(state.decisions), repeats) == (30, 3)
    assert [first * second for first, second in state.repeated(rater.id)] == [1, 1, 1]
    again = open_small(repeats=0.1, budget=30).run_state(rater)  # the same from the log
    np.testing.assert_array_equal(again.best, state.best)
    assert again.repeated(rater.id) == state.repeated(rater.id)


def test_a_repeat_can_be_taken_back(open_small: Opener) -> None:
    opened = open_small(repeats=0.25)
    rater, _ = opened.add_rater("Ada")
    while not (asked := ask(opened, rater)).id.startswith("repeat-"):
        prefer_larger(opened, rater, asked)
    decided = len(opened.run_state(rater).decisions)
    opened.runs.answer(rater, asked.id, "left")
    assert not opened.runs.answer(rater, asked.id, "left")
    undoable = opened.run_state(rater).undoable(rater.id)
    assert undoable is not None
    assert opened.runs.undo(rater, undoable.question)
    again = ask(opened, rater)
    assert again.id.startswith("repeat-")
    assert again.id != asked.id
    opened.runs.answer(rater, again.id, "right")
    assert len(opened.run_state(rater).decisions) == decided
    assert len(opened.run_state(rater).repeated(rater.id)) == 1


def test_attention_checks_are_asked_and_counted(open_small: Opener) -> None:
    pair = {"good": {"size": 20.0, "warmth": 0.5}, "bad": {"size": 8.0, "warmth": 0.0}}
    opened = open_small(attention=[pair, pair])
    rater, _ = opened.add_rater("Ada")
    at = []
    while (asked := opened.runs.question(rater)) is not None:
        if asked.id.startswith("attention-"):
            at.append(len(opened.run_state(rater).decisions))
        prefer_larger(opened, rater, asked)
    assert at == [4, 8]
    assert [event.value for event in opened.run_state(rater).attention] == [1, 1]
    assert len(opened.run_state(rater).decisions) == 12


def test_the_closing_comparison_shows_neighbours(opened: OpenStudy) -> None:
    rater, _ = opened.add_rater("Ada")
    for _ in range(12):
        prefer_larger(opened, rater, ask(opened, rater))
    state = opened.run_state(rater)
    asked = []
    while questions := state.check_questions(rater.id):
        asked += questions
        opened.runs.check(rater, questions[0].id, "left")
    np.testing.assert_array_equal((asked[0].a, asked[0].b), (state.best, state.start))
    assert len({one.a.tobytes() + one.b.tobytes() for one in asked}) == len(asked)
    for one in asked:
        assert np.abs(one.a - state.best).max() <= NEIGHBOURHOOD + 1e-12
    with_start = [one for one in asked if one.id.startswith("check-")]
    assert len(with_start) == 3
    for one in with_start:
        assert np.abs(one.b - state.start).max() <= NEIGHBOURHOOD + 1e-12
    with_others = [one for one in asked if one.id.startswith("contrast-")]
    assert len(with_others) == 3 + MORE_FAR  # who always says "left" is asked for as long as it may take
    for one in with_others:
        assert np.abs(one.b - state.best).sum() > 0.5


def close(opened: OpenStudy, rater: Rater, choose: Callable[[Asked], str]) -> list[Asked]:
    """Answer the closing comparisons, and say what they were."""
    asked: list[Asked] = []
    while questions := opened.run_state(rater).check_questions(rater.id):
        asked += questions
        opened.runs.check(rater, questions[0].id, choose(questions[0]))  # type: ignore[arg-type]
    return asked


def larger(asked: Asked) -> str:
    return "left" if asked.left[0] > asked.right[0] else "right"


def answered(opened: OpenStudy, choose: Callable[[Asked], str]) -> Rater:
    rater, _ = opened.add_rater("Ada")
    while (asked := opened.runs.question(rater)) is not None:
        opened.runs.answer(rater, asked.id, choose(asked))
    return rater


def test_a_clear_preference_is_recognised_early_and_random_clicks_are_told_to_be_chance(open_small: Opener) -> None:
    opened = open_small(budget=30, repeats=0.1)
    clear = answered(opened, larger)
    assert len(close(opened, clear, larger)) <= 8
    coin = np.random.default_rng(4)

    def clicks(_: Asked) -> str:
        return ("left", "right")[int(coin.integers(2))]

    random = answered(opened, clicks)
    assert len(close(opened, random, clicks)) > 8
    said = [opened.result(rater)["statement"][0] for rater in (clear, random)]
    assert "sure that you like this result better" in said[0]
    assert "no different from chance" in said[1]


def test_nothing_is_said_before_the_closing_comparisons_unless_it_is_clear(open_small: Opener) -> None:
    opened = open_small(budget=30, repeats=0.0)
    coin = np.random.default_rng(1)
    rater = answered(opened, lambda _: ("left", "right")[int(coin.integers(2))])
    result = opened.result(rater)
    assert not opened.run_state(rater).consistency(rater.id).decided
    assert "last comparisons are missing" in result["statement"][0]


def test_what_a_preference_foretells() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 30, 2))
    answers = np.where(a[:, 0] > b[:, 0], 1, -1).astype(np.int8)
    consistency = Consistency(Judged(a, b, answers, rng.random(30) < 0.5))
    x, others = np.array([0.5, 0.5]), np.array([[0.05, 0.5], [0.45, 0.5], [0.55, 0.5], [0.95, 0.5]])
    foretold = consistency.foretold(x, others)
    assert foretold[0] > 0.9 > foretold[1] > foretold[2] > 0.1 > foretold[3]
    for other, p in zip(others, foretold, strict=True):  # an answer is less sure than what is truly preferred
        assert abs(p - 0.5) <= abs(consistency.better(x, other) - 0.5) + 0.02
