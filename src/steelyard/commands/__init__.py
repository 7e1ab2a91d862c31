"""The subcommands, one per file; `app` is what `steelyard` runs."""

from typing import Annotated

import typer

from steelyard.commands.algorithms import algorithms
from steelyard.commands.audit import audit
from steelyard.commands.bench import bench
from steelyard.commands.cluster import cluster
from steelyard.commands.coco import coco
from steelyard.commands.doctor import doctor
from steelyard.commands.estimate import estimate
from steelyard.commands.merge import merge
from steelyard.commands.problems import problems
from steelyard.commands.reproduce import reproduce
from steelyard.commands.serve import links, serve
from steelyard.commands.studies import studies
from steelyard.commands.try_ import try_
from steelyard.commands.tune import tune
from steelyard.version import __version__

app = typer.Typer(
    name="steelyard",
    help="Minimise what can only be compared.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"steelyard {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Minimise what can only be compared."""


for command in (
    algorithms, audit, bench, cluster, coco, doctor, estimate, merge, problems, reproduce, tune, serve, links,
):  # fmt: skip
    app.command()(command)
app.command("try")(try_)
app.add_typer(studies, name="studies")
