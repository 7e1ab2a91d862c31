"""At first, what a judge that errs has led to is recommended only where votes have put it ahead of the start."""

import numpy as np
import pytest

from steelyard import FunctionOracle, NoisyOracle, minimize
from steelyard.algorithms.bayes_quadratic.explanation import FLIPS
from steelyard.algorithms.bayes_quadratic.geometry import Geometry
from steelyard.algorithms.bayes_quadratic.mind import Mind
from steelyard.algorithms.bayes_quadratic.noise import Noise
from steelyard.algorithms.bayes_quadratic.votes import MORE_TIES, vote
from steelyard.algorithms.bayes_quadratic.vouching import ALL_REFUSED, VOTES_FROM, Vouching
from steelyard.bounds import Box
from steelyard.dialogue import drive
from steelyard.problems import get

X0, BETTER = np.zeros(2), np.array([1.0, 0.0])


def mind(rate: float = 0.15, doubt: float = 0.1) -> Mind:
    one = Mind(FLIPS, X0, np.ones(2), None, Geometry())
    one.noise = Noise(rate, rate, doubt=doubt)
    return one


def asked(point, judge, one=None):
    """Vouching after the votes on a point, with these votes; `judge` says whether the first of two is better."""
    vouching = Vouching(X0)
    question = vouching.ask(point, 20, one or mind(), np.random.default_rng(1))
    votes = drive(question, lambda c: np.where(judge(c.a, c.b), 1, -1).astype(np.int8))
    return vouching, votes


def nearer_to_better(a, b):
    return np.linalg.norm(a - BETTER, axis=1) < np.linalg.norm(b - BETTER, axis=1)


def test_what_wins_is_recommended_with_what_is_near_it():
    vouching, votes = asked(BETTER, nearer_to_better)
    assert votes.lead == len(votes.answers) == 3
    near, far = BETTER + 0.5, BETTER + 5.0
    assert np.array_equal(vouching.allowed(near, mind()), near)
    assert np.array_equal(vouching.allowed(far, mind()), BETTER)
    assert not vouching.due(near, 1000, mind()) and vouching.due(far, 1000, mind())


def test_what_loses_leaves_the_start():
    vouching, votes = asked(-BETTER, nearer_to_better)
    assert votes.lead < 0
    assert np.array_equal(vouching.allowed(-BETTER, mind()), X0)


def test_a_lead_that_was_enough_is_not_once_the_judge_is_known_to_be_worse():
    vouching, _ = asked(BETTER, nearer_to_better)
    worse = mind(0.35, 0.05)
    assert np.array_equal(vouching.allowed(BETTER, worse), X0)
    assert vouching.due(BETTER, 1000, worse)


def test_another_point_that_loses_does_not_cost_the_one_that_won():
    vouching, _ = asked(BETTER, nearer_to_better)
    far = np.array([-5.0, 0.0])
    answers = drive(
        vouching.ask(far, 60, mind(), np.random.default_rng(1)),
        lambda c: np.where(nearer_to_better(c.a, c.b), 1, -1).astype(np.int8),
    )
    assert answers.lead < 0
    assert np.array_equal(vouching.allowed(far, mind()), BETTER)


def test_no_votes_before_there_is_something_to_vote_on():
    vouching, one = Vouching(X0), mind()
    assert not vouching.due(BETTER, int(VOTES_FROM * 2) - 1, one) and vouching.due(BETTER, int(VOTES_FROM * 2), one)
    assert not vouching.due(X0, 100, one)


def test_no_votes_once_a_point_has_won_and_enough_is_known():
    (vouching, _), one = asked(BETTER, nearer_to_better), mind()
    assert not vouching.over(15, one) and vouching.over(30, one)
    bad = mind(0.4, 0.05)
    assert not vouching.over(100, bad) and vouching.over(101, bad)
    assert vouching.is_bad(bad) and not vouching.is_bad(one)


def test_votes_go_on_but_less_often_as_long_as_no_point_has_won():
    vouching, one = Vouching(X0), mind()
    assert not vouching.over(1000, one)
    drive(vouching.ask(-BETTER, 1000, one, np.random.default_rng(1)), worse_than_the_start)
    assert not vouching.due(-BETTER, 1249, one) and vouching.due(-BETTER, 1250, one)


