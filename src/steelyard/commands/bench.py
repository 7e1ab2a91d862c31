"""`steelyard bench`: run a plan and judge it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from steelyard.bench.people.run import CHECKPOINTS
from steelyard.bench.plan import Plan
from steelyard.bench.progress import progress_bar
from steelyard.bench.records import load
from steelyard.bench.run import Summary, run
from steelyard.bench.storage import is_url
from steelyard.bench.tables import summary_table
from steelyard.commands.engine import Jobs, On, executor
from steelyard.commands.people import DIMS, people

console = Console(stderr=True)


def bench(
    suite: Annotated[list[str] | None, typer.Option(help="A named list of problems, e.g. paper22.")] = None,
    problem: Annotated[list[str] | None, typer.Option(help="One problem, e.g. QING or QING?N=50.")] = None,
    algorithm: Annotated[
        list[str] | None, typer.Option(help="A method with options, e.g. gld,R=.1,r=.05 or mypkg:MyMethod.")
    ] = None,
    plan: Annotated[Path | None, typer.Option(help="A plan in TOML, instead of the options above.")] = None,
    budget: Annotated[float, typer.Option(help="Comparisons a run.")] = 1e4,
    seeds: Annotated[int, typer.Option(help="Repeats of each method on each problem.")] = 5,
    oracle: Annotated[str, typer.Option(help="Who answers: exact, noisy,p=.9 or logistic,scale=1.")] = "exact",
    checkpoint: Annotated[
        list[int] | None, typer.Option(help="A query count at which the value is wanted exactly.")
    ] = None,
    out: Annotated[
        str, typer.Option(help="Folder or storage URL of the results; a benchmark that was stopped goes on.")
    ] = "results",
    jobs: Jobs = None,
    on: On = None,
    retry_failed: Annotated[bool, typer.Option(help="Run failed runs again.")] = False,
    report: Annotated[bool, typer.Option(help="Write OUT/report/index.html with figures and tables.")] = True,
) -> None:
    """Run methods on problems and judge them by the queries they need; what is done already is not repeated.

    `--suite people` asks simulated people: --seeds is the number of instances, --oracle one of exact, 95, 85, ties.
    """
    if suite == ["people"]:
        Path(out).mkdir(parents=True, exist_ok=True)
        questions = min(int(budget), CHECKPOINTS[-1])
        people(algorithm, DIMS, oracle, seeds, 0, questions, jobs or 1, Path(out) / "people.jsonl")
        return
    chosen = _plan(suite, problem, algorithm, plan, budget, seeds, oracle, checkpoint or [])
    with progress_bar(console) as progress:
        where = executor(on, jobs, out)
        summary = run(chosen, out, executor=where, retry_failed=retry_failed, progress=progress)
    tell(summary, out)
    results = load(out, traces=False, algorithms=chosen.algorithms).where(oracle=chosen.oracle, budget=chosen.budget)
    Console().print(summary_table(results, list(chosen.algorithms), chosen.problem_names()))
    if report and not is_url(out):
        from steelyard.bench.report import bench_report

        typer.echo(f"report: {bench_report(chosen, Path(out))}")


def _plan(
    suites: list[str] | None,
    problems: list[str] | None,
    algorithms: list[str] | None,
    file: Path | None,
    budget: float,
    seeds: int,
    oracle: str,
    checkpoints: list[int],
) -> Plan:
    named = [f"suite:{name}" for name in suites or ()] + list(problems or ())
    if file is not None:
        if named or algorithms:
            raise ValueError("give a plan or --suite, --problem and --algorithm, not both")
        return Plan.load(file)
    if not named or not algorithms:
        raise ValueError("a benchmark needs --suite or --problem, and --algorithm (each may be repeated), or --plan")
    return Plan(named, algorithms, budget, seeds, oracle, checkpoints)  # type: ignore[arg-type]  # it is made whole there


def tell(summary: Summary, out: str | Path) -> None:
    """Say in a line what was done, and name every failure."""
    console.print(
        f"{summary.finished} runs finished, {summary.already_done} of {summary.planned} were there already, in {out}",
        highlight=False,
    )
    for line in summary.failed:
        console.print(f"failed: {line}", style="red", highlight=False, soft_wrap=True)
