"""`steelyard bench`: run a plan and judge it."""

import dataclasses
import shlex
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from steelyard.bench.engine import on_this_machine
from steelyard.bench.gap_tables import cells_table, judge_name
from steelyard.bench.gaps import gap_cells
from steelyard.bench.markdown import fill, made_by
from steelyard.bench.measurement import load_measurement, run_cases
from steelyard.bench.on_dask import ClusterLost
from steelyard.bench.plan import Plan, as_options
from steelyard.bench.progress import progress_bar
from steelyard.bench.records import load_plan
from steelyard.bench.run import Interrupted, Summary, run
from steelyard.bench.storage import is_url
from steelyard.bench.tables import on_terminal, policy_note, solved_table
from steelyard.bench.task_tables import REMAINS, is_of_tasks, tasks_table
from steelyard.commands.engine import Jobs, On, executor, stoppable
from steelyard.errors import BadValue

console = Console(stderr=True)

REAL_BUDGET = 150


def _for_real_tasks(given: dict[str, object]) -> dict[str, object]:
    """What real tasks are run with if nothing else is said: their own judges, and few comparisons, since each costs."""
    budget = given.get("budget", REAL_BUDGET)
    return {
        "algorithms": ["auto", f"spsa,answers={budget:g}", "cma-es", "random", "optuna,boxed=true"],
        "oracle": "own",
        "budget": budget,
        "seeds": 2,
        "checkpoints": [budget] if "budget" in given else [50, REAL_BUDGET],
        **given,
    }


Algorithms = Annotated[
    list[str] | None, typer.Option(help="A method with options, e.g. gld,step=.1,smallest=.05 or mypkg:MyMethod.")
]
PlanFile = Annotated[
    Path | None,
    typer.Option(
        help="A plan in TOML, or a measurement in Python; other options that are given replace those of the plan."
    ),
]
Oracles = Annotated[
    list[str] | None,
    typer.Option(
        help="Who answers: exact (the default), noisy,p=.9, persistent,p=.9, logistic,scale=1, person; own, the judge "
        "of a real task (the default for these)."
    ),
]
Checkpoints = Annotated[list[int] | None, typer.Option(help="A query count at which the value is wanted exactly.")]
FBest = Annotated[
    str | None, typer.Option(help="Judge against the best value known, reached by a descent, or found by any run.")
]
Out = Annotated[
    str | None, typer.Option(help="Folder or storage URL of the results (results, results/PLAN for a plan).")
]
Into = Annotated[
    list[Path] | None,
    typer.Option(help="A Markdown page to put the tables into, at its marks, or a file for the figure (.svg)."),
]

FIGURES = (".svg", ".png", ".pdf")


def bench(
    suite: Annotated[list[str] | None, typer.Option(help="A named list of problems, e.g. paper22.")] = None,
    problem: Annotated[list[str] | None, typer.Option(help="One problem, e.g. QING or QING?N=50.")] = None,
    algorithm: Algorithms = None,
    plan: PlanFile = None,
    budget: Annotated[float | None, typer.Option(help="Comparisons per run (10,000).")] = None,
    seeds: Annotated[int | None, typer.Option(help="Repeats of each method on each problem (5).")] = None,
    first_seed: Annotated[int | None, typer.Option(help="The first seed; another one gives fresh instances.")] = None,
    oracle: Oracles = None,
    checkpoint: Checkpoints = None,
    n: Annotated[list[int] | None, typer.Option(help="A number for {n} in the problems.")] = None,
    f_best: FBest = None,
    out: Out = None,
    jobs: Jobs = None,
    on: On = None,
    retry_failed: Annotated[bool, typer.Option(help="Run failed runs again.")] = False,
    report: Annotated[bool, typer.Option(help="Write OUT/report/index.html with figures and tables.")] = True,
    into: Into = None,
) -> None:
    """Run methods on problems and judge them by the queries they need; finished runs are not repeated.

    Exits with 1 if runs failed, now or before, with 2 if the cluster was lost, and with 130 after Ctrl-C; the page is
    written all the same.
    """
    given: dict[str, object] = {
        "problems": [*(f"suite:{name}" for name in suite or ()), *(problem or ())] or None,
        "algorithms": algorithm,
        "budget": budget,
        "seeds": seeds,
        "first_seed": first_seed,
        "oracle": oracle[0] if oracle is not None and len(oracle) == 1 else oracle,
        "checkpoints": checkpoint,
        "n": n,
        "f_best": f_best,
    }
    parts = {name: value for name, value in given.items() if value is not None}
    command = _command(plan, given)
    where = out or (f"results/{plan.stem}" if plan is not None else "results")
    if plan is not None and plan.suffix == ".py":
        if on is not None:
            raise BadValue(f"on is for plans in TOML: a measurement in Python runs on this machine, got {on!r}")
        _measure(plan, parts, where, command, jobs, into or [])
        return
    chosen = _plan(plan, parts)
    for sentence in chosen.skipped():
        console.print(sentence, markup=False, highlight=False, soft_wrap=True)
    ended = None
    with progress_bar(console) as progress:
        engine = executor(on, jobs, where)
        try:
            summary = run(chosen, where, executor=engine, retry_failed=retry_failed, progress=progress)
        except (Interrupted, ClusterLost) as error:
            ended = error
    if ended is None:
        print_summary(summary, where)
    failed = _show(chosen, where)
    _write(chosen, where, command, report, into or [], plan.stem if plan is not None else "")
    if ended is not None:
        with stoppable():
            raise ended
    if failed:
        raise typer.Exit(1)