def worse_than_the_start(question):
    return np.where(nearer_to_better(question.a, question.b), 1, -1).astype(np.int8)


def test_points_that_are_refused_again_and_again_say_that_the_minimum_is_near():
    vouching, said = Vouching(X0), []
    for asked_before in range(20, 20 + 20 * 2 * ALL_REFUSED, 20):
        drive(vouching.ask(-BETTER, asked_before, mind(), np.random.default_rng(1)), worse_than_the_start)
        said.append(vouching.all_refused)
    assert said == 2 * [*[False] * (ALL_REFUSED - 1), True]


def test_no_votes_on_what_the_model_is_sure_of_even_if_the_judge_is_worse_than_believed():
    one, rng = mind(0.1, 0.05), np.random.default_rng(2)
    a, b = rng.standard_normal((2, 40, 2))
    right = np.where(nearer_to_better(a, b), 1.0, -1.0)
    one.hear(a, b, np.where(rng.random(40) < 0.1, -right, right))
    one.think(None)
    vouching = Vouching(X0)
    assert vouching.sure(BETTER, 40, one) and not vouching.sure(BETTER, 11, one)
    assert not vouching.sure(-BETTER, 40, one) and not vouching.sure(X0, 40, one)
    one.noise = Noise(0.4, 0.4, doubt=0.05)
    assert not vouching.sure(BETTER, 40, one)


@pytest.mark.parametrize("right", [0.75, 0.6])
def test_within_the_first_answers_of_a_bad_judge_few_runs_are_worse_than_their_start(right):
    """Of 56 runs; without votes 2 of them with p = .75 and 20 with p = .6."""
    worse = []
    for n in (5, 10):
        for seed in range(60, 67):
            for name in ("QING?N={n}", "BROYDN3DLS?N={n}", "Ellipsoid?n={n}&condition=100", "AbsoluteSum?n={n}"):
                problem = get(f"{name.format(n=n)}~rotated={seed}")
                judge = NoisyOracle(FunctionOracle(problem.f), right, rng=seed)
                x = minimize(judge, problem.x0, method="bayes-quadratic", budget=75, rng=seed).x
                worse.append(problem.f(x) > problem.f(problem.x0))
    assert np.mean(worse) <= 0.05


def test_in_a_box_few_runs_of_a_bad_judge_are_worse_than_their_start():
    """3 of 56 runs, without votes 16; 5, 4, 3 and 1 after 25, 50, 75 and 100 answers (11, 16, 16 and 16)."""
    worse = []
    for n in (5, 10):
        for seed in range(60, 67):
            for condition, active in ((10, 0), (1000, 0), (10, 0.5), (1000, 0.5)):
                problem = get(f"BoxedEllipsoid?n={n}&condition={condition}&active={active}&seed={seed}")
                judge = NoisyOracle(FunctionOracle(problem.f), 0.6, rng=seed)
                bounds = np.transpose(problem.bounds)
                x = minimize(judge, problem.x0, method="bayes-quadratic", budget=75, bounds=bounds, rng=seed).x
                worse.append(problem.f(x) > problem.f(problem.x0))
    assert np.mean(worse) <= 0.08


def test_votes_in_a_box_leave_the_start_as_it_is():
    """Where f depends on the direction only, a start moved towards a point would be that point."""
    one = Mind(FLIPS, X0, np.ones(2), Box(np.full(2, -2.0), np.full(2, 2.0)), Geometry())
    _, votes = asked(BETTER, lambda a, b: a[:, 0] > b[:, 0], one)
    assert votes.lead == len(votes.answers) > 0
    starts = np.where((votes.a == X0).all(axis=1)[:, None], votes.a, votes.b)
    assert (starts == X0).all()


def test_votes_end_where_the_judge_cannot_distinguish_the_two():
    votes = drive(vote(lambda: (BETTER, X0), 8, 8, 100, np.random.default_rng(0)), lambda c: np.zeros(1, dtype=np.int8))
    assert votes.lead == 0 and len(votes.answers) == votes.ties == MORE_TIES
