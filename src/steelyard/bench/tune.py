"""Heat maps over two hyper-parameters of any method: the paper's experiment, for whatever one likes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from steelyard.bench import page, plots
from steelyard.bench.executors import Executor
from steelyard.bench.plan import Plan
from steelyard.bench.records import load_plan
from steelyard.bench.run import OnRecords, Summary, run
from steelyard.errors import BadValue
from steelyard.registry import parse_spec
from steelyard.typing import Array


@dataclass(frozen=True)
class Grid:
    """Two parameters of a method with the values to try, all pairs of them."""

    method: str
    """A spec; its other options stay as they are there."""
    rows: tuple[str, tuple[object, ...]]
    columns: tuple[str, tuple[object, ...]]

    def __post_init__(self) -> None:
        for name, values in (self.rows, self.columns):
            if not values:
                raise BadValue(f"a grid needs at least one value of {name}")
        if self.rows[0] == self.columns[0]:
            raise BadValue(f"a grid needs two different parameters, got {self.rows[0]} twice")

    def specs(self) -> list[list[str]]:
        """The method at each pair, row by row."""
        return [
            [with_options(self.method, {self.rows[0]: row, self.columns[0]: column}) for column in self.columns[1]]
            for row in self.rows[1]
        ]


def tune_grid(
    grid: Grid,
    problems: Sequence[str],
    out: str | Path,
    *,
    at: Sequence[int],
    seeds: int = 5,
    oracle: str = "exact",
    jobs: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], OnRecords] | None = None,
) -> tuple[Summary, dict[tuple[str, int], Array], Path]:
    """Run the grid and draw it: the mean final value after each of `at` queries, a heat map for each problem.

    Returns what was run, the values by (problem, queries), and the page with the heat maps.
    """
    if not at:
        raise BadValue("a grid needs at least one query count at which to look")
    specs = grid.specs()
    plan = Plan(problems, [spec for row in specs for spec in row], max(at), seeds, oracle, checkpoints=sorted(at))
    summary = run(plan, out, jobs=jobs, executor=executor, progress=progress)
    runs = load_plan(plan, out)
    values = {}
    for count, problem in product(sorted(at), plan.problem_names()):
        here = runs.where(problem=problem)
        final, names = here.at(count), here["algorithm"].astype(str)
        values[problem, count] = np.array([[final[names == spec].mean() for spec in row] for row in specs])
    return summary, values, _draw(grid, values, Path(out))


def best_cells(grid: Grid, values: Mapping[tuple[str, int], Array]) -> list[tuple[str, int, str, float]]:
    """For each heat map the spec with the lowest mean value, and the value."""
    found = []
    for (problem, count), cells in values.items():
        i, j = np.unravel_index(int(np.nanargmin(cells)), cells.shape)
        found.append((problem, count, grid.specs()[i][j], float(cells[i, j])))
    return found


def with_options(spec: str, options: Mapping[str, object]) -> str:
    """A spec with some options set: those named in it before are replaced."""
    name, present = parse_spec(spec)
    return ",".join([name, *(f"{key}={_text(value)}" for key, value in {**present, **options}.items())])


def _text(value: object) -> str:
    # Not in quotes, and without a comma, so that the spec can be typed and parsed.
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _draw(grid: Grid, values: Mapping[tuple[str, int], Array], out: Path) -> Path:
    (row_name, rows), (column_name, columns) = grid.rows, grid.columns
    panels = {f"{problem}, {count:,} queries": cells for (problem, count), cells in values.items()}
    width = len({problem for problem, _ in values})
    figure = plots.heat_maps(
        panels, [_text(v) for v in rows], [_text(v) for v in columns], row_name, column_name, width
    )
    picture = plots.save(figure, out / "report" / "figures", "grid")
    best = [[problem, f"{count:,}", spec, f"{value:.4g}"] for problem, count, spec, value in best_cells(grid, values)]
    parts = [
        page.image(picture, f"{grid.method}: mean final value over {row_name} and {column_name}. {plots.DARK_IS_LOW}"),
        page.table(["problem", "queries", "lowest at", "mean value"], best, (0, 2)),
    ]
    return page.write_report(out, f"Tuning {grid.method}", parts)
