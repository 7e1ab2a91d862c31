import numpy as np
import pytest

from steelyard.bench.profiles import (
    band,
    data_profile,
    ecdf,
    performance_profile,
    quantile,
    solved_fraction,
    spread,
)
from steelyard.bench.significance import holm, log_differences, paired_tests

INF = np.inf
# 3 problems, 2 algorithms, 3 seeds
TIMES = np.array(
    [
        [[10, 20, 30], [40, 40, 40]],
        [[100, INF, INF], [50, 60, INF]],
        [[INF, INF, INF], [INF, INF, INF]],
    ]
)


def test_performance_profile_by_hand():
    profile = performance_profile(TIMES)
    assert profile.x.tolist() == [1.0, 2.0]
    # medians: problem 1: 20 and 40, problem 2: unsolved and 60, problem 3: nobody
    np.testing.assert_allclose(profile.y, [[1 / 3, 1 / 3], [1 / 3, 2 / 3]])


def test_solved_fraction_counts_runs_and_leaves_out_missing_ones():
    np.testing.assert_allclose(solved_fraction(TIMES), [4 / 9, 5 / 9])
    missing = TIMES.copy()
    missing[2, 0, 0] = np.nan
    np.testing.assert_allclose(solved_fraction(missing), [4 / 8, 5 / 9])


def test_data_profile_counts_in_units_of_n_plus_1():
    profile = data_profile(TIMES, np.array([9, 99, 1]))
    by = np.searchsorted(profile.x, [0.5, 1.0, 2.0, 4.0], side="right")
    found = np.concatenate([np.zeros((2, 1)), profile.y], axis=1)[:, by]
    np.testing.assert_allclose(found, [[0, 2 / 9, 3 / 9, 4 / 9], [1 / 9, 2 / 9, 2 / 9, 5 / 9]])


def test_ecdf_is_right_continuous_and_ends_at_the_solved_fraction():
    curve = ecdf(TIMES)
    assert curve.x[0] == 10 and curve.y[0, 0] == pytest.approx(1 / 9)
    np.testing.assert_allclose(curve.y[:, -1], solved_fraction(TIMES))
    assert np.all(np.diff(curve.y, axis=1) >= 0)


def test_quantiles_are_values_and_survive_infinities():
    assert quantile(np.array([[1.0, 2, 3, INF]]), 0.5).tolist() == [2.0]
    assert quantile(np.array([[1.0, INF, INF]]), 0.5).tolist() == [INF]
    assert quantile(np.array([[np.nan, 5.0, 7.0]]), 0.5).tolist() == [5.0]
    assert np.isnan(quantile(np.array([[np.nan, np.nan]]), 0.5))[0]
    table = spread(TIMES)
    assert table.lower[0, 0] == 10 and table.upper[0, 0] == 30 and table.solved.tolist() == [[3, 3], [1, 2], [0, 0]]


def test_band_counts_nan_as_the_worst():
    mean, low, high = band(np.array([[1.0, 4.0], [3.0, np.nan]]))
    assert mean.tolist() == [2.0, INF] and low.tolist() == [1.0, 4.0] and high.tolist() == [3.0, INF]


def test_holm_by_hand():
    np.testing.assert_allclose(holm(np.array([0.04, 0.01, 0.03])), [0.06, 0.03, 0.06])
    np.testing.assert_allclose(holm(np.array([0.9, 0.8])), [1.0, 1.0])


def test_differences_with_unsolved_problems():
    d = log_differences(np.array([10, INF, 5, INF]), np.array([20, 7, INF, INF]))
    assert d[0] == pytest.approx(-np.log(2)) and d[1] > 0.69 and d[2] == -d[1] and d[3] == 0


def test_paired_test_finds_a_clear_winner_and_no_difference_where_there_is_none():
    rng = np.random.default_rng(0)
    slow = rng.uniform(100, 1000, size=(20, 1))
    times = np.stack([slow / 3, slow, slow * rng.uniform(0.9, 1.1, size=slow.shape)], axis=1)
    first, second, third = paired_tests(times)
    assert (first.wins, first.losses) == (20, 0) and first.p_holm < 0.001
    assert second.p_holm < 0.001 and third.p_holm > 0.05
    assert all(pair.p_holm >= pair.p for pair in (first, second, third))


def test_a_problem_without_a_best_value_counts_for_and_against_no_one():
    judged = np.array([[[10.0], [20.0]], [[30.0], [np.inf]]])
    unjudged = np.full((1, 2, 1), np.nan)
    both = performance_profile(np.concatenate([judged, unjudged]))
    assert both.y[:, -1].tolist() == [1.0, 0.5] == performance_profile(judged).y[:, -1].tolist()
