"""COCO's targets as a table: the share of (run, target) pairs reached within a number of comparisons per variable."""

from collections.abc import Sequence

import numpy as np

from steelyard.bench.coco import dimension_of, runtimes
from steelyard.bench.methods import label
from steelyard.bench.plan import Plan
from steelyard.bench.results import Results
from steelyard.bench.tables import Table
from steelyard.typing import Array

COUNTED_PER_VARIABLE = (10, 30, 100, 300, 1000)
"""Comparisons per variable within which targets are counted: the last three that a plan allows."""


def targets_table(plan: Plan, results: Results, by_group: bool = True) -> Table:
    """A row for each number of variables, and for each group of problems in it: the fractions of all methods.

    The targets are f - f* = 10, 1, ..., 1e-7. A method that was not run for that many comparisons has a – there.
    Without `by_group` all problems of one number of variables are taken together.
    """
    counts = [per for per in COUNTED_PER_VARIABLE if per <= (plan.per_variable or COUNTED_PER_VARIABLE[-1])][-3:]
    groups = plan.groups()
    several = by_group and len(groups) > 1
    rows = []
    for n in sorted({dimension_of(name) for name in plan.templates()} - {0}):
        mine = {"all": [name for name in plan.templates() if dimension_of(name) == n]}
        if several:
            mine |= {group: [name for name in names if dimension_of(name) == n] for group, names in groups.items()}
        for group, names in mine.items():
            here = results.where(problem=names, oracle=plan.oracles[0])
            reached = [
                [_fraction(runs, per * n if per * n <= plan.budget_of(method, n) else None) for per in counts]
                for method in plan.algorithms
                for runs in [runtimes(here.where(algorithm=method))]
            ]
            rows.append([str(n), *([group] if several else []), *map(_cell, reached)])
    return Table(["n", *(["problems"] if several else []), *map(label, plan.algorithms)], rows)


def _fraction(times: Array, queries: int | None) -> float:
    return float("nan") if queries is None or not times.size else float(np.mean(times <= queries))


def _cell(fractions: Sequence[float]) -> str:
    return " / ".join("–" if np.isnan(value) else f"{value:.2f}".lstrip("0") or "0" for value in fractions)
