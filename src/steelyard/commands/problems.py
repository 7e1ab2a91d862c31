"""`steelyard problems`: what a method can be judged on, and which success criteria can be met at all."""

from collections.abc import Iterable
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from steelyard.errors import BadValue
from steelyard.problems import SUITES, Problem, gradient_reach, names, suite, value_reach
from steelyard.problems.suites import select


def problems(
    specs: Annotated[list[str] | None, typer.Argument(help="Single problems, such as QING?N=50~rotated=3.")] = None,
    suite_name: Annotated[str | None, typer.Option("--suite", help=f"One of {', '.join(SUITES)}.")] = None,
    family: Annotated[str | None, typer.Option(help="Only this family, such as banded.")] = None,
    pattern: Annotated[str, typer.Option("--name", help="Only names that match, such as 'LUKSAN*'.")] = "*",
    min_n: Annotated[int, typer.Option(help="Only problems of at least this dimension.")] = 1,
    max_n: Annotated[int | None, typer.Option(help="Only problems of at most this dimension.")] = None,
    notes: Annotated[bool, typer.Option("--notes", help="Also show where best values come from, and remarks.")] = False,
) -> None:
    """List problems with their dimension, start, best known value and reachable success criteria."""
    if specs and suite_name:
        raise BadValue(f"give problems or a suite, not both: got {', '.join(specs)} and --suite {suite_name}")
    if suite_name:
        chosen = suite(suite_name, pattern, family=family, min_n=min_n, max_n=max_n)
    else:
        chosen = select(specs or names(), pattern, family=family, min_n=min_n, max_n=max_n)
    if not chosen:
        raise BadValue("no problem matches")
    console = Console()
    console.print(_table(chosen, notes))
    console.print(_summary(chosen), highlight=False)


def _table(chosen: Iterable[Problem], notes: bool) -> Table:
    table = Table(box=None, header_style="bold")
    for column in ("problem", "n", "f(x0)", "best known", "family", "f <= .05 f(x0)", "|g| <= .05 |g(x0)|"):
        table.add_column(column, justify="right" if column in ("n", "f(x0)", "best known") else "left")
    if notes:
        table.add_column("notes", overflow="fold")
    for problem in chosen:
        best = "unknown" if problem.f_best is None else f"{problem.f_best:.8g}"
        remarks = "; ".join(filter(None, [problem.f_best_source, problem.notes]))
        cells = [problem.name, str(problem.n), f"{problem.f(problem.x0):.8g}", best, problem.family]
        cells += [value_reach(problem), gradient_reach(problem)]
        table.add_row(*cells, *([remarks] if notes else []))
    return table


def _summary(chosen: list[Problem]) -> str:
    reach = {problem.name: value_reach(problem) for problem in chosen}
    lines = [f"{len(chosen)} problem{'s' if len(chosen) != 1 else ''}"]
    for answer, meaning in (("no", "cannot be met on"), ("at x0", "holds at the start of")):
        found = [name for name, value in reach.items() if value == answer]
        if found:
            lines.append(f"f <= .05 f(x0) {meaning} {', '.join(found)}")
    return "; ".join(lines)
