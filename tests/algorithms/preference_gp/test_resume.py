"""Going on from stored answers: exactly, with what was noted; with the same belief, without it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from steelyard import Session
from steelyard.algorithms.preference_gp import PreferenceGP
from steelyard.algorithms.stp import STP
from steelyard.dialogue import Compare, Past
from steelyard.typing import Array

BOX = [(0.0, 1.0), (0.0, 1.0)]
PEAK = np.array([0.6, 0.3])


def badness(x: Array) -> Array:
    return ((x - PEAK) ** 2).sum(axis=-1)


def answered(session: Session, count: int, rater: str = "") -> Past:
    """The session after `count` more answers, all of them and what it noted last."""
    a, b, signs = [], [], []
    while len(signs) < count:
        question = session.ask()
        assert isinstance(question, Compare)
        answers = np.sign(badness(question.b) - badness(question.a)).astype(np.int8)
        a.append(question.a)
        b.append(question.b)
        signs.extend(answers.tolist())
        session.tell(answers, rater)
    noted = {name: value.copy() for name, value in (session.memory or {}).items()}
    names = (rater,) * count if rater else ()
    return Past(np.concatenate(a), np.concatenate(b), np.array(signs, dtype=np.int8), names, memory=noted)


@pytest.mark.parametrize(("batch", "rater"), [(1, ""), (2, "Ada")])
def test_with_its_memory_it_goes_on_exactly(batch: int, rater: str) -> None:
    method = PreferenceGP(batch=batch)
    straight = Session(method, [0.1, 0.5], 3, bounds=BOX)
    past = answered(straight, 4, rater)
    resumed = Session(method, [0.1, 0.5], 3, bounds=BOX, past=past)
    assert resumed.queries == straight.queries == 4
    for _ in range(2):
        np.testing.assert_array_equal(resumed.recommend(), straight.recommend())
        np.testing.assert_array_equal(resumed.ask().a, straight.ask().a)  # type: ignore[union-attr]
        answered(straight, batch, rater)
        answered(resumed, batch, rater)
    resumed.undo()
    assert resumed.queries == 4 + batch


def test_a_memory_of_before_the_last_answer_is_enough() -> None:
    method = PreferenceGP()
    straight = Session(method, [0.1, 0.5], 3, bounds=BOX)
    memory = answered(straight, 3).memory
    again = Session(method, [0.1, 0.5], 3, bounds=BOX)
    past = replace(answered(again, 4), memory=memory)
    resumed = Session(method, [0.1, 0.5], 3, bounds=BOX, past=past)
    np.testing.assert_array_equal(resumed.ask().a, again.ask().a)  # type: ignore[union-attr]
    np.testing.assert_array_equal(resumed.recommend(), again.recommend())


def test_without_a_memory_it_believes_the_same() -> None:
    method = PreferenceGP()
    straight = Session(method, [0.1, 0.5], 3, bounds=BOX)
    past = replace(answered(straight, 20), memory=None)
    resumed, twin = (Session(method, [0.1, 0.5], 3, bounds=BOX, past=past) for _ in range(2))
    assert badness(resumed.recommend()) < 0.1 * badness(np.array([0.1, 0.5]))
    np.testing.assert_allclose(resumed.recommend(), straight.recommend(), atol=0.1)
    np.testing.assert_array_equal(resumed.ask().a, twin.ask().a)  # type: ignore[union-attr]
    fresh = Session(method, [0.1, 0.5], 3, bounds=BOX)
    answered(fresh, 20)
    np.testing.assert_array_equal(fresh.recommend(), straight.recommend())  # its thoughts are not mistaken for others


def test_what_is_pending_is_not_asked_again() -> None:
    method = PreferenceGP()
    straight = Session(method, [0.1, 0.5], 3, bounds=BOX)
    past = answered(straight, 6)
    pairs = {tuple(straight.ask().a[0])}  # type: ignore[union-attr]
    pending = straight.ask()
    assert isinstance(pending, Compare)
    a, b = pending.a, pending.b
    for _ in range(3):
        busy = replace(past, pending_a=a, pending_b=b)
        other = Session(method, [0.1, 0.5], 3, bounds=BOX, past=busy).ask()
        assert isinstance(other, Compare)
        a, b = np.concatenate([a, other.a]), np.concatenate([b, other.b])
        pairs.add(tuple(other.a[0]))
    distances = np.abs(np.stack([a, b], 1)[:, None] - np.stack([a, b], 1)[None]).sum(axis=(2, 3))
    assert (distances[~np.eye(4, dtype=bool)] > 1e-3).all()


def test_a_method_that_cannot_resume_says_so() -> None:
    past = Past(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0, dtype=np.int8))
    with pytest.raises(TypeError, match="past needs a method that can begin from answers, got STP"):
        Session(STP(), [0.0, 0.0], 0, past=past)
