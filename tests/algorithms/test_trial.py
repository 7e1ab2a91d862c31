"""A judge that is trusted until it is seen to err, and questions chosen by what they would say."""

from dataclasses import replace

import numpy as np
import pytest

from steelyard import FunctionOracle, NoisyOracle, minimize
from steelyard.algorithms.bayes_quadratic.explanation import BLUR, FLIPS
from steelyard.algorithms.bayes_quadratic.geometry import Geometry
from steelyard.algorithms.bayes_quadratic.guard import GUARDED, Guard
from steelyard.algorithms.bayes_quadratic.mind import Mind
from steelyard.algorithms.bayes_quadratic.repeats import (
    AGREED_AGAIN,
    ENOUGH_AGREED,
    FEWEST_PAIRS,
    MORE_OFTEN,
    SUSPECTED,
    UNSUSPECTED,
    Repeats,
)
from steelyard.algorithms.bayes_quadratic.trial import PRESUMPTION, Trial, confirm
from steelyard.bounds import Box
from steelyard.dialogue import drive
from steelyard.problems import get

UNIT_BOX = Box(np.zeros(2), np.ones(2))


def heard(agreed: list[bool]) -> Repeats:
    repeats, points = Repeats(2), np.zeros((len(agreed), 2))
    repeats.hear(points, points + 1.0, np.where(agreed, 1.0, -1.0), np.ones(len(agreed)))
    return repeats


def mind(why=FLIPS, box=None, answers=40, n=2):
    """A mind that has heard a judge who compares distances from the point (.6, .6, ...)."""
    rng = np.random.default_rng(3)
    one = Mind(why, np.full(n, 0.5), np.full(n, 0.1), box, Geometry())
    a, b = rng.uniform(0.0, 1.0, (2, answers, n))
    one.hear(a, b, np.where(((a - 0.6) ** 2).sum(axis=1) < ((b - 0.6) ** 2).sum(axis=1), 1.0, -1.0))
    one.think(None)
    return one


def test_the_first_answers_that_differ_end_the_trust_once():
    trial = Trial(None)
    assert not trial.convicts(heard([True, True])) and trial.open
    assert trial.convicts(heard([True, False])) and not trial.open
    assert not trial.convicts(heard([True, False]))
    assert trial.on_rates(heard([True]), mind(), False) is not PRESUMPTION


def test_a_judge_that_said_the_same_often_enough_is_no_longer_on_trial():
    trial = Trial(None)
    assert not trial.convicts(heard([True] * FEWEST_PAIRS)) and not trial.open
    assert not trial.convicts(heard([True, False]))  # rounding, late in a run


def test_a_judge_that_was_cleared_is_suspected_anew_once_it_is_mispredicted_more_often():
    repeats = heard([True] * ENOUGH_AGREED)
    a, rng = np.zeros((1000, 2)), np.random.default_rng(0)

    def share(rate: float) -> float:
        return float(np.mean(repeats.mix(a, a + 1.0, rate, rng)[2] != 0.0))

    repeats.hear(a[:1], a[:1] + 1.0, np.ones(1), np.zeros(1))  # one that can be asked again
    assert share(0.1) == pytest.approx(UNSUSPECTED, abs=0.02)  # f is no quadratic
    assert share(0.1) == pytest.approx(UNSUSPECTED, abs=0.02)
    assert share(0.1 + 1.1 * MORE_OFTEN) == pytest.approx(SUSPECTED, abs=0.04)
    repeats.hear(a[:AGREED_AGAIN], a[:AGREED_AGAIN] + 1.0, np.ones(AGREED_AGAIN), np.ones(AGREED_AGAIN))
    assert share(0.1 + 1.1 * MORE_OFTEN) == pytest.approx(UNSUSPECTED, abs=0.02)


def test_a_judge_that_comes_to_err_does_not_lead_astray():
    """Never wrong for 150 answers, then one time in four; one of these runs would end at 1,200 times its start."""
    for seed in range(3):
        problem = get(f"CHNRSNBM?N=5~rotated={seed}")
        rng, said = np.random.default_rng(seed), []

        def judge(a, b, f=problem.f, rng=rng, said=said):
            said.append(1)
            wrong = len(said) > 150 and rng.random() < 0.25
            return bool((f(a) < f(b)) != wrong)

        x = minimize(judge, problem.x0, budget=300, rng=seed).x
        assert problem.f(x) - problem.f_best < 0.2 * (problem.f(problem.x0) - problem.f_best)


