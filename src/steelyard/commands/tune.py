"""`steelyard tune`: heat maps over two hyper-parameters, or a search over all of them."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from steelyard.bench.progress import progress_bar
from steelyard.bench.tune import Grid, best_cells, tune_grid
from steelyard.commands.bench import console, print_summary
from steelyard.commands.engine import Jobs, On, executor, stoppable
from steelyard.errors import BadValue
from steelyard.registry import parse_spec


def tune(
    method: Annotated[str, typer.Argument(help="A method with options, e.g. gld or scobo,step=.01.")],
    grid: Annotated[
        list[str] | None, typer.Option(help="Values of a parameter, step=10,100,1000; give two for a heat map.")
    ] = None,
    search: Annotated[bool, typer.Option(help="Search over all parameters with Optuna instead.")] = False,
    suite: Annotated[list[str] | None, typer.Option(help="Problems to tune on, by suite.")] = None,
    problem: Annotated[list[str] | None, typer.Option(help="A problem to tune on.")] = None,
    test: Annotated[
        list[str] | None, typer.Option(help="A problem or suite:NAME to test a search on; else a third is held out.")
    ] = None,
    at: Annotated[list[int] | None, typer.Option(help="Query counts at which a heat map is drawn.")] = None,
    parameter: Annotated[
        list[str] | None, typer.Option(help="The range of a parameter in a search: step=.001,1 or choices.")
    ] = None,
    trials: Annotated[int, typer.Option(help="Settings that a search tries.")] = 40,
    seeds: Annotated[int, typer.Option(help="Repeats of each setting on each problem.")] = 5,
    oracle: Annotated[str, typer.Option(help="Who answers: exact, noisy,p=.9 or logistic,scale=1.")] = "exact",
    out: Annotated[Path, typer.Option(help="Folder of the results.")] = Path("tuning"),
    jobs: Jobs = None,
    on: On = None,
) -> None:
    """Find good hyper-parameters of any method."""
    problems = [f"suite:{name}" for name in suite or ()] + list(problem or ())
    if not problems:
        raise BadValue("tuning needs problems: --suite or --problem (each may be repeated)")
    if any(name.startswith(("suite:real", "real:")) for name in problems):
        raise BadValue("problems must not be real tasks: these are for testing only, never for tuning")
    if search == bool(grid):
        raise BadValue("give either --grid twice, for a heat map, or --search")
    task = {"seeds": seeds, "oracle": oracle, "executor": executor(on, jobs, out)}
    if grid:
        if len(grid) != 2:
            raise BadValue(f"a heat map needs --grid twice, got it {len(grid)} times")
        _heat_map(Grid(method, _values(grid[0]), _values(grid[1])), problems, out, at or [10_000], task)
    else:
        ranges = dict(_values(text) for text in parameter or ())
        task |= {"budget": max(at or [10_000]), "trials": trials, "ranges": ranges}
        _search(method, problems, test or None, out, task)


def _heat_map(chosen: Grid, problems: list[str], out: Path, at: list[int], task: dict[str, Any]) -> None:
    with stoppable(), progress_bar(console) as progress:
        summary, values, path = tune_grid(chosen, problems, out, at=at, progress=progress, **task)
    print_summary(summary, out)
    for name, count, spec, value in best_cells(chosen, values):
        typer.echo(f"{name}, {count:,} queries: lowest at {spec}, {value:.4g}")
    typer.echo(f"report: {path}")


def _search(method: str, problems: list[str], test: list[str] | None, out: Path, task: dict[str, Any]) -> None:
    from steelyard.bench.search import search
    from steelyard.bench.search_report import search_report

    with stoppable(), progress_bar(console) as progress:
        tuned = search(method, problems, test, out, progress=progress, **task)
    show = Console(highlight=False, soft_wrap=True)
    show.print(f"best of {len(tuned.trials)} settings: {tuned.spec}")
    show.print("mean log10 of the relative gap that is left (lower is better):")
    held_out = f"held out ({', '.join(tuned.test_problems)})"
    for name, found in (("training problems", tuned.train), (held_out, tuned.test)):
        show.print(f"  {name}: " + ", ".join(f"{value:.3f} {spec}" for spec, value in found.items()))
    if tuned.against_best_seen:
        show.print(f"  against the best value seen, as f* is not known: {', '.join(tuned.against_best_seen)}")
    typer.echo(f"report: {search_report(tuned, method, out)}")


def _values(text: str) -> tuple[str, tuple[Any, ...]]:
    """`step=10,100` as its name and values, each read as an option's value is."""
    name, equals, values = text.partition("=")
    if not equals or not values:
        raise BadValue(f"values must be written name=value,value, got {text!r}")
    read = [parse_spec(f"x,y={value}")[1]["y"] for value in values.split(",")]
    return name.strip(), tuple(read)
