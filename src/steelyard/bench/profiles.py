"""From query counts to profiles: arrays in, arrays out; nothing is drawn here.

`times` is (problems, algorithms, seeds): queries to a criterion, infinite if unsolved, NaN if there is no such run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from steelyard.typing import Array


class Curve(NamedTuple):
    """A right-continuous step curve for each algorithm: `y[i]` holds from `x` on; y is (algorithms, len(x))."""

    x: Array
    y: Array


def median_times(times: Array) -> Array:
    """The median over seeds, (problems, algorithms). Half the runs unsolved is not solved: infinity counts as large."""
    return quantile(times, 0.5)


def quantile(times: Array, q: float) -> Array:
    """The quantile over the last axis that is itself one of the values (the lower one): infinities do no harm."""
    ordered = np.sort(times, axis=-1)  # NaN, a missing run, goes last
    count = np.sum(~np.isnan(times), axis=-1)
    place = np.maximum(np.ceil(q * count) - 1, 0).astype(np.int64)
    found: Array = np.take_along_axis(ordered, place[..., None], axis=-1)[..., 0]
    return found


def solved_fraction(times: Array) -> Array:
    """For each algorithm the fraction of its runs that met the criterion; NaN if it has none that can be judged."""
    ran = ~np.isnan(times)
    solved = np.isfinite(times) & ran
    runs = ran.sum(axis=(0, 2))
    fraction: Array = np.where(runs > 0, solved.sum(axis=(0, 2)) / np.maximum(runs, 1), np.nan)
    return fraction


def performance_ratios(times: Array) -> Array:
    """r[p, s]: the median queries of s on p over the fewest of any algorithm; infinite where s does not solve p.

    NaN on a problem on which nobody can be judged, for want of a best value: it counts for and against no one.
    """
    t = median_times(times) if times.ndim == 3 else times
    unjudged = np.isnan(t).all(axis=1, keepdims=True)
    t = np.where(np.isnan(t), np.inf, t)
    best = np.min(t, axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(unjudged, np.nan, np.where(np.isfinite(t), t / np.maximum(best, 1.0), np.inf))


def performance_profile(times: Array, taus: Array | None = None) -> Curve:
    """Dolan and Moré's profile: the fraction of problems solved within tau times the fewest queries of any."""
    ratios = performance_ratios(times)
    if taus is None:
        taus = np.unique(np.append(ratios[np.isfinite(ratios)], 1.0))
    return Curve(taus, _fraction_below(ratios, taus))


def data_profile(times: Array, dimensions: Array, alphas: Array | None = None) -> Curve:
    """Moré and Wild's profile: the fraction of runs solved within alpha (n + 1) queries."""
    scaled = times / (np.asarray(dimensions, dtype=np.float64)[:, None, None] + 1.0)
    return ecdf(scaled, alphas)


def ecdf(times: Array, queries: Array | None = None) -> Curve:
    """The fraction of runs (and targets, if those are stacked on the last axis) that are there by each count."""
    flat = np.moveaxis(times, 1, 0).reshape(times.shape[1], -1)
    if queries is None:
        queries = np.unique(flat[np.isfinite(flat)])
    return Curve(queries, _fraction_below(flat.T, queries))


def ecdf_of(samples: Sequence[Array]) -> Curve:
    """The fraction of each sample up to each value; samples may differ in size."""
    flat = [np.sort(sample[~np.isnan(sample)]) for sample in samples]
    finite = [part[np.isfinite(part)] for part in flat]
    x = np.unique(np.concatenate(finite)) if finite else np.zeros(0)
    y = [np.searchsorted(part, x, side="right") / max(len(part), 1) for part in flat]
    return Curve(x, np.array(y).reshape(len(flat), len(x)))


def _fraction_below(values: Array, x: Array) -> Array:
    """For each column of `values` the fraction of its entries (that are not NaN) up to each x."""
    rows = []
    for column in values.T:
        present = np.sort(column[~np.isnan(column)])
        rows.append(np.searchsorted(present, x, side="right") / max(len(present), 1))
    return np.array(rows).reshape(values.shape[1], len(x))


class Band(NamedTuple):
    """Mean and range over repeats, at each query count."""

    mean: Array
    low: Array
    high: Array


def band(curves: Array) -> Band:
    """Mean, minimum and maximum over rows (repeats). A value that is not finite counts as infinitely large."""
    clean = np.where(np.isnan(curves), np.inf, curves)
    return Band(clean.mean(axis=0), clean.min(axis=0), clean.max(axis=0))


class Spread(NamedTuple):
    """Median and quartiles over seeds, (problems, algorithms), and how many of the runs are finite."""

    median: Array
    lower: Array
    upper: Array
    solved: Array
    runs: Array


def spread(times: Array) -> Spread:
    """What a table of a criterion shows."""
    ran = ~np.isnan(times)
    return Spread(
        median_times(times),
        quantile(times, 0.25),
        quantile(times, 0.75),
        (np.isfinite(times) & ran).sum(axis=-1),
        ran.sum(axis=-1),
    )
