"""`steelyard people`: methods for people on simulated ones (also `steelyard bench --suite people`)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from steelyard.bench.people.answerers import ANSWERERS
from steelyard.bench.people.run import CHECKPOINTS, Outcome, run_people
from steelyard.bench.people.summary import medians, paired, think_times
from steelyard.errors import BadValue

DIMS = "2,3,5,8"


def people(
    methods: Annotated[
        list[str] | None, typer.Argument(help="Methods with options; the others are paired with the first.")
    ] = None,
    dims: Annotated[str, typer.Option(help="Numbers of parameters.")] = DIMS,
    answers: Annotated[str, typer.Option(help=f"Who answers: some of {', '.join(ANSWERERS)}.")] = "85",
    instances: Annotated[int, typer.Option(help="How many instances for each.", min=1)] = 120,
    first: Annotated[int, typer.Option(help="The seed of the first instance; take another for fresh ones.")] = 0,
    questions: Annotated[int, typer.Option(help="How many questions at most.", min=10)] = 80,
    jobs: Annotated[int, typer.Option(help="How many processes.", min=1)] = 1,
    out: Annotated[Path | None, typer.Option(help="Keep outcomes here; what is there is not run again.")] = None,
) -> None:
    """Median regret of methods for people, paired comparisons and think times."""
    checkpoints = tuple(c for c in CHECKPOINTS if c <= questions)
    names = methods or ["preference-gp", "stp", "random", "knockout"]
    outcomes = run_people(
        names,
        _numbers(dims),
        answers.split(","),
        range(first, first + instances),
        checkpoints=checkpoints,
        jobs=jobs,
        out=out,
        progress=_progress,
    )
    console = Console()
    console.print(_medians(outcomes, checkpoints))
    for other in names[1:]:
        console.print(_paired(outcomes, names[0], other, checkpoints))
    console.print(_times(outcomes, names))


def _numbers(dims: str) -> list[int]:
    if not all(part.strip().isdecimal() for part in dims.split(",")):
        raise BadValue(f"--dims must be whole numbers such as {DIMS}, got {dims!r}")
    return [int(part) for part in dims.split(",")]


def _medians(outcomes: list[Outcome], checkpoints: tuple[int, ...]) -> Table:
    table = _table("median regret (0 the best, 1 the box)", "answers", "d", "optimum", "method", "instances")
    for checkpoint in checkpoints:
        table.add_column(f"{checkpoint} questions", justify="right")
    for row in medians(outcomes):
        numbers = [f"{value:.3f}" for value in row.regret]
        table.add_row(row.answers, str(row.d), row.where, row.method, str(row.instances), *numbers)
    return table


def _paired(outcomes: list[Outcome], method: str, other: str, checkpoints: tuple[int, ...]) -> Table:
    title = f"{method} against {other}, on the same instances and answers"
    table = _table(title, "answers", "d", "optimum", "questions", "wins", "ratio of regrets", "90 % interval")
    for checkpoint in checkpoints:
        for row in paired(outcomes, method, other, checkpoint, checkpoints):
            wins, interval = f"{row.wins} of {row.instances}", f"{row.low:.2f} to {row.high:.2f}"
            table.add_row(row.answers, str(row.d), row.where, str(checkpoint), wins, f"{row.ratio:.2f}", interval)
    return table


def _times(outcomes: list[Outcome], methods: list[str]) -> Table:
    table = _table("CPU time of thought a question", "method", "answers", "median ms", "99th percentile ms")
    for method in methods:
        for number, median, tail in think_times(outcomes, method):
            table.add_row(method, str(number), f"{1e3 * median:.1f}", f"{1e3 * tail:.1f}")
    return table


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", box=None, header_style="bold")
    for column in columns:
        table.add_column(column)
    return table


def _progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done} of {total} runs", end="\n" if done == total else "", file=sys.stderr, flush=True)
