"""`steelyard reproduce`: the paper's experiments, figures and claims."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from steelyard.bench.progress import progress_bar
from steelyard.commands.bench import console, print_summary
from steelyard.commands.engine import Jobs, On, executor, stoppable
from steelyard.paper.plans import FULL, QUICK


def reproduce(
    full: Annotated[
        bool, typer.Option("--full/--quick", help="The whole programme, or fewer repeats with 10,000 queries.")
    ] = False,
    out: Annotated[Path, typer.Option(help="Folder of the results; finished runs in it are not repeated.")] = Path(
        "reproduction"
    ),
    jobs: Jobs = None,
    on: On = None,
) -> None:
    """Run all experiments of the paper and write a report with figures, tables and a ledger of its claims."""
    from steelyard.paper import reproduce as library

    with stoppable(), progress_bar(console) as progress:
        summary, path, findings = library.reproduce(
            FULL if full else QUICK, out, executor=executor(on, jobs, out), progress=progress
        )
    print_summary(summary, out)
    table = Table(box=None, header_style="bold")
    for title in ("claim", "verdict", "checks"):
        table.add_column(title)
    for finding in findings:
        table.add_row(f"{finding.claim.where}: {finding.claim.statement}", finding.verdict, finding.score)
    Console().print(table)
    typer.echo(f"report: {path}")
