"""Which executor `--on` names: processes of this machine, or a Dask cluster."""

from collections.abc import Callable
from pathlib import Path

from steelyard.bench.executors import Executor, InProcess, Processes
from steelyard.bench.on_dask import OnDask
from steelyard.bench.storage import is_url
from steelyard.errors import BadValue


def on_this_machine(jobs: int | None) -> InProcess | Processes:
    """This process for 0 jobs; by default a process per core."""
    return InProcess() if jobs == 0 else Processes() if jobs is None else Processes(jobs)


def executor_on(on: str | None, jobs: int | None, out: str | Path, say: Callable[[str], object] = print) -> Executor:
    """The executor that `--on` names: `processes` (the default; 0 jobs for none), `dask`, or a scheduler's address."""
    if on is None or on == "processes":
        return on_this_machine(jobs)
    if on != "dask" and not on.startswith(("tcp://", "tls://", "ws://", "wss://")):
        raise BadValue(f"on must be processes, dask or a scheduler's address such as tcp://host:8786, got {on!r}")
    shared = str(out) if is_url(out) else None  # the workers reach it as well as we do
    return OnDask(None if on == "dask" else on, workers=jobs, shared=shared, say=say)
