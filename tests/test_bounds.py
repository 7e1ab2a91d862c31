import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import Bounds

from steelyard.bounds import SmoothMap, as_box
from steelyard.function_oracle import FunctionOracle
from steelyard.minimize import minimize
from steelyard.registry import make_algorithm
from steelyard.session import Session

numbers = st.floats(-1e6, 1e6)


@given(st.lists(st.tuples(numbers, st.floats(0, 1e3), numbers), min_size=1, max_size=6))
def test_folded_points_are_inside_and_inside_points_stay_bit_for_bit(rows):
    low = np.array([row[0] for row in rows])
    high = low + np.array([row[1] for row in rows])
    x = np.array([row[2] for row in rows])
    box = as_box(list(zip(low, high, strict=True)), len(rows))
    folded = box.fold(x)
    assert box.contains(folded)
    inside = (x >= low) & (x <= high)
    assert (folded[inside] == x[inside]).all()
    assert (box.fold(folded) == folded).all()


def test_reflection_at_one_face_at_two_and_at_none():
    box = as_box([(0, 1), (0, None), (None, 2), (None, None)], 4)
    x = np.array([[1.25, -3.0, 5.0, 7.0], [-2.25, 4.0, -9.0, -7.0]])
    np.testing.assert_allclose(box.fold(x), [[0.75, 3.0, -1.0, 7.0], [0.25, 4.0, -9.0, -7.0]])


def test_a_frozen_variable_stays_put():
    box = as_box([(3, 3), (0, 1)], 2)
    np.testing.assert_array_equal(box.fold(np.array([9.0, 0.5])), [3.0, 0.5])
    np.testing.assert_array_equal(box.from_unit(np.array([0.7, 0.5])), [3.0, 0.5])


def test_unit_box_round_trip():
    box = as_box(Bounds([1, -2], [3, 6]), 2)
    x = np.array([1.5, 4.0])
    np.testing.assert_allclose(box.from_unit(box.to_unit(x)), x)


boxes = st.lists(
    st.tuples(numbers, st.floats(1e-3, 1e3), st.sampled_from(["both", "low", "high", "none"]), st.floats(0.0, 1.0)),
    min_size=1,
    max_size=6,
)


def smooth_map(rows):
    """The map of a box with closed and open sides, its box and a start in it."""
    low = np.array([row[0] for row in rows])
    high = low + np.array([row[1] for row in rows])
    x0 = np.clip(low + np.array([row[3] for row in rows]) * (high - low), low, high)
    low = np.where([row[2] in ("both", "low") for row in rows], low, -np.inf)
    high = np.where([row[2] in ("both", "high") for row in rows], high, np.inf)
    box = as_box(np.stack([low, high], axis=1), len(rows))
    return SmoothMap(box, x0), box, x0


@given(boxes, st.integers(0, 1000))
def test_the_smooth_map_leads_into_the_box_and_the_start_to_itself(rows, seed):
    smooth, box, x0 = smooth_map(rows)
    z = x0 + 10.0 ** np.random.default_rng(seed).uniform(-6, 7, x0.size) * np.random.default_rng(seed).choice([-1, 1])
    assert box.contains(smooth.outward(z))
    assert box.contains(smooth.outward(np.stack([z, x0])))
    width = np.where(np.isfinite(box.high - box.low), box.high - box.low, 1.0 + np.abs(x0))
    assert (np.abs(smooth.outward(smooth.inward(x0)) - x0) <= 0.004 * width).all()


def test_the_smooth_map_is_the_identity_inside_and_has_no_kink_anywhere():
    smooth = SmoothMap(as_box([(0, 1)], 1), np.array([0.5]))
    inside = np.linspace(0.05, 0.95, 50)[:, None]
    np.testing.assert_array_equal(smooth.outward(inside), inside)
    z = np.linspace(-3.0, 4.0, 70_001)[:, None]
    slope = np.diff(smooth.outward(z)[:, 0]) / 1e-4
    assert np.abs(slope).max() <= 1.0 + 1e-6
    assert np.abs(np.diff(slope)).max() < 2e-3  # a mirror has a jump of 2
    assert smooth.outward(z).min() == pytest.approx(0.0, abs=1e-8)
    assert smooth.outward(z).max() == pytest.approx(1.0, abs=1e-8)


@pytest.mark.parametrize("bounds", [[(0, 1)], [(0, None)], [(None, 0)], [(3, 3)]])
def test_a_start_on_a_face_is_walked_from_where_probes_differ(bounds):
    x0 = np.array([float(bounds[0][0] or 0)])
    smooth = SmoothMap(as_box(bounds, 1), x0)
    z = smooth.inward(x0)
    before, after = smooth.outward(z - 1e-3), smooth.outward(z + 1e-3)
    assert (before == after) == (bounds[0] == (3, 3))
    assert Session(make_algorithm("cqn"), x0, 0, bounds=bounds).recommend() == x0


def corner_problem(n, condition, seed):
    """A rotated quadratic whose minimum in [-1, 1]^n is known: about half of the bounds are active there."""
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.standard_normal((n, n)))[0]
    H = (Q * condition ** np.linspace(0.0, 1.0, n)) @ Q.T
    active = rng.random(n) < 0.5
    best = np.where(active, rng.choice([-1.0, 1.0], n), rng.uniform(-0.6, 0.6, n))
    pull = np.where(active, -best * rng.uniform(0.3, 1.0, n), 0.0)  # the gradient there points out of the box
    return (lambda x: 0.5 * np.einsum("...i,ij,...j", x - best, H, x - best) + (x - best) @ pull), rng.uniform(
        -0.8, 0.8, n
    )


@pytest.mark.parametrize(("method", "n", "budget"), [("cqn", 5, 900), ("cqn", 20, 3500), ("one-plus-one", 5, 1500)])
@pytest.mark.parametrize("condition", [1.0, 100.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_minimum_on_faces_is_found_like_any_other(method, n, budget, condition, seed):
    f, x0 = corner_problem(n, condition, seed)
    result = minimize(FunctionOracle(f), x0, method=method, budget=budget, bounds=[(-1, 1)] * n, rng=0)
    assert np.abs(result.x).max() <= 1.0
    assert f(result.x) < 1e-9 * f(x0)


def test_a_start_on_faces_does_not_hold_a_method_there():
    n = 6
    x0 = np.array([1.0, -1.0, 1.0, 0.2, -0.3, 0.1])
    best = np.linspace(-0.5, 0.5, n)
    f = FunctionOracle(lambda x: np.sum((x - best) ** 2, axis=-1))
    result = minimize(f, x0, budget=600, bounds=[(-1, 1)] * n, rng=0)
    np.testing.assert_allclose(result.x, best, atol=1e-4)


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ([(0, 1)], "bounds must be 2 pairs"),
        ([(0, 1), (3, 2)], r"low <= high, got \(3, 2\) for variable 1"),
        ([(0, 1), (np.nan, 2)], "low <= high"),
        (5, "bounds must be None, scipy.optimize.Bounds or pairs"),
    ],
)
def test_bad_bounds_are_named(bounds, message):
    with pytest.raises((ValueError, TypeError), match=message):
        as_box(bounds, 2)
