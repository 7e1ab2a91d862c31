"""The figures of a benchmark: results to arrays (by `profiles`), arrays to pictures (by `plots`)."""

import contextlib
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np

from steelyard.bench import plots
from steelyard.bench.best_value import BestValue
from steelyard.bench.coco import Counted, dimension_of, reference_runtimes, runtimes
from steelyard.bench.criteria import GAPS, description
from steelyard.bench.gap_tables import judge_name
from steelyard.bench.gaps import GapCell, gap_cells
from steelyard.bench.methods import label, sees_values
from steelyard.bench.plan import Plan
from steelyard.bench.profiles import band, ecdf, ecdf_of, performance_profile
from steelyard.bench.results import Results
from steelyard.bench.trace import query_grid
from steelyard.errors import BadValue
from steelyard.extras import need
from steelyard.typing import AnyArray, Array


class Figure(NamedTuple):
    """A picture on disk (next to it the same as PDF) and what it shows."""

    path: Path
    caption: str


def bench_figures(plan: Plan, results: Results, folder: Path) -> list[Figure]:
    """Profiles and the share of targets reached, for any benchmark; with few problems also the gaps themselves."""
    methods, problems = {label(spec): spec for spec in plan.algorithms}, plan.templates()
    labels, specs = list(methods), list(methods.values())
    look = plots.looks(labels)
    panels = {
        description(c, plan.f_best): (labels, performance_profile(results.times(c, problems, specs)))
        for c in ("f05", "g05", "r3")
    }
    figure = plots.profile_panels(panels, look, "queries, relative to the fewest (τ)", columns=3)
    found = [Figure(plots.save(figure, folder, "profiles"), "Performance profiles (medians over seeds).")]
    times = np.concatenate([results.times(c, problems, specs) for c in GAPS], axis=2)
    figure = plots.profile_panels({"all problems": (labels, ecdf(times))}, look, "queries", "fraction of targets")
    found.append(Figure(plots.save(figure, folder, "targets"), targets_caption(plan.f_best)))
    if len(problems) <= 6:
        queries = np.append(0, query_grid(plan.budget)).astype(np.float64)
        gaps = {}
        for problem in problems:
            runs = results.where(problem=problem)
            if not np.isfinite(runs["f_best"].astype(np.float64)).any():
                continue  # there is no gap without a best value
            mine = {name: runs.where(algorithm=spec) for name, spec in methods.items()}
            gaps[problem] = {name: band(_gap_curves(some, queries)) for name, some in mine.items() if len(some)}
        if gaps:
            figure = plots.gap_panels(gaps, queries, look)
            found.append(Figure(plots.save(figure, folder, "gaps"), "Mean optimality gap; the shading is the range."))
    return found


def _gap_curves(runs: Results, queries: Array) -> Array:
    return runs.curves(queries) - runs["f_best"].astype(np.float64)[:, None]


def gap_figures(plan: Plan, cells: Sequence[GapCell], folder: Path) -> list[Figure]:
    """For each group of problems a grid of panels; see `gap_picture`."""
    found = []
    for place, group in enumerate(plan.groups()):
        if here := [cell for cell in cells if cell.group == group]:
            caption = "Geometric mean gap against answers: judges down, dimensions across."
            name = f"gap-grid{place + 1 if group else ''}"
            found.append(Figure(plots.save(gap_picture(plan, here), folder, name), caption))
    return found


def gap_picture(plan: Plan, cells: Sequence[GapCell]) -> Any:
    """A grid of small panels, gaps against answers: judges down; groups of problems and dimensions across."""
    groups, panels = list(plan.groups()), dict[tuple[str, str], dict[str, tuple[AnyArray, AnyArray]]]()
    for cell in sorted(cells, key=lambda cell: (groups.index(cell.group), cell.n)):
        column = f"{cell.group}, n = {cell.n}" if cell.group else f"n = {cell.n}"
        curves = panels.setdefault((_in_lines(judge_name(cell.oracle)), column), {})
        for each in cell.methods:
            if not sees_values(each.method):
                x, y = curves.get(each.method, (np.empty(0), np.empty(0)))
                curves[each.method] = np.append(x, cell.queries), np.append(y, each.mean)
    rows, columns = (list(dict.fromkeys(names)) for names in zip(*panels, strict=True))
    order = [_in_lines(judge_name(oracle)) for oracle in plan.oracles]
    return plots.gap_grid(panels, sorted(rows, key=order.index), columns, plan.default_method)


def draw_plan(plan: Plan, results: Results, path: Path) -> None:
    """The picture that a page shows of a plan: COCO's for its problems, else the grid of gaps."""
    picture = coco_picture(plan, results, "comparisons")
    if picture is None and not plan.checkpoints:
        raise BadValue(f"--into must be a page, as a plan without checkpoints has no figure, got {str(path)!r}")
    with need("matplotlib", "bench").rc_context({"svg.hashsalt": "steelyard"}):
        picture = picture or gap_picture(plan, gap_cells(plan, results))
        picture.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def coco_figures(plan: Plan, results: Results, folder: Path) -> list[Figure]:
    """COCO's picture, in comparisons and in evaluations; see `coco_picture`."""
    found = []
    for counted in get_args(Counted):
        picture = coco_picture(plan, results, counted)
        if picture is not None:
            caption = (
                f"Fraction of (run, target) pairs reached against {counted} for each variable; the targets are "
                f"f − f* = 10, 1, .., 1e-7. {BEST_2009}, from the package cocopp, is the best entry for each function "
                "and target; it sees values, has starts of its own, and its count is evaluations."
            )
            found.append(Figure(plots.save(picture, folder, f"coco-{counted}"), caption))
    return found


def coco_picture(plan: Plan, results: Results, counted: Counted) -> Any | None:
    """The fraction of (problem, target) pairs reached against the comparisons or evaluations for each variable.

    A panel for each dimension, with the best entry of 2009 where it is available; None if there are no such problems.
    """
    panels = {}
    look = plots.looks([*(label(spec) for spec in plan.algorithms), BEST_2009])
    for n in sorted({dimension_of(name) for name in plan.templates()} - {0}):
        names = [name for name in plan.templates() if dimension_of(name) == n]
        here = results.where(problem=names, oracle=plan.oracles[0])
        curves = {
            label(m): runtimes(some, counted) / n for m in plan.algorithms if len(some := here.where(algorithm=m))
        }
        with contextlib.suppress(ImportError):  # without cocopp there is nothing to compare with
            reference = reference_runtimes(names) / n
            if np.isfinite(reference).any():
                curves[BEST_2009] = reference
        if curves:
            panels[f"n = {n}"] = (list(curves), ecdf_of(list(curves.values())))
    return plots.profile_panels(panels, look, f"{counted} / n", "fraction of targets", columns=3) if panels else None


BEST_2009 = "best 2009 (values)"


def _in_lines(text: str) -> str:
    return "\n".join(textwrap.wrap(text, 18))


def targets_caption(f_best: BestValue = "known") -> str:
    """What the figure of targets shows."""
    best = {"known": "best known value", "descent": "end of a descent from x₀", "found": "best value found by any run"}
    return (
        "Fraction of (run, target) pairs reached against queries; the targets are the relative gaps 10⁻¹ to 10⁻⁶ to "
        f"the {best[f_best]}. Problems without one are left out."
    )
