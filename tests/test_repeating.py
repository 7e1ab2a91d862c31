"""Questions repeated for an oracle that errs at an unknown rate."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.dialogue import Compare, Step
from steelyard.function_oracle import FunctionOracle
from steelyard.noisy_oracles import NoisyOracle
from steelyard.oracles import as_oracle
from steelyard.parts.repeating import ErrorRate, repeating


def asks(batches, rows):
    """Questions whose true answer is always +1; returns the share of wrong verdicts in the second half."""
    wrong = 0
    for i in range(batches):
        answers = yield Compare(np.zeros((rows, 1)), np.ones((rows, 1)))
        wrong += int(np.count_nonzero(answers != 1)) * (i >= batches // 2)
        yield Step(np.zeros(1))
    return f"{wrong / (batches - batches // 2) / rows}"


def run(dialogue, oracle):
    """The number of comparisons, and the share of wrong verdicts."""
    queries, answers = 0, None
    while True:
        try:
            message = dialogue.send(answers)
        except StopIteration as stop:
            return queries, float(stop.value)
        answers = None
        if isinstance(message, Compare):
            answers = oracle.compare(message.a, message.b)
            queries += len(message)


def repeated(batches, rows):
    return repeating(lambda x: asks(batches, rows), np.zeros(1))


def counting(dialogue, questions):
    """The same dialogue, its questions counted."""
    answers = None
    while True:
        try:
            message = dialogue.send(answers)
        except StopIteration as stop:
            return stop.value
        questions["asked"] += len(message) if isinstance(message, Compare) else 0
        answers = yield message


def noisy(p, seed=0):
    return NoisyOracle(FunctionOracle(lambda x: float(x[0])), p, seed)


@pytest.mark.parametrize(("batches", "rows"), [(1, 100), (50, 20), (2000, 1), (3, 1000)])
def test_reliable_answers_cost_at_most_five_percent_more(batches, rows):
    queries, wrong = run(repeated(batches, rows), noisy(1.0))
    assert wrong == 0.0
    assert batches * rows < queries <= 1.05 * batches * rows


@pytest.mark.parametrize(("p", "cost"), [(0.9, 5.0), (0.7, 20.0)])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_questions_alone_are_answered_right_at_an_unknown_error_rate(p, cost, seed):
    questions = {"asked": 0}  # some of them twice, as it begins again
    queries, wrong = run(repeating(lambda x: counting(asks(1500, 1), questions), np.zeros(1)), noisy(p, seed))
    _, undone = run(asks(1500, 1), noisy(p, seed))
    assert undone > 0.08
    assert wrong < 0.015
    assert queries < cost * questions["asked"] < cost * 1800


def test_questions_among_many_are_repeated_less():
    alone, _ = run(repeated(2000, 1), noisy(0.7))
    together, wrong = run(repeated(20, 100), noisy(0.7))
    assert together < 0.8 * alone
    assert wrong < 0.06


@pytest.mark.parametrize("p", [0.95, 0.9, 0.8, 0.7])
def test_the_error_rate_is_learnt(p):
    belief = ErrorRate()

    def believing():
        for _ in range(30):
            yield from belief.settle(Compare(np.zeros((50, 1)), np.ones((50, 1))))
        return "0"

    run(believing(), noisy(p))
    assert belief.rate == pytest.approx(1.0 - p, abs=0.03)


def test_a_question_on_which_answers_never_agree_becomes_a_tie_in_the_end():
    coin = np.random.default_rng(0)
    oracle = as_oracle(lambda x, y: int(coin.choice([-1, 1])))
    queries, wrong = run(repeated(20, 5), oracle)
    assert wrong > 0.3
    assert queries < 100 * 400


def test_ties_are_answers_too():
    queries, wrong = run(repeated(20, 5), as_oracle(lambda x, y: 0))
    assert wrong == 1.0
    assert queries <= 105


@pytest.mark.parametrize(("wrong", "starts"), [((), [0.0]), (range(20, 30), [0.0, 3.0]), (range(600, 700), [0.0])])
def test_an_early_contradiction_makes_the_dialogue_begin_again_where_it_is(wrong, starts):
    begun = []

    def begin(x):
        begun.append(float(x[0]))
        for _ in range(200):
            for _ in range(5):
                yield Compare(np.zeros((1, 1)), np.ones((1, 1)))
            x = x + 1.0
            yield Step(x)
        return "0"

    asked = iter(range(100_000))
    run(repeating(begin, np.zeros(1)), as_oracle(lambda x, y: -1 if next(asked) in wrong else 1))
    assert begun == starts
