"""The first step, before there is a model, and the questions about f that the model overhears."""

import numpy as np

from steelyard import FunctionOracle, NoisyOracle, Session, minimize
from steelyard.algorithms.bayes_quadratic.first_step import CHECKS, first_step
from steelyard.algorithms.bayes_quadratic.look import MISPREDICTED, RUGGED_AFTER, RUGGED_AT_LEAST, Look
from steelyard.algorithms.bayes_quadratic.overheard import overheard
from steelyard.dialogue import Compare, drive
from steelyard.problems import get

START = np.array([4.0, -3.0, 2.0])


def square(x):
    return np.sum(x * x, axis=-1)


def answers(f):
    return lambda question: np.sign(f(question.b) - f(question.a)).astype(np.int8)


def rng(seed=0):
    return np.random.default_rng(seed)


def test_a_step_falls_and_was_asked_again():
    x, seen, checks = drive(first_step(START, 1.0, rng()), answers(square))
    assert square(x) < 0.5 * square(START)
    assert len(checks.answers) == CHECKS and (checks.answers == -1).all()
    assert len(seen.answers) <= START.size + 14
    np.testing.assert_array_equal(seen.answers, np.sign(square(seen.b) - square(seen.a)))


def test_a_step_of_which_the_judge_is_not_sure_is_not_made():
    told = []

    def fickle(question):
        """Says the opposite once the first pair is asked again."""
        told.append(question)
        again = len(question.a) == 1 and np.allclose(question.a[0], START, atol=0.02)
        return (-1 if again else 1) * answers(square)(question)

    x, _, checks = drive(first_step(START, 1.0, rng()), fickle)
    assert x is START and len(checks.answers) == 1


def test_nothing_is_seen_to_fall_on_a_plateau():
    x, _, checks = drive(first_step(START, 1.0, rng()), lambda question: np.zeros(len(question), np.int8))
    assert x is START and not len(checks.answers)


def test_a_box_says_how_far_the_minimum_may_be():
    """There the model begins at once: its first batch is one question."""
    assert len(Session("bayes-quadratic", START, rng=0, bounds=[(-5.0, 5.0)] * 3).question) == 1
    assert len(Session("bayes-quadratic", START, rng=0).question) == START.size


def test_what_is_overheard_is_told_in_the_right_order():
    a = np.arange(6.0).reshape(3, 2)
    b = a + 1.0
    b[1] = a[1]

    def ask():
        return (yield Compare(a, b))

    for seed in range(4):
        told, heard = drive(overheard(ask(), rng(seed)), answers(square))
        np.testing.assert_array_equal(told, [1, 0, 1])  # a point against itself is a tie
        assert len(heard.answers) == 2
        np.testing.assert_array_equal(heard.answers, np.sign(square(heard.b) - square(heard.a)))


def test_only_a_misfit_is_looked_at_and_once():
    look, n = Look(1.0), START.size
    late = max(RUGGED_AT_LEAST, RUGGED_AFTER * n)
    look.notice(late, n, 0.5 * MISPREDICTED)
    look.notice(1, n, 2.0 * MISPREDICTED)  # too early to say
    assert not look.rugged_due(late, n)
    look.notice(late, n, 2.0 * MISPREDICTED)
    assert look.rugged_due(late, n) and not look.rugged_due(late - 1, n)
    kind, seen = drive(look.landscape(START, rng()), answers(square))
    assert not kind.rugged and len(seen.answers) == 12
    assert not look.rugged_due(late, n)


def test_the_default_finds_the_best_basin_of_a_rugged_sum():
    """Eight runs, all of them; the next best basin has a value of 1."""
    found = []
    for seed in range(8):
        place = rng(seed + 50).uniform(-4.0, 4.0, 5)

        def rastrigin(x, place=place):
            d = x - place
            return np.sum(d * d + 10.0 * (1.0 - np.cos(2.0 * np.pi * d)), axis=-1)

        result = minimize(FunctionOracle(rastrigin), rng(seed).uniform(-8.0, 8.0, 5), budget=900, rng=seed)
        found.append(float(rastrigin(result.x)))
    assert max(found) < 1e-3 and np.exp(np.mean(np.log(found))) < 1e-8


def test_axes_in_different_units_are_recognised():
    """A sphere whose axes are measured in units from 1e-3 to 1e3."""
    units = np.logspace(-3.0, 3.0, 10)
    start = np.random.default_rng(3).standard_normal(10)
    result = minimize(FunctionOracle(lambda x: np.sum((units * x) ** 2, axis=-1)), start, budget=1000, rng=0)
    assert np.sum((units * result.x) ** 2) < 1e-8 * np.sum((units * start) ** 2)


def test_the_first_answers_of_a_judge_that_errs_mislead_few_runs():
    """Wrong one time in four: after 25 answers."""
    worse = []
    for seed in range(30, 70):
        problem = get(f"Ellipsoid?n=5&condition=10~rotated={seed}")
        judge = NoisyOracle(FunctionOracle(problem.f), 0.75, rng=seed)
        x = minimize(judge, problem.x0, budget=25, rng=seed).x
        worse.append(problem.f(x) > problem.f(problem.x0))
    assert np.mean(worse) <= 0.1
