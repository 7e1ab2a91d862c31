"""Questions that algorithms share: the best of several points, or all of them in order.

All take points (rows of an array or a list of vectors) and return indices, the best first. Ties are explicit: CompMin
breaks them at random as the paper does, the sorts leave tied points in the order found.

| question           | comparisons for m points             | rounds of independent questions |
|--------------------|--------------------------------------|---------------------------------|
| `comp_min`         | m - 1                                | m - 1                           |
| `tournament_min`   | m - 1                                | ceil(log2 m)                    |
| `bubble_sort`      | m (m - 1) / 2                        | as many                         |
| `merge_sort`       | at most m L - 2^L + 1, L = ceil(log2 m) | about 2 m                    |
| `insertion_sort`   | at most sum of ceil(log2 i), i <= m  | as many                         |
| `merge_insertion`  | 0 1 3 5 7 10 13 16 19 22 26 ... (Ford-Johnson) | about half as many    |
| `top_k`            | about m - k + (k - 1) log2 m, or a full sort if that is less | |
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import ceil, log2
from typing import Literal

import numpy as np

from steelyard.dialogue import Compare, Evaluate, Question, compare
from steelyard.errors import BadValue
from steelyard.typing import Answers, Array

Points = Array | Sequence[Array]
Sorting = Literal["bubble", "merge", "insertion", "merge-insertion"]
AskingForm = Literal["comparison", "value"]


NUMBERS_IN_A_BATCH = 2**21
"""The most numbers on either side of one batch: 16 MB, whatever the dimension. Larger ones are not faster."""


def rows_in_a_batch(n: int) -> int:
    """How many points of dimension n to ask about at once."""
    return max(1, NUMBERS_IN_A_BATCH // n)


# --- the minimum


def comp_min(points: Points, rng: np.random.Generator) -> Question[int]:
    """The paper's CompMin: the best point by m - 1 comparisons, one after another; a tie is decided by a coin."""
    best = 0
    for k in range(1, len(points)):
        answers = yield Compare(points[best][None], points[k][None])
        answer = answers.item()
        if answer < 0 or (answer == 0 and rng.random() < 0.5):
            best = k
    return best


def tournament_min(points: Points, rng: np.random.Generator) -> Question[int]:
    """The best point by m - 1 comparisons in ceil(log2 m) rounds; a tie is decided by a coin."""
    alive = list(range(len(points)))
    while len(alive) > 1:
        signs = yield from _in_pairs(points, alive)
        winners = [i if _wins(sign, rng) else j for i, j, sign in signs]
        alive = winners + alive[2 * len(signs) :]  # an odd last point sits this round out
    return alive[0]


def best_point(points: Points, rng: np.random.Generator, form: AskingForm) -> Question[int]:
    """The best point, by CompMin (the paper's 3b) or by the values themselves (3a)."""
    if form == "comparison":
        return (yield from comp_min(points, rng))
    return (yield from value_order(points))[0]


# --- sorting


def comp_sort(points: Points, how: Sorting = "bubble") -> Question[list[int]]:
    """The paper's CompSort: all points, the best first. `how` chooses the cost; the paper's own is bubble sort."""
    if how not in _SORTS:
        raise BadValue(f"sorting must be one of {', '.join(_SORTS)}, got {how!r}")
    return (yield from _SORTS[how](points))


def bubble_sort(points: Points) -> Question[list[int]]:
    """The paper's own: neighbours are swapped, and no pass is left out; m (m - 1) / 2 comparisons."""
    order = list(range(len(points)))
    for end in range(len(order) - 1, 0, -1):
        for j in range(end):
            if (yield from compare(points[order[j + 1]], points[order[j]])) > 0:
                order[j], order[j + 1] = order[j + 1], order[j]
    return order


