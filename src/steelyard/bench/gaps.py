"""Gaps at checkpoints: how far a method's recommendation is from the best value, by dimension, judge and budget.

A cell is a group of problems, a number of variables, a judge and a number of answers. In it a method has one gap for
each problem and seed; their geometric mean says how good it is there, and a bootstrap over the runs how sure that is.
Nothing is drawn or laid out here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from steelyard.bench.methods import sees_values
from steelyard.bench.plan import Plan
from steelyard.bench.results import Results
from steelyard.typing import AnyArray, Array

WORST_GAP = 1e6
"""Gaps above this, and failed runs, count as this."""
AS_GOOD_AS = 1.1
"""A method within 10 % of the first counts as level with it."""
RESAMPLES = 1000
RESAMPLED_INTERVAL = (0.05, 0.95)


@dataclass(frozen=True)
class MethodGap:
    """One method in one cell: the geometric mean of its gaps with a 90 % interval."""

    method: str
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class GapCell:
    """All methods on one group of problems in n variables, with one judge, after a number of answers."""

    group: str
    n: int
    oracle: str
    queries: int
    methods: tuple[MethodGap, ...]
    """The best first; methods that see values last."""
    default: MethodGap
    rival: MethodGap | None
    """The best of the others that only compare; None if there is none."""
    ratio: float
    """The default's mean gap over the rival's on the same problems and seeds; below 1 the default is first."""
    ratio_low: float
    ratio_high: float
    median_ratio: float


def gap_cells(plan: Plan, results: Results) -> list[GapCell]:
    """The cells of a plan, in its order; `results` are those of the plan, with traces."""
    checkpoints = sorted(set(plan.checkpoints)) or [plan.budget]
    best = results["f_best"].astype(np.float64)
    group_of = {name: group for group, names in plan.groups().items() for name in names}
    groups = np.array([group_of.get(str(name), "") for name in results["problem"]], dtype=object)
    sizes = results["n"].astype(np.float64)  # NaN for a cell that could not be run
    found = []
    for queries in checkpoints:
        gaps = run_gaps(plan, results, results.at(queries), best)
        for group, n, oracle in product(plan.groups(), np.unique(sizes[~np.isnan(sizes)]), plan.oracles):
            mine = (groups == group) & (sizes == n) & (results["oracle"] == oracle)
            table = _table(plan, results, gaps, mine, queries, int(n))
            if plan.default_method in table:
                found.append(_cell(plan, group, int(n), oracle, queries, table))
    order = {(group, oracle): i for i, (group, oracle) in enumerate(product(plan.groups(), plan.oracles))}
    return sorted(found, key=lambda cell: (order[cell.group, cell.oracle], cell.n, cell.queries))


@dataclass(frozen=True)
class Standing:
    """How the default method stands over all cells."""

    cells: int
    near: int
    """Cells in which it is first or within 10 % of the first."""
    worst: GapCell | None
    runs: int
    worse_than_twice: int
    """Runs of it that end at more than twice their start."""


def standing(plan: Plan, results: Results, cells: Sequence[GapCell]) -> Standing:
    """The default method against the best other one, cell by cell."""
    compared = [cell for cell in cells if cell.rival is not None]
    ours = results["algorithm"] == plan.default_method
    mine = results.take(ours)
    best = mine["f_best"].astype(np.float64)
    start, end = mine["f0"].astype(np.float64) - best, mine["f_final"].astype(np.float64) - best
    return Standing(
        len(compared),
        sum(cell.ratio <= AS_GOOD_AS for cell in compared),
        max(compared, key=lambda cell: cell.ratio, default=None),
        len(mine),
        int(np.sum(end > 2.0 * start)),
    )


def run_gaps(plan: Plan, results: Results, values: Array, best: Array) -> Array:
    """One gap for each run; NaN if f* is not known."""
    start = results["f0"].astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        gaps = (values - best) / (start - best) if plan.gap == "relative" else values - best
    unknown = np.isnan(best) & ~np.isnan(start)
    gaps = np.clip(np.where(np.isnan(gaps), WORST_GAP, gaps), plan.floor, WORST_GAP)
    return np.where(unknown, np.nan, gaps)


def _table(
    plan: Plan, results: Results, gaps: Array, mine: AnyArray, queries: int, n: int
) -> dict[str, dict[tuple[str, int], float]]:
    """For each method that has this many queries: the gap of each of its runs here."""
    table = {}
    for method in plan.algorithms:
        if plan.budget_of(method, n) < queries:
            continue
        if runs := by_run(results, gaps, mine, method):
            table[method] = runs
    return table


def by_run(results: Results, gaps: Array, mine: AnyArray, method: str) -> dict[tuple[str, int], float]:
    """The gap of each run of a method among `mine`, by problem and seed."""
    rows = np.flatnonzero(mine & (results["algorithm"] == method) & ~np.isnan(gaps))
    names, seeds = results["problem"][rows], results["seed"][rows]
    return {(str(p), int(s)): float(g) for p, s, g in zip(names, seeds, gaps[rows], strict=True)}


def _cell(
    plan: Plan, group: str, n: int, oracle: str, queries: int, table: dict[str, dict[tuple[str, int], float]]
) -> GapCell:
    summaries = {m: MethodGap(m, *mean_and_interval(np.log(list(runs.values())))) for m, runs in table.items()}
    ordered = sorted(summaries.values(), key=lambda each: (sees_values(each.method), each.mean))
    default = plan.default_method
    ours = table[default]
    rivals = [
        each.method
        for each in ordered
        if each.method != default and not sees_values(each.method) and ours.keys() <= table[each.method].keys()
    ]
    # The best on the very runs that the default has, which may be fewer.
    rival = min(rivals, key=lambda method: sum(np.log(table[method][run]) for run in ours), default=None)
    ratio = low = high = median = float("nan")
    if rival is not None:
        logs = np.log([ours[run] / table[rival][run] for run in ours])
        ratio, low, high = mean_and_interval(logs)
        median = float(np.median(list(ours.values())) / np.median([table[rival][run] for run in ours]))
    theirs = None if rival is None else summaries[rival]
    return GapCell(group, n, oracle, queries, tuple(ordered), summaries[default], theirs, ratio, low, high, median)


def mean_and_interval(logs: Array) -> tuple[float, float, float]:
    """The geometric mean and its interval by bootstrap over the runs, from logarithms."""
    drawn = np.random.default_rng(0).choice(logs, (RESAMPLES, len(logs))).mean(axis=1)
    low, high = np.quantile(drawn, RESAMPLED_INTERVAL)
    return float(np.exp(logs.mean())), float(np.exp(low)), float(np.exp(high))
