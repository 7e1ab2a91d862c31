"""Tables of results: computed by `profiles`, laid out for a terminal or a page."""

from __future__ import annotations

import numpy as np
from rich.table import Table

from steelyard.bench.criteria import CRITERIA, DESCRIPTIONS
from steelyard.bench.profiles import median_times, solved_fraction
from steelyard.bench.results import Results


def summary_table(results: Results, algorithms: list[str], problems: list[str]) -> Table:
    """The solved fraction of runs for each criterion, and on how many problems the method was the fastest."""
    table = Table(title="solved fraction of runs (fastest on so many problems)", header_style="bold", box=None)
    table.add_column("criterion")
    for algorithm in algorithms:
        table.add_column(algorithm, justify="right")
    for criterion in CRITERIA:
        times = results.times(criterion, problems, algorithms)
        fractions = solved_fraction(times)
        medians = np.where(np.isnan(median_times(times)), np.inf, median_times(times))
        best = medians.min(axis=1, keepdims=True)
        firsts = ((medians == best) & np.isfinite(best)).sum(axis=0)
        cells = [f"{fraction:.2f} ({first})" for fraction, first in zip(fractions, firsts, strict=True)]
        table.add_row(f"{criterion}: {DESCRIPTIONS[criterion]}", *cells)
    return table