def test_in_a_box_there_is_no_trust():
    trial = Trial(UNIT_BOX)
    assert not trial.open and trial.on_rates(heard([True]), mind(), False) is not PRESUMPTION
    assert mind(box=UNIT_BOX, answers=0).noise.rate > mind(answers=0).noise.rate


@pytest.mark.parametrize("better", [True, False])
def test_what_was_gained_is_confirmed_by_the_judge(better):
    one = mind()
    sign = 1 if better else -1

    def judge(question):  # the nearer to what the model recommends the better, or the worse
        far = [np.linalg.norm(x - one.best, axis=1) for x in (question.a, question.b)]
        return np.where(far[0] < far[1], sign, -sign).astype(np.int8)

    lost, votes = drive(confirm(one, np.random.default_rng(0)), judge)
    assert lost is not better and len(votes.answers) >= 1


@pytest.mark.parametrize("ahead", [True, False])
def test_a_bad_judge_is_asked_whether_the_run_is_ahead_of_its_start(ahead):
    one, start = mind(), np.full(2, 0.5)
    guard = Guard(start)
    assert not guard.due(10**6, one)  # this one errs seldom
    one.noise = replace(one.noise, first=GUARDED + 0.01, second=GUARDED + 0.01)
    assert guard.due(100, one) and not guard.due(5, one)

    def judge(question):  # the nearer to the start the worse, or the better
        far = [np.linalg.norm(x - start, axis=1) for x in (question.a, question.b)]
        return np.where((far[0] > far[1]) == ahead, 1, -1).astype(np.int8)

    lost, votes = drive(guard.lost(np.full(2, 0.9), 100, one, np.random.default_rng(0)), judge)
    assert lost is not ahead and len(votes.answers) <= 24
    assert not guard.due(101, one)
    one.begin_again(start)
    assert one.epochs == 0
    np.testing.assert_array_equal(one.anchor, start)


@pytest.mark.parametrize("answers", [3, 40])  # fewer and more than the unknowns: both forms of the posterior
def test_covariances_with_the_gradient_are_those_of_the_gradient_itself(answers):
    one = mind(answers=answers)
    assert one.posterior is not None
    u, m = one.posterior.prior.gradient_questions(one.view.z)
    np.testing.assert_allclose(
        one.posterior.with_gradient(one.view.z, u, m), one.posterior.gradient_covariance(one.view.z), atol=1e-9
    )


def test_a_question_whose_answer_is_known_or_that_is_too_short_says_little():
    one = mind(BLUR, UNIT_BOX, 200)
    one.noise = replace(one.noise, blur=one.predictions.typical)
    across = np.array([0.3, 0.0])
    best, corner = one.best, np.zeros(2)
    long, short, known = one.worth(
        np.stack([best + across, best + 0.01 * across, best]), np.stack([best - across, best - 0.01 * across, corner])
    )
    assert long > 2.0 * short and long > 2.0 * known


def test_a_judge_that_never_errs_is_soon_taken_at_its_word():
    """After 100 answers, over nine runs: 2e-4, and .006 without trust."""
    left = []
    for seed in range(3):
        for name in ("QING?N=5", "BROYDN3DLS?N=5", "Ellipsoid?n=10&condition=100"):
            problem = get(f"{name}~rotated={20 + seed}")
            x = minimize(FunctionOracle(problem.f), problem.x0, budget=100, rng=seed).x
            left.append((problem.f(x) - problem.f_best) / (problem.f(problem.x0) - problem.f_best))
    assert np.exp(np.mean(np.log(left))) < 0.001


def test_an_error_early_on_is_found_out_and_repaired():
    """In one run of the twelve errors at any distance are taken for errors from closeness, which is a known defect."""
    problem, rates, gaps = get("Ellipsoid?n=5&condition=10~rotated=21"), [], []
    for seed in range(12):
        judge = NoisyOracle(FunctionOracle(problem.f), 0.75, rng=seed)
        result = minimize(judge, problem.x0, budget=400, rng=seed)
        gaps.append((problem.f(result.x) - problem.f_best) / (problem.f(problem.x0) - problem.f_best))
        rates.append(result.judge.error_rate)
    assert max(gaps[:4]) < 0.1 and np.exp(np.mean(np.log(gaps))) < 0.02
    assert min(rates[:4]) > 0.08 and sum(rate > 0.08 for rate in rates) >= 11
