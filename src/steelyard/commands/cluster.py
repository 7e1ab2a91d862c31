"""`steelyard cluster`: a Dask cluster on this machine, to try `--on` with."""

import contextlib
import signal
import time
from typing import Annotated

import typer


def cluster(
    workers: Annotated[int, typer.Option(min=1, help="Worker processes, one thread each.")] = 2,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The scheduler's port; 0 takes a free one.")] = 8786,
    dashboard: Annotated[str, typer.Option(help="Where the engine's dashboard listens.")] = "127.0.0.1:8787",
) -> None:
    """Start a scheduler and its workers on this machine and keep them until interrupted."""
    from steelyard.bench.on_dask import local_cluster

    with local_cluster(workers, port, dashboard) as engine:
        typer.echo(f"scheduler: {engine.scheduler_address}\ndashboard: {engine.dashboard_link}")
        typer.echo(f"use it with: steelyard bench --on {engine.scheduler_address} ...")
        with contextlib.suppress(KeyboardInterrupt):
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            while True:  # short sleeps, because on Windows a long one hears no Ctrl+C
                time.sleep(0.5)
