"""The default method against each other one, run by run: the ratio of their gaps after the last answer of a plan."""

from itertools import product

import numpy as np

from steelyard.bench.gap_tables import judge_name, with_interval
from steelyard.bench.gaps import by_run, mean_and_interval, run_gaps
from steelyard.bench.markdown import short
from steelyard.bench.methods import label
from steelyard.bench.plan import Plan
from steelyard.bench.results import Results
from steelyard.bench.tables import Table


def ratios_table(plan: Plan, results: Results, by_group: bool = True) -> Table:
    """A row for each group of problems and judge, and one for all groups together: the default's gap, its ratio to the
    gap of each other method on the same problems and seeds (geometric means, with a 90 % interval for all), and how
    many of its runs are worse at the end than at the checkpoint before. Without `by_group` only those for all."""
    counts = sorted({*plan.checkpoints, plan.budget})
    best = results["f_best"].astype(np.float64)
    at = {count: run_gaps(plan, results, results.at(count), best) for count in counts[-2:]}
    groups = plan.groups()
    others = [method for method in plan.algorithms if method != plan.default_method]
    head = ["problems", "judge", plan.default_method, *(f"to {label(method)}" for method in others)]
    if len(counts) > 1:
        head.append(f"worse at {counts[-1]} than at {counts[-2]}")
    rows = []
    for oracle, group in product(plan.oracles, [*(groups if by_group else ()), ""]):
        templates = groups[group] if group else plan.templates()
        mine = np.isin(results["problem"].astype(str), templates) & (results["oracle"] == oracle)
        ours = by_run(results, at[counts[-1]], mine, plan.default_method)
        if not ours:
            continue
        mean = mean_and_interval(np.log(list(ours.values())))
        row = [group or "all", judge_name(oracle), with_interval(*mean) if not group else short(mean[0])]
        for method in others:
            theirs = by_run(results, at[counts[-1]], mine, method)
            both = [run for run in ours if run in theirs]
            ratio = mean_and_interval(np.log([ours[run] / theirs[run] for run in both])) if both else (np.nan,) * 3
            row.append(with_interval(*ratio) if not group else short(ratio[0]))
        if len(counts) > 1:
            before = by_run(results, at[counts[-2]], mine, plan.default_method)
            row.append(f"{sum(ours[run] > before[run] for run in ours)} of {len(ours)}")
        rows.append(row)
    return Table(head, rows)
