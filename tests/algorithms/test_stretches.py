"""Axes of very different lengths: seen, and taken into account."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.algorithms.cqn import CQN
from steelyard.algorithms.cqn.stretches import stretches
from steelyard.algorithms.cqn.tuning import Tuning
from steelyard.dialogue import Compare, Evaluate, Step, drive
from steelyard.function_oracle import FunctionOracle
from steelyard.parts.stretched import stretched
from steelyard.problems import get
from steelyard.session import Session

N = 20


def lengths(f, x, gradient, scale=1.0):
    """What `stretches` finds at x, and the comparisons that it took."""
    oracle, asked = FunctionOracle(f, vectorized=True), []

    def answer(message):
        asked.append(len(message))
        return oracle.compare(message.a, message.b)

    return drive(stretches(x, np.sign(gradient), scale, Tuning()), answer), sum(asked)


@pytest.mark.parametrize("condition", [1e5, 1e8, 1e12])
def test_the_lengths_of_axes_are_found(condition):
    curvature = condition ** np.random.default_rng(0).permutation(np.linspace(0.0, 1.0, N))
    x = np.cos(np.arange(N))
    found, queries = lengths(lambda z: np.sum(curvature * z * z, axis=-1), x, x)
    off = np.log2(found * np.sqrt(curvature))
    assert np.abs(off - np.median(off)).max() <= 2.0  # between curvatures from 1 to 1e12
    assert np.array_equal(np.log2(found), np.round(np.log2(found)))
    assert queries <= 8 * N


def test_rotated_problems_are_left_alone_after_few_comparisons_per_variable():
    for seed in range(5):
        Q = np.linalg.qr(np.random.default_rng(seed).standard_normal((N, N)))[0]
        H = (Q * 1e6 ** np.linspace(0.0, 1.0, N)) @ Q.T
        x = np.cos(np.arange(N))
        found, queries = lengths(lambda z, H=H: np.einsum("...i,ij,...j", z, H, z), x, H @ x)
        assert found is None
        assert queries <= 3 * N


def test_in_many_variables_16_axes_say_that_no_stretch_is_needed():
    x = np.cos(np.arange(300.0))
    found, queries = lengths(lambda z: np.sum(z * z, axis=-1), x, x)
    assert found is None
    assert queries == 33


@pytest.mark.parametrize(
    "f", [lambda z: np.sum(np.cos(3.0 * z), axis=-1), lambda z: z @ np.ones(N), lambda z: np.zeros(z.shape[:-1])]
)
def test_no_level_is_no_reason_to_stretch(f):
    found, queries = lengths(f, np.zeros(N), np.ones(N))
    assert found is None
    assert queries <= 6 * N


def test_walls_are_no_lengths():
    """Behind the walls of a box f comes down again."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        x, centre = rng.uniform(-0.8, 0.8, (2, N))

        def f(z, centre=centre):
            return np.sum((np.abs((z + 1.0) % 4.0 - 2.0) - 1.0 - centre) ** 2, axis=-1)

        found, _ = lengths(f, x, centre - x, 0.5)
        assert found is None


@pytest.mark.parametrize("name", ["Ellipsoid?n=20&condition=1~scaled=1e6", "Ellipsoid?n=20&condition=1e6"])
def test_axes_scaled_by_a_million_cost_no_more_than_a_sphere_does(name):
    problem = get(name)
    session = Session(CQN(), problem.x0, 0)
    session.run(FunctionOracle(problem), 2000)
    assert problem.f(session.recommend()) < 1e-9 * problem.f(problem.x0)


def test_a_stretched_dialogue_speaks_of_its_own_coordinates():
    by, heard = np.array([2.0, 0.5]), []

    def dialogue():
        question = Compare(np.array([[1.0, 1.0], [2.0, 2.0]]), np.broadcast_to(np.array([3.0, 4.0]), (2, 2)), 5)
        heard.append((yield question))
        heard.append(question.cut_to)
        yield Step(np.array([1.0, 8.0]))
        return "end"

    part = stretched(dialogue(), by)
    message = next(part)
    np.testing.assert_array_equal(message.a, [[2.0, 0.5], [4.0, 1.0]])
    np.testing.assert_array_equal(message.b, [[6.0, 2.0]] * 2)
    assert message.b.strides[0] == 0
    assert message.reserve == 5
    message.cut_to = 1
    step = part.send(np.array([1, 0]))
    np.testing.assert_array_equal(step.x, [2.0, 4.0])
    np.testing.assert_array_equal(heard[0], [1, 0])
    assert heard[1] == 1
    with pytest.raises(StopIteration, match="end"):
        next(part)


def test_values_are_not_stretched():
    def dialogue():
        yield Evaluate(np.ones((1, 2)))

    with pytest.raises(TypeError, match="only compare, got Evaluate"):
        next(stretched(dialogue(), np.ones(2)))
