"""Tables of results: computed by `profiles`, as rows of text for a terminal, a page or Markdown."""

from typing import NamedTuple

import numpy as np
from rich.table import Table as TerminalTable

from steelyard.bench.best_value import BestValue
from steelyard.bench.criteria import CRITERIA, description
from steelyard.bench.methods import label
from steelyard.bench.plan import Plan
from steelyard.bench.profiles import median_times, solved_fraction
from steelyard.bench.results import Results


class Table(NamedTuple):
    """A head and rows of text; cells that begin with * are emphasised."""

    head: list[str]
    rows: list[list[str]]


def solved_table(plan: Plan, results: Results) -> Table:
    """The solved fraction of runs for each criterion, and on how many problems the method was the fastest.

    – where nothing can be judged: no run, or no best value known.
    """
    rows = []
    for criterion in CRITERIA:
        times = results.times(criterion, plan.templates(), list(plan.algorithms), plan.budget)
        fractions = solved_fraction(times)
        medians = np.where(np.isnan(median_times(times)), np.inf, median_times(times))
        least = medians.min(axis=1, keepdims=True)
        firsts = ((medians == least) & np.isfinite(least)).sum(axis=0)
        best = np.nanmax(fractions) if np.isfinite(fractions).any() else np.nan
        cells = [
            "–" if np.isnan(fraction) else f"{'*' if fraction == best > 0 else ''}{fraction:.2f} ({first})"
            for fraction, first in zip(fractions, firsts, strict=True)
        ]
        rows.append([description(criterion, plan.f_best), *cells])
    return Table(["criterion", *map(label, plan.algorithms)], rows)


def policy_note(f_best: BestValue) -> str:
    """What f* is, if it is not what the problems know."""
    if f_best == "found":
        return "f_found is the lowest value found by any run here: a better method would make all others look worse."
    return "f* is the lowest value that gradient methods find from x₀." if f_best == "descent" else ""


def on_terminal(title: str, table: Table) -> TerminalTable:
    """The table for a terminal."""
    shown = TerminalTable(title=title, title_justify="left", header_style="bold", box=None)
    for i, column in enumerate(table.head):
        shown.add_column(column, justify="left" if i == 0 else "right")
    for row in table.rows:
        shown.add_row(*(cell.removeprefix("*") for cell in row))
    return shown
