"""Reports: what was run, what came out, which differences are more than chance."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np

from steelyard import __version__
from steelyard.bench import page
from steelyard.bench.criteria import CRITERIA, DESCRIPTIONS, mark
from steelyard.bench.figures import Figure, bench_figures
from steelyard.bench.plan import Plan
from steelyard.bench.profiles import solved_fraction, spread
from steelyard.bench.records import load
from steelyard.bench.results import Results
from steelyard.bench.significance import paired_tests
from steelyard.problems import get
from steelyard.typing import Array


def bench_report(plan: Plan, out: str | Path) -> Path:
    """Write OUT/report/index.html about the runs of a plan; returns its path."""
    out = Path(out)
    results = load(out, algorithms=plan.algorithms).where(
        oracle=plan.oracle, budget=plan.budget, problem=plan.problem_names()
    )
    methods = {spec: spec for spec in plan.algorithms}
    problems = plan.problem_names()
    figures = bench_figures(results, methods, problems, plan.budget, out / "report" / "figures")
    parts = [
        page.paragraph(
            f"{len(results)} runs: {len(plan.algorithms)} methods, {len(problems)} problems, {plan.seeds} seeds, "
            f"{plan.budget:,} queries, oracle {plan.oracle}; steelyard {__version__}."
        ),
        page.command(plan_command(plan, out)),
        page.heading("Solved fraction of runs"),
        solved_table(results, methods, problems, plan.budget),
        *images(figures),
        page.heading("Queries, problem by problem"),
        *(part for c in ("f05", "g05", "r3") for part in times_section(results, methods, problems, plan.budget, c)),
        *failures(results),
    ]
    return write_report(out, "Benchmark", parts)


def plan_command(plan: Plan, out: str | Path) -> str:
    """The command that runs this plan."""
    words = ["steelyard", "bench"]
    for problem in plan.problems:
        suite = problem.removeprefix("suite:")
        words += ["--suite", suite] if suite != problem else ["--problem", problem]
    for algorithm in plan.algorithms:
        words += ["--algorithm", algorithm]
    for count in plan.checkpoints:
        words += ["--checkpoint", str(count)]
    words += ["--budget", str(plan.budget), "--seeds", str(plan.seeds), "--oracle", plan.oracle, "--out", str(out)]
    return shlex.join(words)


def solved_table(results: Results, methods: dict[str, str], problems: list[str], budget: int) -> str:
    """The solved fraction of runs, a row a criterion."""
    rows = []
    for criterion in CRITERIA:
        fractions_ = solved_fraction(results.times(criterion, problems, list(methods.values()), budget))
        best = fractions_.max()
        cells = [f"{'*' if f == best > 0 else ''}{f:.2f}" for f in fractions_]
        rows.append([DESCRIPTIONS[criterion], *cells])
    return page.table(["criterion", *methods], rows)


def times_section(
    results: Results, methods: dict[str, str], problems: list[str], budget: int, criterion: str
) -> list[str]:
    """Median queries with quartiles for each problem, and which differences between methods are more than chance."""
    times = results.times(criterion, problems, list(methods.values()), budget)
    return [
        page.heading(DESCRIPTIONS[criterion], 3),
        page.paragraph("Median queries [quartiles]; – if fewer than half of the runs got there.", soft=True),
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
        remark = mark(get(problem), criterion)
        rows.append([f"{problem}{f' ({remark})' if remark else ''}", *cells])
    return page.table(["problem", *labels], rows)


def _tests(times: Array, labels: list[str]) -> list[str]:
    if len(labels) < 2:
        return []
    rows = [
        [f"{labels[t.first]} – {labels[t.second]}", f"{t.wins} : {t.losses}", f"{t.p:.2g}", f"{t.p_holm:.2g}"]
        for t in paired_tests(times)
    ]
    table = page.table(["pair", "fewer queries on so many problems", "p", "p (Holm)"], rows)
    return [f"<details><summary>Paired tests (Wilcoxon, corrected by Holm)</summary>{table}</details>"]


def images(figures: list[Figure]) -> list[str]:
    return [page.image(figure.path, figure.caption) for figure in figures]


def failures(results: Results) -> list[str]:
    failed = results.where(status="failed")
    if not len(failed):
        return []
    rows = [
        [str(failed["problem"][i]), str(failed["algorithm"][i]), str(failed["seed"][i]), str(failed["reason"][i])]
        for i in range(len(failed))
    ]
    return [page.heading("Runs that failed"), page.table(["problem", "method", "seed", "error"], rows, (0, 1, 3))]


def write_report(out: Path, title: str, parts: list[str]) -> Path:
    path = out / "report" / "index.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page.page(title, parts), encoding="utf-8")
    return path


def _count(queries: float) -> str:
    return f"{queries:,.0f}" if np.isfinite(queries) else "–"