def merge_sort(points: Points) -> Question[list[int]]:
    """Merge neighbouring runs, level by level; the merges of one level ask their questions together."""
    m = len(points)
    leaves = 2 ** ceil(log2(max(m, 1)))
    ends = [i * m // leaves for i in range(leaves + 1)]  # halving evenly keeps every merge balanced
    runs = [list(range(start, end)) for start, end in pairwise(ends)]
    while len(runs) > 1:
        runs = yield from _merge_all(points, list(zip(runs[0::2], runs[1::2], strict=True)))
    return runs[0]


def insertion_sort(points: Points) -> Question[list[int]]:
    """Each point is put into its place by binary search: at most ceil(log2 i) comparisons for the i-th."""
    order: list[int] = []
    for i in range(len(points)):
        place = yield from binary_search(points, order, i)
        order.insert(place, i)
    return order


def merge_insertion(points: Points) -> Question[list[int]]:
    """Ford and Johnson's sort (1959): no other is known to need fewer comparisons in the worst case for m <= 11.

    Points are paired (one round); the worse ones are sorted by the same method; then the better ones are inserted in
    groups of size 2, 2, 6, 10, 22, ..., so that every binary search ranges over 2^k - 1 points.
    """
    return (yield from _merge_insertion(points, list(range(len(points)))))


def top_k(points: Points, k: int) -> Question[list[int]]:
    """The k best points in order: the winner of a knock-out, then k - 1 times the best of those who lost to winners.

    About m - k + (k - 1) ceil(log2 m) comparisons; where a full merge-insertion sort costs no more, that is done.
    """
    m = len(points)
    if not 1 <= k <= m:
        raise BadValue(f"k must be from 1 to {m}, got {k}")
    if m - 1 + (k - 1) * (ceil(log2(m)) - 1) >= merge_insertion_cost(m):
        return (yield from merge_insertion(points))[:k]
    lost_to: dict[int, list[int]] = {i: [] for i in range(m)}
    best: list[int] = []
    alive = list(range(m))
    for _ in range(k):
        winner = yield from _knock_out(points, alive, lost_to)
        best.append(winner)
        alive = sorted(lost_to[winner], key=lambda i: len(lost_to[i]))  # short histories first keeps the tree flat
    return best


def binary_search(points: Points, order: Sequence[int], i: int, end: int | None = None) -> Question[int]:
    """Where point i belongs in `order[:end]` (best first): at most ceil(log2(end + 1)) comparisons.

    A tie ends the search early: the point goes right behind its equal.
    """
    low, high = 0, len(order) if end is None else end
    while low < high:
        middle = (low + high) // 2
        answer = yield from compare(points[i], points[order[middle]])
        if answer == 0:
            return middle + 1
        low, high = (low, middle) if answer > 0 else (middle + 1, high)
    return low


def value_order(points: Points) -> Question[list[int]]:
    """The zeroth-order form: all points, the best first, from m values of f and no comparison. NaN comes last."""
    values = yield Evaluate(np.stack(points) if not isinstance(points, np.ndarray) else points)
    order: list[int] = np.argsort(values, kind="stable").tolist()
    return order


def merge_insertion_cost(m: int) -> int:
    """The most comparisons merge-insertion needs for m points: sum of ceil(log2(3 i / 4)), i = 1..m."""
    return sum(ceil(log2(0.75 * i)) for i in range(1, m + 1))


# --- inside


def _pairs(points: Points, left: list[int], right: list[int]) -> Compare:
    rows = points if isinstance(points, np.ndarray) else np.stack(points)
    return Compare(rows[left], rows[right])


def _in_pairs(points: Points, items: list[int]) -> Question[list[tuple[int, int, int]]]:
    """The first item against the second, the third against the fourth, ...: both, and the sign, of each pair."""
    end = len(items) // 2 * 2
    left, right = items[0:end:2], items[1:end:2]
    answers = yield _pairs(points, left, right)
    return list(zip(left, right, answers.tolist(), strict=True))


def _wins(sign: int, rng: np.random.Generator) -> bool:
    return sign > 0 or (sign == 0 and bool(rng.random() < 0.5))


def _merge_all(points: Points, pairs: list[tuple[list[int], list[int]]]) -> Question[list[list[int]]]:
    """Merge each pair of sorted runs; every round compares the heads of all merges still going."""
    merged: list[list[int]] = [[] for _ in pairs]
    heads = [[0, 0] for _ in pairs]
    going = [g for g, (a, b) in enumerate(pairs) if a and b]
    while going:
        left = [pairs[g][0][heads[g][0]] for g in going]
        right = [pairs[g][1][heads[g][1]] for g in going]
        answers: Answers = yield _pairs(points, left, right)
        for g, i, j, sign in zip(going, left, right, answers.tolist(), strict=True):
            side = 0 if sign >= 0 else 1
            merged[g].append(i if side == 0 else j)
            heads[g][side] += 1
        going = [g for g in going if heads[g][0] < len(pairs[g][0]) and heads[g][1] < len(pairs[g][1])]
    for out, (a, b), (i, j) in zip(merged, pairs, heads, strict=True):
        out.extend(a[i:] + b[j:])
    return merged


def _merge_insertion(points: Points, items: list[int]) -> Question[list[int]]:
    if len(items) < 2:
        return items
    signs = yield from _in_pairs(points, items)
    better_of = {j if sign >= 0 else i: i if sign >= 0 else j for i, j, sign in signs}
    chain = yield from _merge_insertion(points, list(better_of))
    waiting: list[tuple[int, int | None]] = [(better_of[worse], worse) for worse in chain]
    waiting += [(item, None) for item in items[2 * len(signs) :]]  # an odd last item has no worse partner
    order = [waiting[0][0], *chain]
    for group in _ford_johnson_groups(len(waiting)):
        for item, worse in (waiting[i] for i in group):
            end = len(order) if worse is None else order.index(worse)
            place = yield from binary_search(points, order, item, end)
            order.insert(place, item)
    return order


def _ford_johnson_groups(count: int) -> list[range]:
    """The waiting items 1..count-1 in the groups 2, 2, 6, 10, 22, ... of Ford and Johnson, each from its far end."""
    groups, start, size, power = [], 1, 2, 2
    while start < count:
        end = min(start + size, count)
        groups.append(range(end - 1, start - 1, -1))
        start, power = end, 2 * power
        size = power - size
    return groups


def _knock_out(points: Points, alive: list[int], lost_to: dict[int, list[int]]) -> Question[int]:
    while len(alive) > 1:
        signs = yield from _in_pairs(points, alive)
        winners = []
        for i, j, sign in signs:
            winner, loser = (i, j) if sign >= 0 else (j, i)
            lost_to[winner].append(loser)
            winners.append(winner)
        alive = alive[2 * len(signs) :] + winners
    return alive[0]


_SORTS: dict[str, Callable[[Points], Question[list[int]]]] = {
    "bubble": bubble_sort,
    "merge": merge_sort,
    "insertion": insertion_sort,
    "merge-insertion": merge_insertion,
}
