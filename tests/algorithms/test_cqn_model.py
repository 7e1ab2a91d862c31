"""The quadratic that CQN fits to all answers in few variables: what it saves, when it is begun, when it ends."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard import problems
from steelyard.algorithms.cqn import cqn as method
from steelyard.algorithms.cqn.model_phase import model_phase
from steelyard.algorithms.cqn.tuning import DEFAULT
from steelyard.bounds import Box
from steelyard.dialogue import Compare, Step, drive
from steelyard.function_oracle import FunctionOracle
from steelyard.minimize import minimize
from steelyard.noisy_oracles import NoisyOracle
from steelyard.parts.hearing import Heard, listened, overlooked
from steelyard.parts.line_search import line_search
from steelyard.parts.speculation import ahead


def rotated_quadratic(n, condition, seed):
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.standard_normal((n, n)))[0]
    centre = rng.standard_normal(n)
    weights = condition ** np.linspace(0.0, 1.0, n)
    return lambda x: np.sum(weights * ((x - centre) @ Q) ** 2, axis=-1)


@pytest.fixture
def phases(monkeypatch):
    """How often the phase was begun."""
    begun = []

    def counted(*arguments):
        begun.append(arguments)
        return model_phase(*arguments)

    monkeypatch.setattr(method, "model_phase", counted)
    return begun


@pytest.mark.parametrize("seed", range(4))
def test_a_rotated_quadratic_of_condition_100_takes_60_comparisons_per_variable(seed):
    f, x0 = rotated_quadratic(5, 100.0, seed), np.full(5, 3.0)
    result = minimize(FunctionOracle(f), x0, method="cqn", budget=300, rng=seed)
    assert f(result.x) < 1e-6 * f(x0)


@pytest.mark.parametrize(("n", "modelled"), [(1, False), (2, True), (4, True), (10, True), (11, False)])
def test_it_is_for_few_variables(n, modelled, phases):
    minimize(FunctionOracle(rotated_quadratic(n, 10.0, 0)), np.full(n, 3.0), method="cqn", budget=40 * n, rng=0)
    assert bool(phases) is modelled


def test_after_a_contradiction_none_is_begun(phases):
    """The first question that is asked twice comes among the sign steps; here it is answered the other way."""
    f, seen = rotated_quadratic(5, 10.0, 0), set()

    def forgetful(x, y):
        again = (x.tobytes(), y.tobytes()) in seen
        seen.add((x.tobytes(), y.tobytes()))
        return int(np.sign(f(y) - f(x))) * (-1 if again else 1)

    minimize(forgetful, np.full(5, 3.0), method="cqn", budget=1000, rng=0)
    assert not phases


@pytest.mark.parametrize("seed", range(3))
def test_a_judge_that_errs_is_overcome_as_without_it(seed):
    f, x0 = rotated_quadratic(5, 10.0, seed), np.full(5, 3.0)
    result = minimize(NoisyOracle(FunctionOracle(f), p=0.9, rng=seed), x0, method="cqn", budget=3000, rng=seed)
    assert f(result.x) < 1e-4 * f(x0)


@pytest.mark.parametrize("seed", [3, 5])
def test_a_region_that_sees_what_bounds_mirror_becomes_smaller(seed):
    """With half of the variables at a bound; regions that were left as they are ended at .01 and .2 of the gap."""
    problem = problems.get(f"BoxedEllipsoid?n=5&condition=100&active=0.5&seed={seed}")
    result = minimize(
        FunctionOracle(problem), problem.x0, method="cqn", budget=500, rng=seed, bounds=Box(*problem.bounds)
    )
    assert problem.f(result.x) < 1e-9 * problem.f(problem.x0)


@pytest.mark.parametrize(("n", "level"), [(2, 1e-11), (3, 1e-7), (4, 1e-7)])
def test_in_two_to_four_variables_50_comparisons_per_variable_are_plenty(n, level):
    """Geometric means of four rotations; without the phase they are 6e-10, 1e-6 and 7e-4."""
    gaps = []
    for seed in range(4):
        f, x0 = rotated_quadratic(n, 100.0, seed), np.full(n, 3.0)
        result = minimize(FunctionOracle(f), x0, method="cqn", budget=50 * n, rng=seed)
        gaps.append(f(result.x) / f(x0))
    assert np.exp(np.mean(np.log(gaps))) < level


def test_what_is_overlooked_is_asked_but_not_heard():
    def asks():
        yield Compare(np.zeros((1, 2)), np.ones((1, 2)))
        said = yield from overlooked(ask_twice())
        yield Step(np.ones(2))
        return said

    def ask_twice():
        return (yield Compare(np.zeros((2, 2)), np.ones((2, 2))))

    said, heard = drive(listened(asks(), 2), lambda message: np.ones(len(message), dtype=np.int8))
    assert len(said) == 2
    assert len(heard.answers) == 1


def phase(answer):
    """Drive the phase at n = 5 from far away; how many were asked, and what it handed on."""
    asked = [0]

    def counted(message):
        asked[0] += len(message)
        return answer(message, asked[0])

    x = np.full(5, 3.0)
    handed = drive(model_phase(x, 0.25, 3.0, Heard.nothing(5), np.random.default_rng(0), DEFAULT), counted)
    return asked[0], handed


def test_a_tie_ends_it_at_once():
    f = rotated_quadratic(5, 10.0, 0)

    def ties_after_40(message, asked):
        return FunctionOracle(f).compare(message.a, message.b) * (asked <= 40)

    asked, handed = phase(ties_after_40)
    assert 40 < asked <= 44
    assert f(handed.x) < f(np.full(5, 3.0))


def test_it_ends_where_it_leads_no_further():
    """A judge that never prefers what is recommended: no better point is found, and the phase gives up."""

    def against(message, asked):
        return np.full(len(message), -1 if len(message) == 1 else 1, dtype=np.int8)

    asked, handed = phase(against)
    assert asked <= DEFAULT.model_most * 5 + 10
    np.testing.assert_array_equal(handed.x, np.full(5, 3.0))


def test_it_ends_after_its_share_of_answers():
    coin = np.random.default_rng(1)
    asked, handed = phase(lambda message, asked: coin.choice([-1, 1], len(message)).astype(np.int8))
    assert asked <= (DEFAULT.model_most + 10) * 5
    assert np.isfinite(handed.x).all()
    assert np.isfinite(handed.basis).all()


def test_what_is_heard_leaves_out_ties_and_passes_steps_on():
    def speaks():
        yield Step(np.zeros(2))
        answers = yield Compare(np.zeros((2, 2)), np.ones((2, 2)))
        return int(answers.sum())

    result, heard = drive(listened(speaks(), 2), lambda message: np.array([1, 0], dtype=np.int8))
    assert result == 1
    assert len(heard.answers) == len(heard.a) == 1


def test_what_is_heard_does_not_depend_on_how_many_are_in_flight():
    f, x, p = rotated_quadratic(5, 10.0, 0), np.full(5, 3.0), -np.ones(5)

    def heard(parallel):
        asked = ahead(lambda: line_search(x, p, 0.05, bits=3, shrinks=2), x, parallel)
        return drive(listened(asked, 5), lambda message: FunctionOracle(f).compare(message.a, message.b))

    (alone, told), (moved, told_ahead) = heard(1), heard(8)
    np.testing.assert_array_equal(moved.x, alone.x)
    for one, other in zip(told, told_ahead, strict=True):
        np.testing.assert_array_equal(one, other)
