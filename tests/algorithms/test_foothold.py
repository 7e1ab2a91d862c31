"""What long questions have led to is put to the judge, and a bad judge's word leads only as far as is sure."""

from dataclasses import replace

import numpy as np
import pytest

from steelyard import FunctionOracle, Session, minimize
from steelyard.algorithms import BayesQuadratic
from steelyard.algorithms.bayes_quadratic.caution import cautiously
from steelyard.algorithms.bayes_quadratic.explanation import BLUR, FLIPS
from steelyard.algorithms.bayes_quadratic.foothold import IN_A_ROW, Foothold
from steelyard.algorithms.bayes_quadratic.geometry import Geometry
from steelyard.algorithms.bayes_quadratic.mind import Mind
from steelyard.dialogue import drive

START = np.full(2, 0.5)


def mind(why=BLUR, answers=60, blur=0.0):
    """A mind that began at START and has heard a judge who compares distances from (.6, .6)."""
    rng = np.random.default_rng(3)
    one = Mind(why, START, np.full(2, 0.1), None, Geometry())
    a, b = rng.uniform(0.0, 1.0, (2, answers, 2))
    one.hear(a, b, np.where(((a - 0.6) ** 2).sum(axis=1) < ((b - 0.6) ** 2).sum(axis=1), 1.0, -1.0))
    one.think(None)
    one.noise = replace(one.noise, blur=blur)
    return one


def likes(x):
    def judge(question):
        far = [np.linalg.norm(side - x, axis=1) for side in (question.a, question.b)]
        return np.where(far[0] < far[1], 1, -1).astype(np.int8)

    return judge


@pytest.mark.parametrize("far", [0.05, 2.0])  # inside of the region around the start, and outside
def test_a_point_that_loses_against_the_foothold_slips(far):
    one = mind(blur=100.0)
    foothold = Foothold(one)
    assert not foothold.due(START, 0, one) and foothold.due(START + far, 0, one)
    slipped, votes = drive(foothold.slips(START + far, 50, one, np.random.default_rng(0)), likes(START))
    assert slipped and IN_A_ROW <= len(votes.answers) <= 24
    np.testing.assert_array_equal(foothold.place.x, START)
    assert not foothold.due(START + far, 51, one)


def test_a_point_far_away_that_wins_is_the_next_foothold():
    one = mind(blur=100.0)
    foothold = Foothold(one)
    assert foothold.left(START + 2.0, one)
    slipped, _ = drive(foothold.slips(START + 2.0, 50, one, np.random.default_rng(0)), likes(START + 2.0))
    assert not slipped and not foothold.left(START + 2.1, one)
    np.testing.assert_array_equal(foothold.place.x, START + 2.0)


def test_a_small_gain_costs_one_comparison_and_moves_nothing():
    one = mind(blur=100.0)
    foothold = Foothold(one)
    slipped, votes = drive(foothold.slips(START + 0.05, 50, one, np.random.default_rng(0)), likes(START + 0.05))
    assert not slipped and len(votes.answers) == 1
    np.testing.assert_array_equal(foothold.place.x, START)


def test_questions_become_shorter_where_long_ones_led_astray_and_longer_again():
    one = mind(answers=60)
    place, before = one.place(START), one.reach
    for _ in range(3):
        one.double()
    one.look_nearer(place)
    assert one.reach / np.sqrt(one.scale) < 0.6 * before / np.sqrt(place.scale)
    np.testing.assert_allclose(one.region.centre, START)
    np.testing.assert_allclose(one.region.into, 2.0 * place.region.into)
    one.look_farther()
    assert one.sight == 1.0


@pytest.mark.parametrize("seed", [0, 1])
def test_a_wall_beside_the_minimum_does_not_drive_a_run_away(seed):
    """Single runs of a simulation in one variable: one of the first twelve ended at 3,500 times its start before."""
    noise = np.random.default_rng([seed, 7])
    rng = np.random.default_rng([seed, 1])
    x0 = rng.standard_normal(1)
    least = x0 + 0.8 * rng.standard_normal(1)

    def f(x):
        y = 0.5 * float(x[0] - least[0])
        return y - np.log1p(y) if y > -0.99 else 3.6 - 100.0 * (0.99 + y)

    def measured(x):
        return f(x) + 0.3 * f(x0) * noise.standard_normal()

    result = minimize(FunctionOracle(measured, cache=False), x0, budget=400, rng=seed)
    assert f(result.x) < f(x0)


def test_caution_is_greater_the_less_is_known_about_how_often_the_judge_errs():
    one = mind(FLIPS, answers=12)
    one.doubt()
    one.noise = replace(one.noise, doubt=0.0)
    known = np.linalg.norm(cautiously(one, (one,), False) - START)
    one.noise = replace(one.noise, doubt=0.2)
    assert np.linalg.norm(cautiously(one, (one,), False) - START) < known


@pytest.mark.parametrize("bounds", [None, [(0.0, 1.0)]])
def test_a_large_batch_in_one_variable_holds_no_pair_twice(bounds):
    session = Session(BayesQuadratic(batch=12), np.array([0.4]), 3, bounds=bounds)
    for _ in range(4):
        question = session.ask()
        pairs = {frozenset((a.item(), b.item())) for a, b in zip(question.a, question.b, strict=True)}
        assert len(pairs) == len(question.a)
        session.tell(np.where(np.abs(question.a - 0.7) < np.abs(question.b - 0.7), 1, -1).ravel())
