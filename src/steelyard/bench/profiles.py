"""From query counts to profiles: arrays in, arrays out; nothing is drawn here.

`times` is (problems, algorithms, seeds): queries to a criterion, infinite if unsolved, NaN if there is no such run.
"""

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

    NaN on a problem without a known best value: it counts neither for nor against a method.
    """
    t = median_times(times) if times.ndim == 3 else times
    unjudged = np.isnan(t).all(axis=1, keepdims=True)
    t = np.where(np.isnan(t), np.inf, t)
    best = np.min(t, axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(unjudged, np.nan, np.where(np.isfinite(t), t / np.maximum(best, 1.0), np.inf))


def performance_profile(times: Array) -> Curve:
    """Dolan and Moré's profile: the fraction of problems solved within tau times the fewest queries of any."""
    return ecdf_of(performance_ratios(times).T, also=1.0)


def data_profile(times: Array, dimensions: Array) -> Curve:
    """Moré and Wild's profile: the fraction of runs solved within alpha (n + 1) queries."""
    return ecdf(times / (np.asarray(dimensions, dtype=np.float64)[:, None, None] + 1.0))


def ecdf(times: Array) -> Curve:
    """The fraction of runs (and targets, if those are stacked on the last axis) that are there by each count."""
    return ecdf_of(np.moveaxis(times, 1, 0).reshape(times.shape[1], -1))


def ecdf_of(samples: Sequence[Array] | Array, also: float = np.inf) -> Curve:
    """The fraction of each sample (without NaN) up to each value that is in one of them, or is `also` wanted; samples
    may differ in size."""
    flat = [np.sort(sample[~np.isnan(sample)]) for sample in samples]
    values = np.concatenate([[also], *flat])
    x = np.unique(values[np.isfinite(values)])
    y = [np.searchsorted(part, x, side="right") / max(len(part), 1) for part in flat]
    return Curve(x, np.array(y).reshape(len(flat), len(x)))


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
