"""Who answered, and how settled a run is: what the driver passes between people and methods."""

from dataclasses import dataclass

import numpy as np
import pytest

from steelyard import Compare, Session, Step
from steelyard.certainty import Certainty
from steelyard.dialogue import Capabilities


@dataclass(frozen=True)
class Listener:
    """Asks batches of two and recommends (number of answers by anna, their sum)."""

    capabilities = Capabilities(unit_box=True)

    def run(self, x, rng):
        count = total = 0
        while True:
            question = Compare(rng.random((2, x.size)), rng.random((2, x.size)))
            answers = yield question
            for answer, rater in zip(answers, question.raters, strict=False):
                count, total = count + (rater == "anna"), total + (rater == "anna") * int(answer)
            point = np.array([count / 10, 0.5 + total / 10])
            yield Step(point, lambda p=point: Certainty(0.9, 0.8, p, p - 0.1, p + 0.1, 0.2, 0.01))


def session():
    return Session(Listener(), [0.0, 0.0], rng=3, bounds=[(-10, 10), (0, 100)])


def test_raters_reach_the_method_by_row_and_as_a_whole():
    s = session()
    s.tell([1, -1], ["anna", "ben"])
    np.testing.assert_allclose(s.x, [-8, 60])
    s.answer(1, 1, "anna")
    s.answer(0, 0)
    np.testing.assert_allclose(s.x, [-6, 70])
    s.tell([1, 1], "anna")
    np.testing.assert_allclose(s.x, [-2, 90])
    assert [entry.raters for entry in s.log] == [("anna", "ben"), ("", "anna"), ("anna", "anna")]


def test_replay_and_undo_keep_the_raters():
    s = session()
    s.tell([1, -1], ["anna", "ben"])
    s.answer(1, 1, "anna")
    s.answer(0, 1, "anna")
    again = session()
    again.replay(s.log)
    np.testing.assert_array_equal(again.x, s.x)
    before = s.x
    s.undo()
    assert s.unanswered == [0]
    s.answer(0, 1, "anna")
    np.testing.assert_array_equal(s.x, before)


def test_a_wrong_number_of_raters_is_refused():
    with pytest.raises(ValueError, match="2 names"):
        session().tell([1, 1], ["anna"])


def test_certainty_comes_in_the_users_coordinates():
    s = session()
    assert s.certainty is None
    s.tell([1, 0], "anna")
    certainty = s.certainty
    np.testing.assert_allclose(certainty.low, [-8, 50])
    np.testing.assert_allclose(certainty.high, [-4, 70])
    assert certainty.beats_start == 0.9
    s.undo()
    assert s.certainty is None
