"""Answers of other runs and studies, in the user's own values."""

import numpy as np
import pytest

from steelyard import Parameter, Session, Space, minimize
from steelyard.algorithms.preference_gp import PreferenceGP
from steelyard.kit.warm_start import earlier_answers

SPACE = Space(
    (
        Parameter("cutoff", 20, 20_000, scale="log"),
        Parameter("voices", 1, 8, integer=True),
        Parameter("wave", categories=("sine", "saw")),
    )
)
A = {"cutoff": 200.0, "voices": 2, "wave": "saw"}
B = {"cutoff": 2000.0, "voices": 8, "wave": "sine"}


def test_values_by_name_or_in_order_become_points_of_the_unit_box():
    (a, b, sign, rater), second = earlier_answers([(A, B, 1, "anna"), (tuple(A.values()), tuple(B.values()), 0)], SPACE)
    np.testing.assert_allclose(a, [1 / 3, SPACE.parameters[1].to_unit(2), 0.75])
    assert (sign, rater) == (1, "anna") and second[:2] == (a, b) and second[2:] == (0, "")


def test_what_is_outside_is_refused_or_dropped_and_what_is_missing_must_be_given():
    far = {**A, "cutoff": 5.0}
    with pytest.raises(ValueError, match=r"answer 2 must be about points of the space.*cutoff"):
        earlier_answers([(A, B, 1), (A, far, 1)], SPACE)
    assert len(earlier_answers([(A, B, 1), (A, far, 1)], SPACE, outside="drop")) == 1
    short = [{k: v for k, v in p.items() if k != "wave"} for p in (A, B)]
    with pytest.raises(ValueError, match="missing must give a value for wave"):
        earlier_answers([(*short, 1)], SPACE)
    assert earlier_answers([(*short, 1)], SPACE, missing={"wave": "sine"})[0][0][2] == 0.25
    with pytest.raises(ValueError, match="the sign of answer 1"):
        earlier_answers([(A, B, 3)], SPACE)


def test_bounds_will_do_and_a_run_starts_where_the_answers_point():
    rng = np.random.default_rng(0)
    a, b = rng.uniform([-10, 100], [10, 200], (2, 30, 2))

    def bad(x):
        return np.square((x - [5.0, 120.0]) / [20.0, 100.0]).sum(axis=1)

    answers = [(x, y, int(s)) for x, y, s in zip(a, b, np.sign(bad(b) - bad(a)), strict=True)]
    method = PreferenceGP(particles=8, earlier=earlier_answers(answers, [(-10, 10), (100, 200)]))
    session = Session(method, [0.0, 150.0], rng=0, bounds=[(-10, 10), (100, 200)])
    assert bad(session.x[None])[0] < 0.03


def test_a_log_of_another_run_with_another_range(tmp_path):
    path = tmp_path / "old.jsonl"
    old = Space((Parameter("cutoff", 100, 10_000, scale="log"), Parameter("voices", 1, 4, integer=True)))

    def dislike(values):
        return abs(np.log(values["cutoff"] / 500.0)) + values["voices"]

    minimize(lambda a, b: int(np.sign(dislike(b) - dislike(a))), old, method="stp", budget=12, log=path, rng=0)
    earlier = earlier_answers(path, SPACE, missing={"wave": "saw"})
    assert len(earlier) == 12 and all(point[2] == 0.75 for one in earlier for point in one[:2])
    better = [one[0] if one[2] > 0 else one[1] for one in earlier if one[2]]
    worse = [one[1] if one[2] > 0 else one[0] for one in earlier if one[2]]
    assert all(
        dislike(SPACE.values(np.array(x))) <= dislike(SPACE.values(np.array(y)))
        for x, y in zip(better, worse, strict=True)
    )


def test_the_table_of_a_study(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(
        "kind,choice,undone,excluded,name,left.cutoff,right.cutoff,left.voices,right.voices,left.wave,right.wave\n"
        "answer,left,False,False,anna,200.0,2000.0,2,8,saw,sine\n"
        "answer,right,True,False,anna,200.0,2000.0,2,8,saw,sine\n"
        "form,,False,False,anna,,,,,,\n"
        "answer,tie,False,False,ben,200.0,2000.0,2,8,saw,sine\n"
    )
    earlier = earlier_answers(path, SPACE)
    assert [one[2:] for one in earlier] == [(1, "anna"), (0, "ben")]
    assert earlier[0][:2] == earlier_answers([(A, B, 1)], SPACE)[0][:2]


def test_points_outside_of_the_unit_box_are_refused_by_the_method():
    with pytest.raises(ValueError, match="earlier must hold points of the unit box"):
        Session(PreferenceGP(earlier=(((150.0, 0.2), (0.1, 0.2), 1),)), [0.5, 0.5], bounds=[(0, 1)] * 2)
