"""Reports: what was run, what came out, which differences are more than chance."""

import shlex
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import numpy as np

from steelyard.bench import gap_tables, page
from steelyard.bench.best_value import BestValue
from steelyard.bench.coco_tables import targets_table
from steelyard.bench.criteria import description, mark
from steelyard.bench.figures import Figure, bench_figures, coco_figures, gap_figures
from steelyard.bench.gaps import gap_cells, standing
from steelyard.bench.markdown import made_by, markdown_table
from steelyard.bench.methods import label
from steelyard.bench.plan import Plan, as_options, with_seed
from steelyard.bench.profiles import spread
from steelyard.bench.ratios import ratios_table
from steelyard.bench.records import load_plan
from steelyard.bench.repeats import without_false_repeats
from steelyard.bench.results import Results
from steelyard.bench.significance import paired_tests
from steelyard.bench.tables import policy_note, solved_table
from steelyard.bench.task_tables import REMAINS, elo_table, is_of_engines, is_of_tasks, tasks_table
from steelyard.problems import get
from steelyard.typing import Array

MANY_JUDGES = 3
"""With more judges than this the page has no section for each of them: the table of gaps covers all."""


def bench_report(plan: Plan, out: str | Path, command: str = "") -> Path:
    """Write OUT/report/index.html about the runs of a plan, whatever there is of them; returns its path."""
    out = Path(out)
    results = load_plan(plan, out)
    parts = [
        page.paragraph(run_sentence(plan, results)),
        *([page.paragraph(note)] if (note := policy_note(plan.f_best)) else []),
        page.command(command or plan_command(plan, out)),
        *[page.paragraph(f"Left out: {reason}.", soft=True) for reason in plan.left_out()],
    ]
    if len(results) and is_of_tasks(plan):
        parts += _tasks_section(plan, results)
    elif len(results):
        if len(plan.oracles) <= MANY_JUDGES:
            for oracle in plan.oracles:
                parts += _judge_section(plan, results.where(oracle=oracle), oracle, out)
        parts += _coco_section(plan, results, out)
        if plan.checkpoints or len(plan.oracles) > 1:
            parts += _gap_section(plan, results, out)
    else:
        parts.append(page.paragraph("There are no runs yet."))
    return page.write_report(out, plan.title or "Benchmark", [*parts, *failures(results)])


def run_sentence(plan: Plan, results: Results) -> str:
    """What was run."""
    judges = f"oracle {plan.oracle}" if len(plan.oracles) == 1 else f"{len(plan.oracles)} judges"
    return (
        f"{len(results):,} runs: {len(plan.algorithms)} methods, {len(plan.templates())} problems, {plan.seeds} seeds, "
        f"{_budget(plan)} queries, {judges}; {made_by()}."
    )


def markdown_blocks(plan: Plan, out: str | Path, command: str = "") -> dict[str, Callable[[], str]]:
    """What a page of documentation can be filled with; see `markdown`. Where there are groups of problems, tables of
    targets and ratios are about all of them: the page of `bench_report` has every group."""
    results = cache(lambda: load_plan(plan, out))
    cells = cache(lambda: gap_cells(plan, results()))

    def solved() -> str:
        texts = []
        for oracle in plan.oracles:
            table = solved_table(plan, results().where(oracle=oracle))
            title = f"{gap_tables.judge_name(oracle)}:\n\n" if len(plan.oracles) > 1 else ""
            texts.append(f"{title}{markdown_table(*table)}")
        return "\n".join(texts)

    def stamp() -> str:
        where = f"`{command}`: " if command else ""
        note = policy_note(plan.f_best)
        return f"{where}{run_sentence(plan, results())}{f' {note}' if note else ''}\n"

    return {
        "stamp": stamp,
        "solved": solved,
        "targets": lambda: markdown_table(*targets_table(plan, results(), by_group=False)),
        "cells": lambda: markdown_table(*gap_tables.cells_table(plan, cells())),
        "methods": lambda: markdown_table(*gap_tables.folded_methods_table(plan, cells())),
        "ratios": lambda: markdown_table(*ratios_table(plan, results(), by_group=False)),
        "tasks": lambda: markdown_table(*tasks_table(plan, results())),
        "elo": lambda: markdown_table(*elo_table(plan, results())),
        "choosing": lambda: markdown_table(*gap_tables.choosing_table(plan, cells())),
        "standing": lambda: " ".join(gap_tables.standing_sentences(plan, standing(plan, results(), cells()))) + "\n",
    }


def _tasks_section(plan: Plan, results: Results) -> list[str]:
    """Real tasks: how far the runs came; for chess in Elo as well."""
    parts = [page.heading("Real tasks"), page.paragraph(REMAINS, soft=True)]
    parts.append(page.table(*tasks_table(plan, results, judges=False)))
    if is_of_engines(plan):
        parts += [page.heading("Elo against the author's values"), page.table(*elo_table(plan, results))]
    return parts


def _judge_section(plan: Plan, results: Results, oracle: str, out: Path) -> list[str]:
    """Solved fractions, profiles and query counts with one judge."""
    if not len(results):
        return []
    results, same = without_false_repeats(results)
    methods, problems = {label(spec): spec for spec in plan.algorithms}, plan.templates()
    title = f": {gap_tables.judge_name(oracle)}" if len(plan.oracles) > 1 else ""
    folder = out / "report" / "figures"
    if len(plan.oracles) > 1:
        folder = folder / f"judge-{plan.oracles.index(oracle) + 1}"
    return [
        page.heading(f"Solved fraction of runs{title} (fastest on N problems)"),
        *([page.paragraph(same)] if same else []),
        page.table(*solved_table(plan, results)),
        *images(bench_figures(plan, results, folder)),
        page.heading(f"Queries, problem by problem{title}"),
        *(
            part
            for c in ("f05", "g05", "r3")
            for part in times_section(results, methods, problems, plan.budget, c, plan.f_best)
        ),
    ]


