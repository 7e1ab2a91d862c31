import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import Bounds

from steelyard.bounds import as_box

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
