"""Simulated people: problems of their own, and judges who are right as often as they say."""

import numpy as np
import pytest
from scipy.special import expit

from steelyard import problems
from steelyard.bench.lockstep import run_together
from steelyard.bench.methods import algorithm_from
from steelyard.bench.oracle_spec import logistic_scale, make_oracle
from steelyard.problems.people import FACE_MARGIN, place


def person(seed, d, edge=0):
    return problems.get(f"Person?d={d}&seed={seed}&edge={edge}")


def judge(spec, problem):
    return make_oracle(spec, problem, np.random.SeedSequence(0), problem)[0]


@pytest.mark.parametrize("d", [2, 3, 5, 8])
def test_nothing_is_below_zero_and_the_median_is_one(d):
    points = np.random.default_rng(0).random((4000, d))
    for seed in range(6):
        for edge in (0, 1):
            values = person(seed, d, edge).f(points)
            assert values.min() >= 0.0
            assert np.median(values) == pytest.approx(1.0, rel=0.1)


def test_the_favourite_is_inside_or_at_the_edge():
    for seed in range(20):
        for where in ("inside", "edge"):
            optimum = place(where, 3, np.random.default_rng([seed, 3, 20]))
            depth = np.minimum(optimum, 1 - optimum).min()
            assert depth >= FACE_MARGIN if where == "inside" else depth <= 0.1
            favourite = person(seed, 3, int(where == "edge")).f(optimum)
            assert favourite == pytest.approx(0.0, abs=1e-12)


def test_the_same_seed_gives_the_same_person():
    x = np.random.default_rng(1).random((5, 5))
    np.testing.assert_array_equal(person(7, 5).f(x), person(7, 5).f(x))
    assert not np.allclose(person(7, 5).f(x), person(13, 5).f(x))


@pytest.mark.parametrize(("spec", "right"), [("exact", 1.0), ("typical,right=.95", 0.95), ("typical,right=.85", 0.85)])
def test_answers_are_right_as_often_as_they_say(spec, right):
    someone = person(3, 3)
    a, b = np.random.default_rng(2).random((2, 4000, 3))
    said = judge(spec, someone).compare(a, b)
    assert (said == np.sign(someone.f(b) - someone.f(a))).mean() == pytest.approx(right, abs=0.015)


def test_ties_are_the_closest_pairs():
    someone = person(4, 3)
    a, b = np.random.default_rng(3).random((2, 4000, 3))
    said = judge("typical,right=.95,tied=.15", someone).compare(a, b)
    gaps = np.abs(someone.f(b) - someone.f(a))
    assert (said == 0).mean() == pytest.approx(0.15, abs=0.02)
    assert gaps[said == 0].max() <= gaps[said != 0].min()


def test_logistic_scale_solves_for_the_share_of_right_answers():
    gaps = np.array([0.1, 0.5, 2.0])
    assert expit(gaps / logistic_scale(gaps, 0.8)).mean() == pytest.approx(0.8, abs=1e-9)


def test_the_method_for_people_wins_over_a_tournament_in_five_parameters():
    someone = person(0, 5)
    ours, theirs = (
        someone.f(run.x)
        for spec in ("preference-gp,particles=8", "knockout")
        for run in run_together(someone, algorithm_from(spec), [0], 25)
    )
    assert ours < 0.5 * theirs


def test_whoever_wants_more_has_a_favourite_in_a_corner_or_at_a_face():
    points = np.random.default_rng(0).random((4000, 3))
    corners = np.stack(np.meshgrid(*[[0.0, 1.0]] * 3), axis=-1).reshape(-1, 3)
    for seed in range(12):
        f = problems.get(f"Corner?d=3&seed={seed}").f
        assert f(points).min() >= 0.0
        assert np.median(f(points)) == pytest.approx(1.0, rel=0.1)
        if seed % 4 < 3:
            assert f(corners).min() == pytest.approx(0.0, abs=1e-12)