def _coco_section(plan: Plan, results: Results, out: Path) -> list[str]:
    """COCO's targets, if there are problems of COCO's."""
    figures = images(coco_figures(plan, results, out / "report" / "figures"))
    targets = targets_table(plan, results)
    if not targets.rows:
        return figures
    about = "The share of (run, target) pairs reached by comparisons per variable; targets f − f* = 10, 1, ..., 1e-7."
    return [page.heading("COCO's targets"), page.paragraph(about, soft=True), page.table(*targets), *figures]


def _gap_section(plan: Plan, results: Results, out: Path) -> list[str]:
    """The gaps at the checkpoints, by dimension and judge."""
    cells = gap_cells(plan, results)
    if not cells:
        return []
    kind = "(f − f*) / (f(x₀) − f*)" if plan.gap == "relative" else "f − f*"
    about = (
        f"Geometric mean of {kind} at the recommendation over problems and seeds, with a 90 % interval by bootstrap. "
        f"Gaps below {plan.floor:g} count as that. Ratio: {plan.default_method} over the best other method on the same "
        "problems and seeds; in bold where it is first or within 10 %."
    )
    every = page.table(*gap_tables.methods_table(plan, cells), text_columns=(0, 1, 2))
    ratios = page.table(*ratios_table(plan, results), text_columns=(0, 1))
    return [
        page.heading("Gaps by dimension, judge and number of answers"),
        page.paragraph(about, soft=True),
        *map(page.paragraph, gap_tables.standing_sentences(plan, standing(plan, results, cells))),
        *images(gap_figures(plan, cells, out / "report" / "figures")),
        page.table(*gap_tables.cells_table(plan, cells), text_columns=(0, 1, 2)),
        f"<details><summary>All methods</summary>{every}</details>",
        f"<details><summary>Ratios of {plan.default_method} to each</summary>{ratios}</details>",
    ]


def _budget(plan: Plan) -> str:
    """The largest budget in words."""
    return f"{plan.per_variable:,} n, at most {plan.budget:,}" if plan.per_variable else f"{plan.budget:,}"


def plan_command(plan: Plan, out: str | Path) -> str:
    """The command that runs this plan."""
    if isinstance(plan.problems, Mapping) or len(plan.oracles) > 1 or plan.n:
        return shlex.join(["steelyard", "bench", "--plan", str(Path(out) / "plan.toml"), "--out", str(out)])
    names = ("problems", "algorithms", "checkpoints", "budget", "seeds", "oracle")
    return shlex.join(
        ["steelyard", "bench", *as_options({name: getattr(plan, name) for name in names}), "--out", str(out)]
    )


def times_section(
    results: Results,
    methods: dict[str, str],
    problems: list[str],
    budget: int,
    criterion: str,
    f_best: BestValue = "known",
) -> list[str]:
    """Median queries with quartiles for each problem, and which differences between methods are more than chance."""
    times = results.times(criterion, problems, list(methods.values()), budget)
    return [
        page.heading(description(criterion, f_best), 3),
        page.paragraph(
            "Median queries [quartiles]; – if fewer than half of the runs got there, or f* is not known.", soft=True
        ),
        _times_table(times, list(methods), problems, criterion),
        *_tests(times, list(methods)),
    ]


def _times_table(times: Array, labels: list[str], problems: list[str], criterion: str) -> str:
    found = spread(times)
    rows = []
    for i, problem in enumerate(problems):
        least = np.nanmin(found.median[i]) if np.isfinite(found.median[i]).any() else np.nan
        cells = []
        for j in range(len(labels)):
            median = found.median[i, j]
            count = "" if found.solved[i, j] == found.runs[i, j] else f" ({found.solved[i, j]}/{found.runs[i, j]})"
            quartiles = f" [{_count(found.lower[i, j])}, {_count(found.upper[i, j])}]" if np.isfinite(median) else ""
            cells.append(f"{'*' if median == least else ''}{_count(median)}{quartiles}{count}")
        remark = _remark(problem, criterion)
        rows.append([f"{problem}{f' ({remark})' if remark else ''}", *cells])
    return page.table(["problem", *labels], rows)


def _remark(problem: str, criterion: str) -> str:
    try:
        return mark(get(with_seed(problem, 1)), criterion)  # 1, for COCO has no instance 0
    except Exception:  # whatever f raises: the page is written all the same
        return "f fails at the start"


def _tests(times: Array, labels: list[str]) -> list[str]:
    if len(labels) < 2:
        return []
    rows = [
        [f"{labels[t.first]} – {labels[t.second]}", f"{t.wins} : {t.losses}", f"{t.p:.2g}", f"{t.p_holm:.2g}"]
        for t in paired_tests(times)
    ]
    table = page.table(["pair", "fewer queries on N problems", "p", "p (Holm)"], rows)
    return [f"<details><summary>Paired tests (Wilcoxon, corrected by Holm)</summary>{table}</details>"]


def images(figures: list[Figure]) -> list[str]:
    return [page.image(figure.path, figure.caption) for figure in figures]


def failures(results: Results) -> list[str]:
    failed = results.where(status="failed")
    if not len(failed):
        return []
    columns = [map(str, failed[name]) for name in ("problem", "algorithm", "seed", "reason")]
    rows = list(zip(*columns, strict=True))
    return [page.heading("Runs that failed"), page.table(["problem", "method", "seed", "error"], rows, (0, 1, 3))]


def _count(queries: float) -> str:
    return f"{queries:,.0f}" if np.isfinite(queries) else "–"
