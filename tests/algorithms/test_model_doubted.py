"""`bayes-quadratic` where f is no quadratic: the judge is not blamed, and what the model says is put to the judge."""

import numpy as np
import pytest

from steelyard import FunctionOracle, NoisyOracle, minimize
from steelyard.algorithms.bayes_quadratic.noise import RATES
from steelyard.algorithms.bayes_quadratic.repeats import Repeats
from steelyard.algorithms.bayes_quadratic.votes import needed, vote
from steelyard.dialogue import drive
from steelyard.judges import PersistentOracle
from steelyard.problems import get


def rugged(x):
    return float(10 * x.size + np.sum(x**2 - 10 * np.cos(2 * np.pi * x)))


def discus(x):
    return float(1e6 * x[0] ** 2 + np.sum(x[1:] ** 2))


def asked_again(judge, count=200, seed=0):
    """Repeats after `count` questions of which some were asked again."""
    rng, repeats = np.random.default_rng(seed), Repeats(3)
    for _ in range(count):
        a, b, expected = repeats.mix(rng.standard_normal((1, 3)), rng.standard_normal((1, 3)), 0.2, rng)
        repeats.hear(a, b, np.asarray(judge.compare(a, b), dtype=float), expected)
    return repeats


def test_a_judge_that_says_the_same_again_is_steady():
    repeats = asked_again(FunctionOracle(rugged))
    assert repeats.steady and repeats.always_steady
    assert not np.isfinite(repeats.allowed()[RATES > 0.05]).any()


@pytest.mark.parametrize("kind", [NoisyOracle, PersistentOracle])
def test_a_judge_that_errs_is_not_even_if_it_always_errs_in_the_same_way(kind):
    repeats = asked_again(kind(FunctionOracle(rugged), 0.75, 1))
    assert not repeats.steady and not repeats.always_steady
    assert RATES[repeats.log_likelihood().argmax()] >= 0.12


def test_questions_asked_again_stay_between_the_first_two_points():
    rng, repeats = np.random.default_rng(0), Repeats(2)
    a, b = np.array([[0.0, 0.0]]), np.array([[1.0, 2.0]])
    repeats.hear(a, b, np.array([1.0]), np.zeros(1))
    again, other, expected = repeats.mix(np.full((99, 2), 9.0), np.full((99, 2), 9.0), 0.2, rng)
    rows = expected != 0.0
    assert rows.any() and set(expected[rows]) == {-1.0}  # the places have changed
    assert (again[rows] <= b).all() and (again[rows] > 0.998 * b).all() and (other[rows] >= a).all()
    assert len(np.unique(again[rows], axis=0)) == rows.sum()  # no question is the same


def test_votes_end_at_the_lead_that_the_error_rate_asks_for():
    assert needed(0.0, 10.0) == 1 and needed(0.25, 10.0) == 3 and needed(0.45, 10.0) == 8
    pair, rng = (np.zeros(1), np.ones(1)), np.random.default_rng(0)
    judge = FunctionOracle(lambda x: float(x[0]))
    won = drive(vote(lambda: pair, 3, 5, 50, rng), lambda question: judge.compare(question.a, question.b))
    assert won.lead == 3 and len(won.answers) == 3


def test_a_narrow_valley_is_not_taken_for_errors_of_the_judge():
    result = minimize(FunctionOracle(discus), np.full(5, 3.0), method="bayes-quadratic", budget=1500, rng=1)
    assert discus(result.x) < 1e-3
    assert result.judge.error_rate < 0.03


@pytest.mark.parametrize("seed", range(4))
def test_on_a_rugged_f_nothing_worse_than_before_is_recommended(seed):
    x0 = np.random.default_rng(seed).uniform(-4, 4, 5)
    seen = []
    minimize(FunctionOracle(rugged), x0, budget=1500, rng=seed, callback=lambda state: seen.append(rugged(state.x)))
    assert max(seen[len(seen) // 4 :]) < rugged(x0)
    assert seen[-1] < 0.5 * rugged(x0)


def test_a_better_basin_is_looked_for_once_the_model_is_done():
    def wells(x):
        return float(min((x[0] - 2) ** 2 + 1.0, (x[0] + 1) ** 2) + x[1] ** 2)

    result = minimize(FunctionOracle(wells), [2.5, 2.5], budget=3000, rng=0)
    assert wells(result.x) < 1e-6
    assert result.judge.error_rate < 0.03  # still said where another method ends the run
    boxed = minimize(FunctionOracle(wells), [2.5, 2.5], bounds=[(-4, 4)] * 2, budget=3000, rng=0)
    assert wells(boxed.x) < 1e-6


def test_in_a_box_too_a_model_that_leads_no_further_gives_way():
    """Waves on a bowl: eight runs."""
    found = []
    for seed in range(8):
        place, x0 = np.random.default_rng([seed, 2]).uniform(-2.0, 2.0, (2, 5))

        def waves(x, place=place):
            return np.mean(0.01 * (x - place) ** 2 + np.sin(3.0 * (x - place)) ** 2, axis=-1)

        found.append(
            waves(minimize(FunctionOracle(waves), x0, bounds=[(-3, 3)] * 5, budget=800, rng=seed).x) / waves(x0)
        )
    assert np.exp(np.mean(np.log(found))) < 0.2


def test_a_slope_that_ends_in_a_plateau():
    """Regions grow and grow there, over more scales than one matrix holds."""
    result = minimize(FunctionOracle(lambda x: float(np.maximum(x, -5.0).sum())), np.ones(5), budget=1500, rng=2)
    assert np.maximum(result.x, -5.0).sum() == -25.0


def test_in_many_variables_a_model_that_is_refuted_gives_way():
    """Four runs; the model alone: 4e-4."""
    found = []
    for seed in range(4):
        start = np.random.default_rng(seed).standard_normal(16)
        found.append(discus(minimize(FunctionOracle(discus), start, budget=1600, rng=seed).x) / discus(start))
    assert np.exp(np.mean(np.log(found))) < 1e-6 and max(found) < 1e-5


@pytest.mark.parametrize("seed", [1, 6])
def test_an_error_that_is_made_always_does_not_free_what_is_rightly_at_a_bound(seed):
    problem = get(f"BoxedEllipsoid?n=5&condition=10&active=0.5&seed={seed}")
    judge = PersistentOracle(FunctionOracle(problem.f), 0.9, seed)
    result = minimize(judge, problem.x0, budget=1000, bounds=np.transpose(problem.bounds), rng=seed)
    assert problem.f(result.x) - problem.f_best < 1e-6 * (problem.f(problem.x0) - problem.f_best)


def test_the_search_that_follows_in_a_box_is_heard_once_it_is_ahead():
    problem = get("BoxedEllipsoid?n=5&condition=10&active=0.5&seed=2")
    gaps = []
    for budget in (100, 200, 300, 400):
        result = minimize(
            FunctionOracle(problem.f), problem.x0, budget=budget, bounds=np.transpose(problem.bounds), rng=2
        )
        gaps.append(problem.f(result.x) - problem.f_best)
    assert gaps == sorted(gaps, reverse=True) and gaps[-1] < 1e-7
