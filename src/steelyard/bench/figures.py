"""The figures of a benchmark: results to arrays (by `profiles`), arrays to pictures (by `plots`)."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from steelyard.bench import plots
from steelyard.bench.criteria import DESCRIPTIONS, GAPS
from steelyard.bench.profiles import band, ecdf, performance_profile
from steelyard.bench.results import Results
from steelyard.bench.trace import query_grid
from steelyard.problems import get


class Figure(NamedTuple):
    """A picture on disk (beside it the same as PDF) and what it shows."""

    path: Path
    caption: str


def bench_figures(
    results: Results, methods: dict[str, str], problems: list[str], budget: int, folder: Path
) -> list[Figure]:
    """Profiles and the share of targets reached, for any benchmark; with few problems also the gaps themselves."""
    labels, specs = list(methods), list(methods.values())
    look = plots.looks(labels)
    panels = {
        DESCRIPTIONS[c]: (labels, performance_profile(results.times(c, problems, specs))) for c in ("f05", "g05", "r3")
    }
    figure = plots.profile_panels(panels, look, "queries, relative to the fewest (τ)", columns=3)
    found = [Figure(plots.save(figure, folder, "profiles"), "Performance profiles (medians over seeds).")]
    figure = _target_ecdf(results, labels, specs, problems, look)
    found.append(Figure(plots.save(figure, folder, "targets"), TARGETS_CAPTION))
    if len(problems) <= 6:
        queries = np.append(0, query_grid(budget)).astype(np.float64)
        gaps = {}
        for problem in problems:
            best = get(problem).f_best or 0.0
            runs = results.where(problem=problem)
            gaps[problem] = {
                label: band(runs.where(algorithm=spec).curves(queries) - best) for label, spec in methods.items()
            }
        figure = plots.gap_panels(gaps, queries, look)
        found.append(Figure(plots.save(figure, folder, "gaps"), "Mean optimality gap; the shading is the range."))
    return found


TARGETS_CAPTION = (
    "Fraction of (run, target) pairs reached against queries; the targets are the relative gaps 10⁻¹ to 10⁻⁶ to the "
    "best known value."
)


def _target_ecdf(
    results: Results, labels: list[str], specs: list[str], problems: list[str], look: dict[str, plots.Look]
) -> object:
    times = np.concatenate([results.times(c, problems, specs) for c in GAPS], axis=2)
    return plots.profile_panels({"all problems": (labels, ecdf(times))}, look, "queries", "fraction of targets")
