"""The report about the paper: every experiment, every claim, and our numbers compared with the published ones."""

from itertools import chain
from pathlib import Path

from steelyard.bench import page
from steelyard.bench.criteria import DESCRIPTIONS, mark
from steelyard.bench.figures import Figure
from steelyard.bench.report import failures, images, plan_command, times_section
from steelyard.paper.claims import CLAIMS
from steelyard.paper.comparison import REASONS, differing, finals, fractions, grids, medians
from steelyard.paper.evidence import Evidence
from steelyard.paper.figures import paper_figures
from steelyard.paper.ledger import Finding, judge
from steelyard.paper.settings import settings
from steelyard.problems import get
from steelyard.version import __version__

ABOUT_VERDICTS = (
    "Each verdict is computed from the runs: all checks hold, some do, or none does. STP, GLD and SignOPT run as in "
    "the published code. CMA-ES runs as the paper writes it and SCOBO as its own paper has it, without the errors of "
    "that code, so a claim that they are slow may well not hold here. What is marked “ours” has our own defaults; no "
    "claim is judged by it."
)
ABOUT_SETTINGS = (
    "Of the paper, of its published code and of these runs. A second value, after “toy”, is for the toy problems and "
    "the noisy oracle."
)
SETTINGS_HEAD = ["method", "setting", "here", "paper", "published code", "why it differs from the code"]
VERDICT_CLASS = {"holds": "holds", "holds in part": "part", "does not hold": "not", "not measured": "unmeasured"}


def reproduction_report(evidence: Evidence, out: str | Path, command: str) -> tuple[Path, list[Finding]]:
    """Write OUT/report/index.html about the paper; returns its path and the ledger."""
    out = Path(out)
    findings = judge(CLAIMS, evidence)
    figures = paper_figures(evidence, out / "report" / "figures")
    programme = evidence.programme
    parts = [
        page.paragraph(
            "Every experiment of Slavin and McKenzie, “Adapting zeroth order algorithms for comparison-based "
            f"optimization” (2022), run again with steelyard {__version__}: {len(evidence.results):,} runs. Programme: "
            f"{programme.name} ({programme.budget:,} queries and {programme.seeds} seeds for the profiles)."
            f"{unjudged(findings)}"
        ),
        page.command(command),
        page.heading("Ledger of the paper's claims"),
        page.paragraph(ABOUT_VERDICTS),
        ledger_table(findings),
        page.heading("Settings"),
        page.paragraph(ABOUT_SETTINGS),
        page.table(SETTINGS_HEAD, [list(map(str, row)) for row in settings()], range(len(SETTINGS_HEAD))),
        page.heading("The 22 problems"),
        problems_table(evidence),
        *section("Toy problems", figures["toy"]),
        finals_table(evidence),
        *section("CUTEst figures", figures["cutest"]),
        *section("Performance profiles", figures["profiles"]),
        page.heading("Solved fractions compared with the published ones", 3),
        *fractions_section(evidence),
        *medians_section(evidence),
        *chain.from_iterable(
            times_section(evidence.profile_runs, programme.methods, evidence.problems, programme.budget, criterion)
            for criterion in ("f05", "g05")
        ),
        *section("Noisy oracle", figures["noise"]),
        *section("Tuning GLD", figures["gld"]),
        *section("Tuning SCOBO", figures["scobo"]),
        page.heading("Heat maps compared with the published code's", 3),
        grids_table(evidence),
        page.heading("The exact commands"),
        page.paragraph("The command above runs all of these; each can be run alone."),
        *chain.from_iterable(
            (page.heading(name, 3), page.command(plan_command(plan, out))) for name, plan in programme.plans().items()
        ),
        *failures(evidence.results),
    ]
    return page.write_report(out, "The paper, reproduced", parts), findings


def section(title: str, figures: list[Figure]) -> list[str]:
    return [page.heading(title), *images(figures)]


def unjudged(findings: list[Finding]) -> str:
    """How many claims this programme cannot judge, as a sentence; nothing if it can judge them all."""
    open_ = [finding for finding in findings if finding.verdict == "not measured"]
    if not open_:
        return ""
    budgets = " or ".join(f"{budget:,}" for budget in sorted({finding.claim.budget for finding in open_}))
    are = "is" if len(open_) == 1 else "are"
    what = f"{len(open_)} of the {len(findings)} claims {are} about {budgets} queries"
    return f" {what} and cannot be judged here: run --full."


def problems_table(evidence: Evidence) -> str:
    """The problems with their dimensions, and what is known about reaching the criteria."""
    rows = []
    for name in evidence.problems:
        problem = get(name)
        remarks = [f"{DESCRIPTIONS[c]}: {remark}" for c in ("f05", "g05") if (remark := mark(problem, c))]
        best = "–" if problem.f_best is None else f"{problem.f_best:.6g}"
        rows.append([name, str(problem.n), f"{problem.f(problem.x0):.6g}", best, "; ".join(remarks)])
    return page.table(["problem", "n", "f at the start", "best known f", "remarks"], rows, (0, 4))


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
        page.heading("Medians compared with the authors' records", 3),
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
