"""Paired tests over problems, corrected for there being many pairs."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.stats import wilcoxon

from steelyard.bench.profiles import median_times
from steelyard.typing import Array


class Paired(NamedTuple):
    """Algorithm `first` against `second`: on how many problems each needs fewer queries, and how sure that is."""

    first: int
    second: int
    wins: int
    losses: int
    p: float
    p_holm: float


def paired_tests(times: Array) -> list[Paired]:
    """Wilcoxon's signed-rank test of each pair of algorithms on log queries, problem by problem (medians over seeds).

    A problem that one of the two does not solve counts as the largest difference there is; one that neither solves
    counts as none, and is left out. The p-values are corrected together by Holm's method.
    """
    t = median_times(times) if times.ndim == 3 else times
    t = np.where(np.isnan(t), np.inf, t)
    pairs = list(combinations(range(t.shape[1]), 2))
    found = []
    for i, j in pairs:
        difference = log_differences(t[:, i], t[:, j])
        moved = difference[difference != 0.0]
        # With fewer than 6 differences even a clean sweep is not significant at 5 %.
        p = float(wilcoxon(moved, method="auto").pvalue) if len(moved) else 1.0
        found.append((i, j, int((difference < 0).sum()), int((difference > 0).sum()), p))
    corrected = holm(np.array([p for *_, p in found]))
    return [Paired(*each, float(p)) for each, p in zip(found, corrected, strict=True)]


def log_differences(first: Array, second: Array) -> Array:
    """log(first / second), with a finite number beyond all others where only one is infinite and 0 where both are."""
    a, b = (np.log(np.maximum(side, 1.0)) for side in (first, second))
    both = np.isfinite(a) & np.isfinite(b)
    difference = np.zeros(len(a))
    difference[both] = a[both] - b[both]
    beyond = 1.0 + np.abs(difference).max(initial=0.0)
    difference[np.isinf(a) & np.isfinite(b)] = beyond
    difference[np.isfinite(a) & np.isinf(b)] = -beyond
    return difference


def holm(p: Array) -> Array:
    """Holm's step-down correction: each p-value made as large as testing all of them together requires."""
    order = np.argsort(p)
    stepped = np.maximum.accumulate((len(p) - np.arange(len(p))) * p[order])
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected
