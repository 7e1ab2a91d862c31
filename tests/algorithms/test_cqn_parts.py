"""The parts of CQN, each against what it must find."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.algorithms.cqn.basis import Dense, LimitedMemory, square_root_update
from steelyard.algorithms.cqn.escape import challenging
from steelyard.algorithms.cqn.measure import length_ratio, measure, remnant
from steelyard.algorithms.cqn.quasi_newton import damped
from steelyard.algorithms.cqn.sign_phase import sign_phase
from steelyard.algorithms.cqn.start_line import start_line
from steelyard.algorithms.cqn.tie_skipping import TieSkipping
from steelyard.algorithms.cqn.tuning import Tuning
from steelyard.dialogue import Compare, Step
from steelyard.function_oracle import FunctionOracle
from steelyard.parts.line_search import line_search


def answer(question, f, steps=None):
    """What a part of a dialogue returns if f answers, and the comparisons it took; `steps` gets its recommendations."""
    oracle, answers, queries = FunctionOracle(f, vectorized=True), None, 0
    while True:
        try:
            message = question.send(answers)
        except StopIteration as stop:
            return stop.value, queries
        answers = oracle.compare(message.a, message.b) if isinstance(message, Compare) else None
        queries += len(message) if isinstance(message, Compare) else 0
        if steps is not None and isinstance(message, Step):
            steps.append(message.x)


def spd(n, seed=0):
    A = np.random.default_rng(seed).standard_normal((n, n))
    return A @ A.T + np.eye(n)


def test_measure_finds_the_direction_of_the_gradient():
    n = 200
    g = np.random.default_rng(1).standard_normal(n)
    (found, _), queries = answer(measure(np.zeros(n), Dense(np.eye(n)), 0.1, TieSkipping(n), 0.38), lambda x: x @ g)
    assert found @ g / np.linalg.norm(found) / np.linalg.norm(g) > 0.96
    assert queries < 2.9 * n


def test_measure_sees_the_gradient_from_the_basis():
    n = 30
    rng = np.random.default_rng(2)
    B, g = rng.standard_normal((n, n)), rng.standard_normal(n)
    (found, _), _ = answer(measure(np.zeros(n), Dense(B.T.copy()), 0.1, TieSkipping(n), 0.2), lambda x: x @ g)
    seen = B.T @ g
    assert found @ seen / np.linalg.norm(found) / np.linalg.norm(seen) > 0.97


def test_measure_leaves_tied_columns_at_zero():
    g = np.array([1.0, 0.0, -2.0, 0.0])
    (found, _), _ = answer(measure(np.zeros(4), Dense(np.eye(4)), 0.1, TieSkipping(4), 0.3), lambda x: x @ g)
    assert np.array_equal(np.sign(found), np.sign(g))


@pytest.mark.parametrize("ratio", [0.01, 0.4, 1.0, 7.0, 300.0])
def test_length_ratio_of_two_gradients(ratio):
    rng = np.random.default_rng(3)
    u, v = (w / np.linalg.norm(w) for w in rng.standard_normal((2, 40)))
    g = 0.5 * (u + ratio * v)
    found, queries = answer(length_ratio(np.zeros(40), Dense(np.eye(40)), u, v, 0.1, 1.0), lambda x: x @ g)
    assert found == pytest.approx(ratio, rel=0.11)
    assert queries < 20


@pytest.mark.parametrize(("missed", "queries"), [(0.0, 1), (0.05, 1), (0.2, 3), (0.35, 3)])
def test_what_a_direction_has_missed_is_found_where_it_was_measured(missed, queries):
    rng = np.random.default_rng(3)
    u, v = (w / np.linalg.norm(w) for w in rng.standard_normal((2, 40)))
    g = u + missed * v
    found, asked = answer(remnant(np.zeros(40), Dense(np.eye(40)), u, v, 0.1, 0.5), lambda x: x @ g)
    assert asked == queries
    assert found == (pytest.approx(missed, abs=0.04) if queries > 1 else 0.0)


@pytest.mark.parametrize(("n", "most"), [(31, 31), (32, 16), (101, 51)])
def test_signs_are_asked_for_along_every_other_coordinate_in_many_variables(n, most):
    sizes, seen = set(), sign_phase(np.linspace(1.0, 2.0, n), 0.1, TieSkipping(n), Tuning())
    message = next(seen)
    for _ in range(60):
        if isinstance(message, Step):
            message = next(seen)
        else:
            sizes.add(len(message))
            message = seen.send(FunctionOracle(lambda x: np.sum(x * x, axis=-1)).compare(message.a, message.b))
    assert max(sizes) == most


def test_length_ratio_of_parallel_gradients_is_unknown():
    u = np.ones(4) / 2.0
    assert answer(length_ratio(np.zeros(4), Dense(np.eye(4)), u, u, 0.1, 1.0), lambda x: x @ u) == (None, 0)


@pytest.mark.parametrize("best", [0.001, 0.3, 1.0, 5.0, 1000.0])
def test_line_search_finds_the_step_length(best):
    moved, queries = answer(
        line_search(np.zeros(1), np.ones(1), 1.0, bits=4, shrinks=12), lambda x: (x[..., 0] - best) ** 2
    )
    assert moved.a == pytest.approx(best, rel=0.3)
    assert moved.x[0] == moved.a
    assert queries < 20


def test_line_search_fails_uphill():
    moved, queries = answer(line_search(np.zeros(2), np.ones(2), 1.0, bits=4, shrinks=5), lambda x: x.sum(axis=-1))
    assert moved is None
    assert queries == 6


def test_the_update_is_the_square_root_of_the_inverse_bfgs_update():
    rng = np.random.default_rng(4)
    s, y = rng.standard_normal(6), rng.standard_normal(6)
    y = y if s @ y > 0 else -y
    U, N = square_root_update(s, y)
    factor = np.eye(6) + U @ N @ U.T
    E = np.eye(6) - np.outer(s, y) / (s @ y)
    np.testing.assert_allclose(factor @ factor, E @ E.T + np.outer(s, s) / (s @ y), atol=1e-10)
    np.testing.assert_allclose(factor, factor.T, atol=1e-12)


@pytest.mark.parametrize("cosine", [-0.5, 0.01, 0.4, 0.9])
def test_a_bad_secant_pair_is_damped_and_a_good_one_left_alone(cosine):
    s = np.array([2.0, 0.0, 0.0])
    y = 3.0 * np.array([cosine, np.sqrt(1.0 - cosine**2), 0.0])
    found = damped(s, y, 0.5)
    assert s @ found / np.linalg.norm(s) / np.linalg.norm(found) == pytest.approx(max(0.5, cosine))
    assert (found is y) == (cosine > 0.5)
    np.testing.assert_allclose(found[1:], y[1:])


def test_every_constant_says_what_it_is_and_where_it_comes_from():
    tuning = Tuning()
    for name, part in tuning.__dataclass_fields__.items():
        assert len(part.metadata["what"]) > 10, name
        assert part.metadata["source"].split()[0] in ("derived", "measured", "usual"), name
    assert "least_cosine = 0.5: " in tuning.explain()


def bases(n, memory):
    return Dense(0.5 * np.eye(n)), LimitedMemory(n, 0.5, memory)


def test_limited_memory_equals_dense_while_nothing_is_forgotten():
    n, H = 12, spd(12)
    dense, limited = bases(n, 6)
    rng = np.random.default_rng(5)
    for _ in range(6):
        s = rng.standard_normal(n)
        y = dense.transposed @ H @ dense.apply(s)  # seen from B
        g = rng.standard_normal(n)
        dense, g_dense = dense.updated(s, y, g)
        limited, g_limited = limited.updated(s, y, g)
        np.testing.assert_allclose(g_limited, g_dense, atol=1e-8)
        np.testing.assert_allclose(limited.columns(np.arange(n)), dense.transposed, atol=1e-8)
        np.testing.assert_allclose(limited.apply(g), dense.apply(g), atol=1e-8)


def test_limited_memory_forgets_the_oldest_pair():
    n, H = 12, spd(12, 1)
    rng = np.random.default_rng(6)
    limited = LimitedMemory(n, 1.0, 3)
    steps = []
    gradient = rng.standard_normal(n)
    for _ in range(8):
        s = rng.standard_normal(n)
        steps.append(limited.apply(s))
        y = limited.columns(np.arange(n)) @ H @ steps[-1]
        limited, g = limited.updated(s, y, limited.columns(np.arange(n)) @ gradient)
    assert len(limited.pairs) == 3
    B = limited.columns(np.arange(n)).T
    np.testing.assert_allclose(g, B.T @ gradient, atol=1e-8)
    np.testing.assert_allclose(B @ B.T @ H @ steps[-1], steps[-1], atol=1e-8)  # the secant equation of the last step


@pytest.mark.parametrize("t", [0.3, -0.5, 2.0])
def test_a_start_of_the_wrong_size_is_mended(t):
    x0 = np.random.default_rng(0).standard_normal(50)
    found, queries = answer(start_line(x0), lambda x: np.sum((x - t * x0) ** 2, axis=-1))
    np.testing.assert_allclose(found, t * x0, atol=0.01 * np.linalg.norm(x0) / np.sqrt(50))
    assert queries <= 25


def test_a_start_of_the_right_size_costs_little():
    n = 50
    x0, minimiser = np.zeros(n), np.zeros(n)
    x0[0], minimiser[:] = 1.0, np.linspace(1.0, 2.0, n)
    found, queries = answer(start_line(x0), lambda x: np.sum((x - minimiser) ** 2, axis=-1))
    np.testing.assert_array_equal(found, x0)
    assert queries <= 5


def test_where_f_falls_for_ever_the_start_keeps_its_size():
    found, queries = answer(start_line(np.ones(3)), lambda x: -np.sum(x, axis=-1))
    np.testing.assert_array_equal(found, np.ones(3))
    assert queries <= 12


def walk(*points):
    """A descent that asks nothing."""
    for x in points:
        yield Step(np.array([x]))
    return "the end"


@pytest.mark.parametrize(
    ("points", "ends", "seen"),
    [
        ((5.0, 3.0, 0.5, 0.4, 0.0), "the end", [0.5, 0.4, 0.0]),  # quiet until it is better than the best known
        ((5.0, 4.0, 3.999, 0.0), None, []),  # near a minimum that is worse: given up
        ((5.0, 4.0, 3.0), None, []),  # came to its end without being better
    ],
)
def test_a_descent_from_elsewhere_must_first_be_better(points, ends, seen):
    recommended = []
    challenge = challenging(walk(*points), np.array([9.0]), np.array([1.0]))
    end, _ = answer(challenge, lambda x: x[..., 0], recommended)
    assert end == ends
    assert [x[0] for x in recommended] == seen
