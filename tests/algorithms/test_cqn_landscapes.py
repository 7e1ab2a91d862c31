"""CQN where gradients say little: rugged sums, rugged landscapes of other kinds, kinks."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.algorithms.cqn import CQN
from steelyard.algorithms.cqn.landscape import UNDECIDED, count_bumps, landscape
from steelyard.algorithms.cqn.sums import search_axes
from steelyard.algorithms.cqn.tuning import Tuning
from steelyard.dialogue import drive
from steelyard.function_oracle import FunctionOracle
from steelyard.minimize import minimize
from steelyard.noisy_oracles import NoisyOracle
from steelyard.problems import get

N = 10
ROTATION = np.linalg.qr(np.random.default_rng(3).standard_normal((N, N)))[0]
CENTRE = np.random.default_rng(4).uniform(-3.0, 3.0, N)
START = np.random.default_rng(5).uniform(2.0, 6.0, N)


def rastrigin(x):
    z = x - CENTRE
    return np.sum(10.0 - 10.0 * np.cos(2.0 * np.pi * z) + z * z, axis=-1)


def rotated_rastrigin(x):
    return rastrigin((x - CENTRE) @ ROTATION + CENTRE)


def ask(oracle):
    return lambda message: oracle.compare(message.a, message.b)


def valley(x):
    return np.sum(100.0 * (x[..., 1:] - x[..., :-1] ** 2) ** 2 + (1.0 - x[..., :-1]) ** 2, axis=-1)


def one_sided(x):
    """Steeper by 1e4 on one side of the minimum in each of the rotated coordinates."""
    z = (x - CENTRE) @ ROTATION
    return np.sum(np.where(z > 0.0, 100.0 * z, z) ** 2, axis=-1)


@pytest.mark.parametrize(
    ("rises", "bumps"), [([-1, -1, 1, 1], 0), ([1, -1, 1, -1], 2), ([1, 0, -1, 1], 1), ([0, 0, 0], 0)]
)
def test_a_bump_is_a_rise_and_then_a_fall(rises, bumps):
    assert count_bumps(np.array(rises, dtype=np.int8)) == bumps


@pytest.mark.parametrize(
    ("f", "rugged", "separable"),
    [(rastrigin, True, True), (rotated_rastrigin, True, False), (valley, False, False), (one_sided, False, False)],
)
def test_landscapes_are_recognised(f, rugged, separable):
    found = [
        drive(
            landscape(START, 4.0, np.random.default_rng(seed), Tuning()), lambda m: FunctionOracle(f).compare(m.a, m.b)
        )
        for seed in range(20)
    ]
    assert found.count((rugged, separable)) >= 18


def test_a_judge_that_errs_does_not_make_a_landscape_rugged():
    found = []
    for seed in range(20):
        judge = NoisyOracle(FunctionOracle(valley), p=0.8, rng=seed)
        found.append(
            drive(
                landscape(START, 4.0, np.random.default_rng(seed), Tuning()),
                lambda m, judge=judge: judge.compare(m.a, m.b),
            ).rugged
        )
    assert sum(found) <= 1


def steps(x):
    """A bowl of flat steps in rotated coordinates."""
    return np.sum(np.round(1.2 * (x - CENTRE) @ ROTATION) ** 2, axis=-1)


def indifferent(x):
    """A bowl in which half of the coordinates do not matter."""
    return np.sum((x - CENTRE)[..., ::2] ** 2, axis=-1)


def test_plateaus_are_recognised_and_coordinates_that_do_not_matter_are_none():
    def kinds(f):
        asked = (landscape(START, 4.0, np.random.default_rng(seed), Tuning()) for seed in range(20))
        return [drive(part, lambda m: FunctionOracle(f).compare(m.a, m.b)) for part in asked]

    assert sum(kind.rugged for kind in kinds(steps)) >= 12
    assert not any(kind.rugged for kind in kinds(indifferent))


def test_a_rugged_sum_is_solved_along_its_axes():
    result = minimize(FunctionOracle(rastrigin), START, method="cqn", budget=200 * N, rng=0)
    assert rastrigin(result.x) < 1e-7


def uneven(x):
    """As `rastrigin`, but ten times as fast on one side of the minimum, in every other coordinate."""
    z = x - CENTRE
    z = np.where((np.arange(N) % 2 == 0) & (z > 0.0), 10.0 * z, z)
    return np.sum(10.0 - 10.0 * np.cos(2.0 * np.pi * z) + z * z, axis=-1)


@pytest.mark.parametrize("f", [rastrigin, uneven])
def test_the_best_bottom_is_found_along_each_axis(f):
    asked = []

    def answer(message):
        asked.append(len(message.a))
        return FunctionOracle(f).compare(message.a, message.b)

    misses = 0
    for seed in range(5):
        found = drive(search_axes(START, 4.0, np.random.default_rng(seed), Tuning()), answer)
        misses += int(np.count_nonzero(np.abs(found - CENTRE) > 1e-5))
    assert misses == 0
    assert sum(asked) < 5 * 116 * N
    assert max(asked) <= N


def test_a_function_without_bumps_is_left_at_its_bottom_along_each_axis():
    found = drive(
        search_axes(START, 4.0, np.random.default_rng(0), Tuning()), lambda m: FunctionOracle(bowl).compare(m.a, m.b)
    )
    assert bowl(found) < 1e-3 * bowl(START)


def test_kinks_that_cross_the_axes_are_followed_to_their_bottom():
    """Least squares with a penalty on absolute values; the minimum by proximal gradient steps."""
    r = np.random.default_rng(1)
    A, b, weight = r.standard_normal((15, 5)), r.standard_normal(15), 8.0

    def penalised(x):
        return np.sum((x @ A.T - b) ** 2, axis=-1) + weight * np.sum(np.abs(x), axis=-1)

    best, rate = np.zeros(5), 0.5 / np.linalg.norm(A, 2) ** 2
    for _ in range(5000):
        moved = best - 2.0 * rate * A.T @ (A @ best - b)
        best = np.sign(moved) * np.maximum(np.abs(moved) - rate * weight, 0.0)
    assert np.count_nonzero(best) < 5
    start = r.uniform(-2.0, 2.0, 5)
    result = minimize(FunctionOracle(penalised), start, method="cqn", bounds=[(-3, 3)] * 5, budget=2500, rng=1)
    assert penalised(result.x) - penalised(best) < 1e-9 * (penalised(start) - penalised(best))


def bowl(x):
    return np.sum((x - CENTRE) ** 2, axis=-1)


def test_a_population_at_rest_is_not_believed_without_a_wide_look(monkeypatch):
    def at_once(self, x, scale, rng):
        """A population that rests where it began."""
        return x
        yield

    monkeypatch.setattr(CQN, "_without_gradients", at_once)
    result = minimize(FunctionOracle(one_sided), START, method=CQN(escapes=0), budget=1_000 * N, rng=0)
    assert one_sided(result.x) < 1e-3


def test_a_steep_side_does_not_stop_it():
    result = minimize(FunctionOracle(one_sided), START, method="cqn", budget=1_000 * N, rng=0)
    assert one_sided(result.x) < 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_two_points_on_a_ridge_lead_to_its_lowest_point(seed):
    """Its sides are a hundred times as steep as the crest: a descent alone ends anywhere on it."""

    def ridge(x):
        z = (x - CENTRE) @ ROTATION
        return z[..., 0] ** 2 + 100.0 * np.linalg.norm(z[..., 1:], axis=-1)

    result = minimize(FunctionOracle(ridge), START, method=CQN(escapes=0), budget=500 * N, rng=seed)
    assert ridge(result.x) < 1e-5


def test_plateaus_are_left_undecided_early_on():
    flat = FunctionOracle(get("Steps?n=20~rotated=1"))
    early = drive(landscape(np.full(20, 0.5), 0.5, np.random.default_rng(0), Tuning(), early=True), ask(flat))
    later = drive(landscape(np.full(20, 0.5), 0.5, np.random.default_rng(0), Tuning()), ask(flat))
    assert early is UNDECIDED
    assert later is not UNDECIDED


@pytest.mark.parametrize("rotation", [1, 2, 3])
def test_on_plateaus_signs_lead_on_before_populations(rotation):
    """With the question asked once, after four steps, these ended between .016 and .026."""
    problem = get(f"Steps?n=20~rotated={rotation}")
    result = minimize(FunctionOracle(problem), problem.x0, method="cqn", budget=500, rng=rotation)
    assert problem.f(result.x) < 0.015 * problem.f(problem.x0)