def _measure(
    file: Path, given: Mapping[str, object], where: str, command: str, jobs: int | None, pages: list[Path]
) -> None:
    """Run a measurement, and put its tables into pages, or its figure into a file."""
    plan = load_measurement(file).with_given(given)
    with stoppable(), progress_bar(console) as progress:
        rows, failed = run_cases(plan, where, on_this_machine(jobs), progress)
    if rows:
        blocks = {"stamp": f"`{command}`: {len(rows):,} measurements; {made_by()}.\n", **plan.tables(rows)}
        typer.echo("\n".join(blocks.values()))
        for page in pages:
            if page.suffix in FIGURES:
                plan.draw(rows, page)
            else:
                fill(page, {name: partial(str, text) for name, text in blocks.items()}, file.stem.replace("_", "-"))
            typer.echo(f"filled: {page}")
    _print_failed(failed)
    if failed:
        raise typer.Exit(1)


def _write(chosen: Plan, where: str, command: str, report: bool, pages: list[Path], name: str) -> None:
    """The page of the results, and their tables in pages of Markdown."""
    report = report and not is_url(where)
    if not report and not pages:
        return
    from steelyard.bench.figures import draw_plan
    from steelyard.bench.report import bench_report, markdown_blocks

    if report:
        typer.echo(f"report: {bench_report(chosen, Path(where), command)}")
    for page in pages:
        if page.suffix in FIGURES:
            draw_plan(chosen, load_plan(chosen, where), page)
        else:
            fill(page, markdown_blocks(chosen, where, command), name)
        typer.echo(f"filled: {page}")


def _plan(file: Path | None, given: dict[str, object]) -> Plan:
    """The plan of the file with what was given in place of its own, or a plan of what was given."""
    if file is None:
        problems = given.get("problems")
        if isinstance(problems, list) and all(name.startswith(("suite:real", "real:")) for name in problems):
            given = _for_real_tasks(given)
        if "problems" not in given or "algorithms" not in given:
            raise BadValue("a benchmark needs --suite or --problem, and --algorithm (each may be repeated), or --plan")
        return Plan.from_mapping(given)
    plan = Plan.load(file)
    if not given:
        return plan
    whole = {part.name: getattr(plan, part.name) for part in dataclasses.fields(plan)} | given
    methods, budget = whole["algorithms"], whole["budget"]
    whole["caps"] = {method: cap for method, cap in plan.caps.items() if method in methods}
    if whole["default"] not in methods:
        whole["default"] = ""
    whole["checkpoints"] = [count for count in whole["checkpoints"] if count <= budget]
    return Plan.from_mapping(whole)


def _command(file: Path | None, given: Mapping[str, object]) -> str:
    """The command that was given, as far as it decides what is run; empty if there is no plan to name."""
    return "" if file is None else shlex.join(["steelyard", "bench", "--plan", str(file), *as_options(given)])


def _show(plan: Plan, out: str) -> int:
    """The tables on the terminal; how many runs have failed."""
    results = load_plan(plan, out)
    failed = int(np.sum(results["status"] == "failed"))
    if failed:
        console.print(f"{failed} of {len(results)} runs failed; --retry-failed runs them again", style="red")
    if not len(results):
        return failed
    terminal = Console()
    if is_of_tasks(plan):
        terminal.print(on_terminal(REMAINS, tasks_table(plan, results, judges=False)))
    elif plan.checkpoints and len(plan.oracles) > 1:
        terminal.print(on_terminal("gaps (geometric means)", cells_table(plan, gap_cells(plan, results))))
    else:
        for oracle in plan.oracles:
            title = "solved fraction of runs (fastest on N problems)"
            title += f", {judge_name(oracle)}" if len(plan.oracles) > 1 else ""
            terminal.print(on_terminal(title, solved_table(plan, results.where(oracle=oracle))))
        if note := policy_note(plan.f_best):
            terminal.print(note)
    return failed


def print_summary(summary: Summary, out: str | Path) -> None:
    """Say in a line what was done, and name every failure."""
    console.print(
        f"runs: {summary.finished} finished, {summary.already_done} of {summary.planned} already there, in {out}",
        highlight=False,
    )
    _print_failed(summary.failed)


def _print_failed(lines: Iterable[str]) -> None:
    for line in lines:
        console.print(f"failed: {line}", style="red", markup=False, highlight=False, soft_wrap=True)
