"""`auto` says what it chose and why; `spsa` is the baseline that engine tuners use."""

import numpy as np
import pytest

from steelyard import FunctionOracle, LogisticOracle, minimize
from steelyard.algorithms.auto import Auto
from steelyard.algorithms.spsa import SPSA
from steelyard.bounds import as_box


def sphere(x):
    return float(((x - 0.3) ** 2).sum())


@pytest.mark.parametrize(
    ("n", "bounds", "answers", "chosen"),
    [
        (3, [(0, 1)] * 3, 40, "preference-gp"),
        (3, [(0, 1)] * 3, 400, "bayes-quadratic"),
        (3, [(0, None)] * 3, 40, "bayes-quadratic"),
        (3, None, 40, "bayes-quadratic"),
        (7, [(0, 1)] * 7, 40, "bayes-quadratic"),
        (100, None, 1000, "bayes-quadratic"),
        (101, None, 1000, "cqn"),
    ],
)
def test_the_table(n, bounds, answers, chosen):
    choice = Auto(answers=answers).method_for(n, as_box(bounds, n))
    assert choice.why.startswith(chosen)


def test_the_result_says_what_was_chosen_and_what_was_learnt():
    result = minimize(FunctionOracle(sphere), np.zeros(3), budget=100, rng=1)
    assert result.method.startswith("bayes-quadratic")
    assert "bayes-quadratic" in result.message
    assert result.judge.answers <= result.ncmp == 100
    assert str(result.judge) in result.message


def test_spsa_steps_towards_the_winner_of_two_perturbed_points():
    dialogue = SPSA(step=1.0, perturbation=0.2, alpha=0.0, gamma=0.0, answers=1).run(
        np.array([1.0, -1.0]), np.random.default_rng(0)
    )
    question = next(dialogue)
    plus, minus = question.a[0], question.b[0]
    assert np.allclose(plus + minus, [2.0, -2.0])
    assert np.allclose(np.abs(plus - minus), 0.4)  # 2 perturbations of .2 in units of the rms of x0, which is 1
    step = dialogue.send(np.array([-1], dtype=np.int8))
    assert np.allclose(step.x, [1.0, -1.0] + np.sign(minus - [1.0, -1.0]) / np.sqrt(2.0))


def test_spsa_stays_in_the_box_and_bears_errors_when_close():
    seen = []

    def f(x):
        seen.append(x.copy())
        return sphere(x)

    judge = LogisticOracle(FunctionOracle(f, cache=False), 0.05, rng=1)
    result = minimize(judge, np.array([-0.9, 0.9, 0.9]), method="spsa", bounds=[(-1, 1)] * 3, budget=1000, rng=1)
    assert np.abs(seen).max() <= 1.0
    assert sphere(result.x) < 0.02
