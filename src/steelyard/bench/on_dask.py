"""Cells on a Dask cluster: the same plan, the same records, the same resume, on more machines.

Cells travel by name and are rebuilt on the worker; records stream back and are committed by the driver, or are written
by the workers themselves if the output is a storage that they all reach. A cell whose worker is lost is done again
elsewhere by the scheduler; its key is its name, so no cell is ever in the cluster twice.
"""

import asyncio
import contextlib
import hashlib
import logging
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any

from steelyard.bench.cell import Record
from steelyard.bench.executors import Outcome, attempt, available_cores
from steelyard.bench.plan import Cell
from steelyard.extras import need


class ClusterLost(RuntimeError):
    """The scheduler or the last worker is gone; what is finished is kept."""


CLUSTER_LOST = "the cluster's {} is lost: finished runs are kept, run again to go on"


LOGGERS = ("distributed", "tornado", "asyncio")


@dataclass(frozen=True)
class OnDask:
    """Runs cells on the cluster at `address`, or on one of `workers` processes made for the purpose.

    `say` is told where the engine's own dashboard is. `shared` is a storage URL that every worker reaches: they then
    write their records there themselves. A cell is tried again on another worker up to `retries` times; a cluster that
    has had no worker for `patience` seconds counts as lost.
    """

    address: str | None = None
    workers: int | None = None
    retries: int = 3
    shared: str | None = None
    say: Any = print
    patience: float = 60.0

    def run(self, cells: Sequence[Cell]) -> Iterator[Outcome]:
        distributed = need("distributed", "dask")
        with _client(distributed, self) as client:
            self.say(f"dashboard: {client.dashboard_link}")
            futures = {
                client.submit(
                    work,
                    cell,
                    self.shared,
                    key=_key(cell),
                    priority=-place,  # the cells come longest first
                    retries=self.retries,
                    pure=True,
                ): cell
                for place, cell in enumerate(cells)
            }
            for future in _as_finished(distributed, client, futures, self.patience):
                result = _result(client, future)
                yield futures[future], result
                future.release()  # its records are the driver's now


def work(cell: Cell, shared: str | None) -> list[Record] | str:
    """What a worker does: run the cell, and commit its records itself if it can."""
    result = attempt(cell)
    if shared is not None and not isinstance(result, str):
        from steelyard.bench.records import write

        write(shared, result)
    return result


def _key(cell: Cell) -> str:
    name = repr((cell, [cell.key(seed) for seed in cell.seeds]))
    return f"steelyard-{hashlib.sha256(name.encode()).hexdigest()[:24]}"


def _result(client: Any, future: Any) -> list[Record] | str:
    """What became of a cell. When the scheduler dies its futures are cancelled, or their results cannot be fetched."""
    status = future.status
    if status in ("cancelled", "lost") and client.status != "running":
        raise ClusterLost(CLUSTER_LOST.format("scheduler"))
    if status == "cancelled":
        return "the cluster cancelled it"
    with _or_lost(client):
        error = future.exception() if status == "error" else None
        result: list[Record] | str = future.result() if error is None else f"{type(error).__name__}: {error}"
    return result if error is None else str(result).splitlines()[0]


@contextlib.contextmanager
def _or_lost(client: Any) -> Iterator[None]:
    """Whatever a call of the client raises once its scheduler is gone (that depends on the moment) means just this."""
    try:
        yield
    except (CancelledError, asyncio.CancelledError, OSError) as error:
        raise ClusterLost(CLUSTER_LOST.format("scheduler")) from error
    except Exception as error:
        if client.status == "running":
            raise
        raise ClusterLost(CLUSTER_LOST.format("scheduler")) from error


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Without the log lines of Dask and what it stands on: what they say of a lost cluster, we say in one sentence."""
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in LOGGERS]
    levels = {name: logging.getLogger(name).level for name in (*names, *LOGGERS)}
    try:
        for name in levels:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


@contextlib.contextmanager
def _client(distributed: Any, on: OnDask) -> Iterator[Any]:
    """A client of the given cluster, or of one of separate processes that ends with this block."""
    if on.address is not None:
        try:
            client = distributed.Client(on.address, timeout=min(10.0, on.patience))
        except (OSError, TimeoutError) as error:
            raise RuntimeError(f"no Dask scheduler answers at {on.address}: {error}") from error
        try:
            with _silent():
                yield client
        finally:
            with _silent(), contextlib.suppress(Exception, asyncio.CancelledError):  # of a scheduler that is gone
                client.close()
        return
    with local_cluster(on.workers or available_cores()) as cluster, distributed.Client(cluster) as client:
        yield client


def local_cluster(workers: int, port: int = 0, dashboard: str = ":0") -> Any:
    """A cluster of worker processes on this machine, one thread each: two threads would only share one Python."""
    distributed = need("distributed", "dask")
    return distributed.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        scheduler_port=port,
        dashboard_address=dashboard,
        silence_logs=40,
    )


def _as_finished(distributed: Any, client: Any, futures: dict[Any, Cell], patience: float) -> Iterator[Any]:
    """The futures as they finish; an error, with what is finished kept, if the cluster is lost."""
    waiting, last_seen = set(futures), time.monotonic()
    while waiting:
        finished: set[Any] = set()
        with _or_lost(client):
            with contextlib.suppress(TimeoutError):
                finished = distributed.wait(waiting, timeout=0.5, return_when="FIRST_COMPLETED").done
            if finished or client.scheduler_info(n_workers=-1)["workers"]:
                last_seen = time.monotonic()
        if time.monotonic() - last_seen > patience and not finished:
            raise ClusterLost(CLUSTER_LOST.format(f"last worker (for {patience:g} s)"))
        waiting -= finished
        yield from finished
