from itertools import pairwise, permutations
from math import ceil, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answering import finish, first_column
from steelyard.parts.questions import (
    best_point,
    binary_search,
    bubble_sort,
    comp_min,
    comp_sort,
    insertion_sort,
    merge_insertion,
    merge_insertion_cost,
    merge_sort,
    top_k,
    tournament_min,
    value_order,
)

SORTS = [bubble_sort, merge_sort, insertion_sort, merge_insertion]
OPTIMAL = [0, 1, 3, 5, 7, 10, 13, 16, 19, 22, 26]  # Ford-Johnson, m = 1..11


def column(values):
    return np.array(values, dtype=float)[:, None]


@given(st.lists(st.integers(0, 30), min_size=1, max_size=24))
def test_every_sort_orders_the_points_and_keeps_all_of_them(values):
    for sort in SORTS:
        order, _, _ = finish(sort(column(values)), first_column)
        assert sorted(order) == list(range(len(values)))
        assert all(values[i] <= values[j] for i, j in pairwise(order))


@given(st.lists(st.integers(0, 100), min_size=1, max_size=24), st.integers(0, 2**32))
def test_minimum_is_a_minimum_by_exactly_m_minus_1_comparisons(values, seed):
    rng = np.random.default_rng(seed)
    for minimum in (comp_min, tournament_min):
        best, asked, rounds = finish(minimum(column(values), rng), first_column)
        assert values[best] == min(values)
        assert asked == len(values) - 1
    assert rounds == (ceil(log2(len(values))) if len(values) > 1 else 0)


@pytest.mark.parametrize("m", range(1, 8))
def test_merge_insertion_worst_case_is_the_known_optimum_over_all_orders(m):
    worst = max(finish(merge_insertion(column(p)), first_column)[1] for p in permutations(range(m)))
    assert worst == OPTIMAL[m - 1] == merge_insertion_cost(m)


@pytest.mark.parametrize("m", range(8, 12))
def test_merge_insertion_never_exceeds_the_known_optimum(m):
    rng = np.random.default_rng(m)
    asked = [finish(merge_insertion(column(rng.permutation(m))), first_column)[1] for _ in range(2000)]
    assert max(asked) == OPTIMAL[m - 1]


@pytest.mark.parametrize("m", [1, 2, 5, 12])
def test_bubble_sort_costs_half_m_times_m_minus_1_whatever_the_order(m):
    for values in (range(m, 0, -1), range(m)):  # also if sorted already: the paper's loops have no early end
        _, asked, _ = finish(bubble_sort(column(values)), first_column)
        assert asked == m * (m - 1) // 2


@given(st.permutations(list(range(17))))
def test_insertion_and_merge_sort_stay_within_their_bounds(values):
    m = len(values)
    _, asked, _ = finish(insertion_sort(column(values)), first_column)
    assert asked <= sum(ceil(log2(i)) for i in range(1, m + 1))
    _, asked, rounds = finish(merge_sort(column(values)), first_column)
    assert asked <= m * ceil(log2(m)) - 2 ** ceil(log2(m)) + 1
    assert rounds < asked


@given(st.permutations(list(range(20))), st.integers(1, 20))
def test_top_k_gives_the_k_best_in_order_and_no_dearer_than_a_sort(values, k):
    best, asked, _ = finish(top_k(column(values), k), first_column)
    assert [values[i] for i in best] == list(range(k))
    assert asked <= merge_insertion_cost(20)


def test_top_k_of_many_is_far_cheaper_than_sorting():
    values = np.random.default_rng(0).permutation(256)
    best, asked, _ = finish(top_k(column(values), 8), first_column)
    assert values[best].tolist() == list(range(8))
    assert asked <= 255 + 7 * 7


def test_ties_are_broken_by_a_coin_in_comp_min():
    rng = np.random.default_rng(0)
    chosen = {finish(comp_min(column([1, 1]), rng), first_column)[0] for _ in range(40)}
    assert chosen == {0, 1}


def test_tied_points_keep_their_order_in_the_stable_sorts():
    values = column([2, 1, 2, 1])
    for sort in (bubble_sort, merge_sort, insertion_sort):
        assert finish(sort(values), first_column)[0] == [1, 3, 0, 2]


def test_binary_search_stops_at_a_tie_right_behind_its_equal():
    values = column([1, 3, 5, 3])
    place, asked, _ = finish(binary_search(values, [0, 1, 2], 3), first_column)
    assert (place, asked) == (2, 1)


def test_value_form_asks_for_values_and_no_comparison_and_puts_nan_last():
    values = column([3, np.nan, 1, np.inf])
    order, asked, _ = finish(value_order(values), first_column)
    assert (order, asked) == ([2, 0, 3, 1], 0)
    rng = np.random.default_rng(0)
    assert finish(best_point(values, rng, "value"), first_column)[0] == 2


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match=r"sorting must be one of bubble, .* got 'quick'"):
        finish(comp_sort(column([1, 2]), "quick"), first_column)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="k must be from 1 to 2, got 3"):
        finish(top_k(column([1, 2]), 3), first_column)
