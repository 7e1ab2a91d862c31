"""Real tasks as tables: how noisy each judge is, by `audit`, and what became of the runs, from their records."""

from __future__ import annotations

import numpy as np

from steelyard.bench.gap_tables import short
from steelyard.bench.methods import label
from steelyard.bench.plan import Plan, instance, shape
from steelyard.bench.results import Results
from steelyard.bench.tables import Table
from steelyard.errors import BadValue
from steelyard.kit.audit import Share, audit
from steelyard.problems import get
from steelyard.typing import Array

QUESTIONS = 240
POINTS = 12
HALF = 0.5
"""The stated quality: half of the way from the start to the reference."""


def noise_table(plan: Plan) -> Table:
    """A row for each task: what `audit` finds out about its judge by 240 questions about 12 random points."""
    head = ["task", "variables", "same answer again", "ties", "circles", "against the best order, far", "persistent"]
    rows = []
    for group, templates in plan.groups().items():
        for template in templates[:1]:
            problem = get(instance(template, plan.first_seed))
            if problem.judge is None or problem.bounds is None:
                raise BadValue(f"problems must be tasks with a judge and a box, got {problem.name}")
            low, high = problem.bounds
            points = low + (high - low) * np.random.default_rng(12).random((POINTS, problem.n))
            found = audit(problem.judge(np.random.default_rng(60)), points, QUESTIONS, rng=0)
            again = found.same_again
            persistent = "yes" if again.count == again.of else "no"
            shares = [_percent(each) for each in (again, found.ties, found.circles, found.wrong_far)]
            rows.append([group, str(problem.n), *shares, persistent])
    return Table(head, rows)


def tasks_table(plan: Plan, results: Results) -> Table:
    """A row for each task, a column for each method: the gap that remains at the end, mean of its runs, of which the
    start is 1 and the reference 0; in brackets the comparisons after which half of the way was made, as far as the
    checkpoints show it, and how many of the runs made it."""
    counts = sorted({*plan.checkpoints, plan.budget})
    rows = []
    for group, templates in plan.groups().items():
        names = [instance(template, seed) for template in templates for seed in plan.seed_numbers]
        mine = results.take(np.isin(results["problem"].astype(str), [*templates, *names]))
        if not len(mine):
            continue
        remains = {method: _gaps(mine.where(algorithm=method), counts) for method in plan.algorithms if len(mine)}
        ends = {method: float(gaps[:, -1].mean()) for method, gaps in remains.items() if len(gaps)}
        least = min(ends.values())
        cells = [
            f"{'*' if ends[method] == least else ''}{short(ends[method])} ({_half(gaps, counts)})" if len(gaps) else "–"
            for method, gaps in remains.items()
        ]
        rows.append([group, str(shape(names[0]).n), *cells])
    return Table(["task", "variables", *map(label, plan.algorithms)], rows)


def _gaps(results: Results, counts: list[int]) -> Array:
    """(runs, counts): what remains of the way from the start to the reference."""
    start, best = (results[name].astype(np.float64) for name in ("f0", "f_best"))
    return np.stack([(results.at(count) - best) / (start - best) for count in counts], axis=1)


def _half(gaps: Array, counts: list[int]) -> str:
    """When half of the way was made, at the median over the runs; – if most did not make it."""
    made = gaps <= HALF
    first = np.where(made.any(axis=1), np.array(counts)[made.argmax(axis=1)], np.inf)
    median = float(np.sort(first)[(len(first) - 1) // 2 + (len(first) - 1) % 2])
    shown = f"{median:.0f}" if np.isfinite(median) else "–"
    return f"{shown}; {int(made.any(axis=1).sum())}/{len(first)}"


def _percent(share: Share) -> str:
    return "–" if share.value is None else f"{share.value:.0%} of {share.of}"
