"""The figures of the paper, drawn again from our runs."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from steelyard.bench import plots
from steelyard.bench.criteria import DESCRIPTIONS, GAPS
from steelyard.bench.figures import Figure, targets_caption
from steelyard.bench.profiles import band, data_profile, ecdf
from steelyard.bench.trace import query_grid
from steelyard.paper import plans as paper
from steelyard.paper.evidence import Evidence
from steelyard.problems import get
from steelyard.typing import Array


def paper_figures(e: Evidence, folder: Path) -> dict[str, list[Figure]]:
    """Every figure of the paper, by section."""
    look = plots.looks(e.labels)
    return {
        "toy": [_toy(e, look, folder)],
        "cutest": [_cutest(e, look, folder)],
        "profiles": [_profiles(e, look, folder), _data_profiles(e, look, folder), _targets(e, look, folder)],
        "noise": [_noise(e, look, folder)],
        "gld": [_gld(e, folder, published=False), _gld(e, folder, published=True)],
        "scobo": [_scobo(e, folder, "r"), _scobo(e, folder, "m")],
    }


def _toy(e: Evidence, look: dict[str, plots.CurveLook], folder: Path) -> Figure:
    panels = {
        problem: {label: e.toy_band(problem, label) for label in e.programme.toy_methods} for problem in paper.TOYS
    }
    path = plots.save(plots.gap_panels(panels, e.queries, look), folder, "toy")
    return Figure(path, "Mean optimality gap over 5 repeats against queries; the shading is the min–max range.")


def _cutest(e: Evidence, look: dict[str, plots.CurveLook], folder: Path) -> Figure:
    queries = np.append(0, query_grid(e.programme.budget)).astype(np.float64)
    panels = {
        f"{problem} (n = {get(problem).n})": {label: band(e.figure_gaps(problem, label, queries)) for label in e.labels}
        for problem in paper.FIGURE_PROBLEMS
    }
    path = plots.save(plots.gap_panels(panels, queries, look), folder, "cutest")
    return Figure(path, "Optimality gap against queries on three CUTEst problems.")


def _profiles(e: Evidence, look: dict[str, plots.CurveLook], folder: Path) -> Figure:
    panels = {
        f"{DESCRIPTIONS[criterion]}, {budget:,} queries": (e.labels, e.profile(criterion, budget))
        for criterion in ("f05", "g05")
        for budget in e.programme.budgets
    }
    figure = plots.profile_panels(panels, look, "queries, relative to the fewest (τ)")
    return Figure(
        plots.save(figure, folder, "profiles"),
        "Performance profiles on the 22 problems: the fraction solved (median over seeds) within τ times the fewest "
        "queries of any method.",
    )


def _data_profiles(e: Evidence, look: dict[str, plots.CurveLook], folder: Path) -> Figure:
    dimensions = np.array([get(problem).n for problem in e.problems])
    budget = e.programme.budget
    panels = {DESCRIPTIONS[c]: (e.labels, data_profile(e.times(c, budget), dimensions)) for c in ("f05", "g05")}
    figure = plots.profile_panels(panels, look, "queries / (n + 1)", "fraction of runs")
    return Figure(
        plots.save(figure, folder, "data-profiles"),
        "Data profiles: the fraction of runs solved, by effort per dimension.",
    )


def _targets(e: Evidence, look: dict[str, plots.CurveLook], folder: Path) -> Figure:
    times = np.concatenate([e.times(c, e.programme.budget) for c in GAPS], axis=2)
    figure = plots.profile_panels(
        {"all 22 problems": (e.labels, ecdf(times))}, look, "queries", "fraction of targets", right=e.programme.budget
    )
    return Figure(plots.save(figure, folder, "targets"), targets_caption())


def _noise(e: Evidence, look: dict[str, plots.CurveLook], folder: Path) -> Figure:
    panels = {
        ("exact oracle" if p == 1.0 else f"right with p = {p:g}"): {
            label: e.toy_band("SparseQuadratic", label, p) for label in e.programme.toy_methods
        }
        for p in (1.0, *paper.NOISE_LEVELS)
    }
    path = plots.save(plots.gap_panels(panels, e.queries, look), folder, "noise")
    return Figure(path, "SparseQuadratic with a noisy oracle: mean optimality gap and min–max range of 5 repeats.")


def _gld(e: Evidence, folder: Path, published: bool) -> Figure:
    panels = _grid_panels(paper.GLD_QUERIES, lambda problem, q: e.gld_grid(problem, q, published))
    figure = plots.heat_maps(panels, [f"{R:g}" for R in paper.GLD_R], [f"{r:g}" for r in paper.GLD_r], "R", "r")
    name, what = (
        ("gld-published", "with the radii of the published code") if published else ("gld", "as the paper writes it")
    )
    return Figure(plots.save(figure, folder, name), f"GLD, {what}: mean final value over R and r. {plots.DARK_IS_LOW}")


def _scobo(e: Evidence, folder: Path, second: str) -> Figure:
    values = paper.SCOBO_r if second == "r" else paper.SCOBO_m
    panels = _grid_panels(paper.SCOBO_QUERIES, lambda problem, q: e.scobo_grid(problem, q, second))
    figure = plots.heat_maps(panels, [f"{s:g}" for s in paper.SCOBO_s], [f"{v:g}" for v in values], "s", second)
    fixed = "m = 100" if second == "r" else "r = .1"
    return Figure(
        plots.save(figure, folder, f"scobo-{second}"),
        f"SCOBO: mean final value over s and {second} ({fixed}). {plots.DARK_IS_LOW}",
    )


def _grid_panels(counts: tuple[int, ...], grid: Callable[[str, int], Array]) -> dict[str, Array]:
    return {f"{problem}, {q:,} queries": grid(problem, q) for q in counts for problem in paper.TUNING_PROBLEMS}
