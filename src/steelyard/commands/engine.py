"""The options that say where runs run, shared by `bench`, `tune` and `reproduce`."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from steelyard.bench.engine import executor_on
from steelyard.bench.executors import Executor
from steelyard.bench.run import Interrupted

Jobs = Annotated[int | None, typer.Option(help="Processes; one per core by default, 0 for none.", min=0)]
On = Annotated[
    str | None, typer.Option(help="Another engine: dask, or the address of a Dask scheduler, tcp://host:8786.")
]


def executor(on: str | None, jobs: int | None, out: str | Path) -> Executor:
    """Where to run; a Dask cluster says where its dashboard is."""
    return executor_on(on, jobs, out, say=lambda line: Console(stderr=True).print(line, highlight=False))


@contextmanager
def stoppable() -> Iterator[None]:
    """Ctrl-C ends with a sentence about what is kept and with 130; the parser would end without a word."""
    try:
        yield
    except Interrupted as stop:
        typer.echo(f"steelyard: {stop}", err=True)
        raise typer.Exit(130) from None
