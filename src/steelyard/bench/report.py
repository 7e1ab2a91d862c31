"""Reports: what was run, what came out, and how it compares with what was claimed."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np

from steelyard import __version__
from steelyard.bench import page
from steelyard.bench.agreement import REASONS, differing, finals, fractions, grids, medians
from steelyard.bench.claims import CLAIMS
from steelyard.bench.criteria import CRITERIA, DESCRIPTIONS, mark
from steelyard.bench.evidence import Evidence
from steelyard.bench.figures import Figure, bench_figures, paper_figures
from steelyard.bench.ledger import Finding, judge
from steelyard.bench.plan import Plan
from steelyard.bench.profiles import solved_fraction, spread
from steelyard.bench.records import load
from steelyard.bench.results import Results
from steelyard.bench.significance import paired_tests
from steelyard.problems import get
from steelyard.typing import Array

VERDICT_CLASS = {"holds": "holds", "holds in part": "part", "does not hold": "not", "not measured": "unmeasured"}


# --- any benchmark


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
        *_images(figures),
        page.heading("Queries, problem by problem"),
        *(part for c in ("f05", "g05", "r3") for part in times_section(results, methods, problems, plan.budget, c)),
        *_failures(results),
    ]
    return _write(out, "Benchmark", parts)


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


# --- the paper


def reproduction_report(evidence: Evidence, out: str | Path, command: str) -> tuple[Path, list[Finding]]:
    """Write OUT/report/index.html about the paper; returns its path and the ledger."""
    out = Path(out)
    findings = judge(CLAIMS, evidence)
    figures = paper_figures(evidence, out / "report" / "figures")
    programme, plans = evidence.programme, evidence.programme.plans()
    criteria = ("f05", "g05")
    parts = [
        page.paragraph(
            "Every experiment of Slavin and McKenzie, “Adapting zeroth order algorithms for comparison-based "
            f"optimization” (2022), run again with steelyard {__version__}: {len(evidence.results):,} runs. Programme: "
            f"{programme.name} ({programme.budget:,} queries and {programme.seeds} seeds for the profiles)."
        ),
        page.command(command),
        page.heading("Ledger of the paper's claims"),
        page.paragraph(
            "Each verdict is computed from the runs: all checks hold, some do, or none does. STP, GLD and SignOPT run "
            "as in the published code. CMA-ES and SCOBO run as their own papers have them, without the errors of that "
            "code, so a claim that they are slow may well not hold here."
        ),
        ledger_table(findings),
        page.heading("Toy problems"),
        *_images(figures["toy"]),
        finals_table(evidence),
        page.heading("CUTEst figures"),
        *_images(figures["cutest"]),
        page.heading("Performance profiles"),
        *_images(figures["profiles"]),
        page.heading("Solved fractions beside the published ones", 3),
        *fractions_section(evidence),
        *medians_section(evidence),
        *(
            part
            for c in criteria
            for part in times_section(evidence.profile_runs, programme.methods, evidence.problems, programme.budget, c)
        ),
        page.heading("Noisy oracle"),
        *_images(figures["noise"]),
        page.heading("Tuning GLD"),
        *_images(figures["gld"]),
        page.heading("Tuning SCOBO"),
        *_images(figures["scobo"]),
        page.heading("Heat maps beside the published code's", 3),
        grids_table(evidence),
        page.heading("The exact commands"),
        page.paragraph("The command above runs all of these; each can be run alone."),
        *(
            part
            for name, plan in plans.items()
            for part in (page.heading(name, 3), page.command(plan_command(plan, out)))
        ),
        *_failures(evidence.results),
    ]
    return _write(out, "The paper, reproduced", parts), findings


def ledger_table(findings: list[Finding]) -> str:
    rows = []
    for finding in findings:
        checks = "".join(f"<li>{'✓' if c.holds else '✗'} {page.escape(c.text)}</li>" for c in finding.checks)
        detail = (
            f"<details><summary>{finding.score}</summary><ul>{checks}</ul></details>"
            if checks
            else "needs the full programme"
        )
        kind = VERDICT_CLASS[finding.verdict]
        rows.append(
            f'<tr><td class="text">{page.escape(finding.claim.where)}</td>'
            f'<td class="text">{page.escape(finding.claim.statement)}</td>'
            f'<td class="text {kind}">{finding.verdict}</td><td class="text">{detail}</td></tr>'
        )
    head = "".join(f'<th class="text">{title}</th>' for title in ("where", "claim", "verdict", "checks that hold"))
    return f'<div class="wide"><table><tr>{head}</tr>{"".join(rows)}</table></div>'


def fractions_section(evidence: Evidence) -> list[str]:
    found = fractions(evidence)
    rows = [
        [
            f"{DESCRIPTIONS[f.criterion]}, {f.budget:,}",
            f.label,
            f"{f.ours:.2f}",
            f"{f.rerun:.2f}",
            f"{f.recorded:.2f}",
            f"± {f.error:.2f}",
            "yes" if f.agrees else "no",
        ]
        for f in found
    ]
    head = ["criterion, budget", "method", "ours", "their code, run again", "their records", "sampling error", "agrees"]
    reasons = [page.paragraph(f"Why {label} differs: {REASONS[label]}") for label in differing(evidence)]
    return [page.table(head, rows, (0, 1)), *reasons]


def medians_section(evidence: Evidence) -> list[str]:
    rows = [
        [
            f"{DESCRIPTIONS[m.criterion]}, {m.budget:,}",
            m.label,
            f"{m.typical:.2f}" if m.ratios else "–",
            str(len(m.ratios)),
            ", ".join(m.only_ours) or "–",
            ", ".join(m.only_theirs) or "–",
        ]
        for m in medians(evidence)
    ]
    head = ["criterion, budget", "method", "our median / theirs", "problems", "solved by ours only", "by theirs only"]
    note = "The geometric mean over the problems that both solve in at least half of the runs."
    return [
        page.heading("Medians beside the authors' records", 3),
        page.paragraph(note, soft=True),
        page.table(head, rows, (0, 1, 4, 5)),
    ]


def finals_table(evidence: Evidence) -> str:
    rows = [
        [
            f"{f.problem}{'' if f.p == 1 else f', p = {f.p:g}'}",
            f.label,
            f"{f.ours:.3g}",
            f"{f.theirs:.3g}",
            "yes" if f.overlap else "no",
        ]
        for f in finals(evidence)
    ]
    head = ["problem", "method", "mean final gap, ours", "published code", "ranges overlap"]
    return page.table(head, rows, (0, 1))


def grids_table(evidence: Evidence) -> str:
    rows = [
        [g.name, g.problem, f"{g.queries:,}", f"{10**g.typical:.3g}", f"{10**g.worst:.3g}"] for g in grids(evidence)
    ]
    return page.table(["grid", "problem", "queries", "typical factor between ours and theirs", "largest"], rows, (0, 1))


def _images(figures: list[Figure]) -> list[str]:
    return [page.image(figure.path, figure.caption) for figure in figures]


def _failures(results: Results) -> list[str]:
    failed = results.where(status="failed")
    if not len(failed):
        return []
    rows = [
        [str(failed["problem"][i]), str(failed["algorithm"][i]), str(failed["seed"][i]), str(failed["reason"][i])]
        for i in range(len(failed))
    ]
    return [page.heading("Runs that failed"), page.table(["problem", "method", "seed", "error"], rows, (0, 1, 3))]


def _write(out: Path, title: str, parts: list[str]) -> Path:
    path = out / "report" / "index.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page.page(title, parts), encoding="utf-8")
    return path


def _count(queries: float) -> str:
    return f"{queries:,.0f}" if np.isfinite(queries) else "–"
