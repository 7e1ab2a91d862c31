"""Where cells run. An executor takes cells and gives back records, in any order; the driver commits them.

Cells travel by name and are rebuilt where they run, so another engine needs only the one method of `Executor`.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import selectors
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol

from steelyard.bench.cell import Record, run_cell
from steelyard.bench.plan import Cell
from steelyard.checks import check_whole

Outcome = tuple[Cell, list[Record] | str]
"""A cell with its records, or with the reason for which it could not be run at all."""


class Executor(Protocol):
    """Runs cells somewhere."""

    def run(self, cells: Sequence[Cell]) -> Iterator[Outcome]: ...


class InProcess:
    """One cell after another, here: for small plans, debugging, and methods defined in a notebook."""

    def run(self, cells: Sequence[Cell]) -> Iterator[Outcome]:
        for cell in cells:
            yield cell, outcome(cell)


@dataclass
class Processes:
    """Cells in worker processes of this machine, one thread each.

    A worker is a fresh interpreter that reads cells from its standard input and ends when that does, so nothing is
    left running when the driver is killed. A worker that dies takes one cell with it: the cell is tried once more in
    a new one.
    """

    jobs: int = field(default_factory=lambda: available_cores())

    def __post_init__(self) -> None:
        self.jobs = check_whole("jobs", self.jobs, 1)

    def run(self, cells: Sequence[Cell]) -> Iterator[Outcome]:
        waiting = list(reversed(cells))
        tried: dict[Cell, int] = {}
        with selectors.DefaultSelector() as selector:
            workers = {_Worker() for _ in range(min(self.jobs, len(cells)))}
            try:
                for worker in workers:
                    selector.register(worker.answers, selectors.EVENT_READ, worker)
                    worker.give(waiting.pop())
                while any(worker.cell for worker in workers):
                    for ready, _ in selector.select():
                        worker = ready.data
                        cell = worker.cell
                        result = worker.take()
                        if result is None:  # it died
                            selector.unregister(worker.answers)
                            workers.discard(worker)
                            tried[cell] = tried.get(cell, 0) + 1
                            if tried[cell] < 2:
                                waiting.append(cell)
                            else:
                                yield cell, f"the worker died twice on it (exit code {worker.process.poll()})"
                            worker = _Worker()
                            workers.add(worker)
                            selector.register(worker.answers, selectors.EVENT_READ, worker)
                        else:
                            yield cell, result
                        if waiting:
                            worker.give(waiting.pop())
            finally:
                for worker in workers:
                    worker.stop()


class _Worker:
    """A process that runs one cell at a time."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "steelyard.bench.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=_worker_environment(),
        )
        self.cell: Cell | None = None

    @property
    def answers(self) -> IO[bytes]:
        assert self.process.stdout is not None
        return self.process.stdout

    def give(self, cell: Cell) -> None:
        self.cell = cell
        with contextlib.suppress(BrokenPipeError):  # it has died: `take` will find its answers ended
            send(self.process.stdin, cell)

    def take(self) -> list[Record] | str | None:
        """What became of the cell; None if the process has ended."""
        self.cell = None
        result: list[Record] | str | None = receive(self.answers)
        if result is None:
            self.process.wait()
        return result

    def stop(self) -> None:
        """End the process; one in the middle of a cell is not waited for."""
        if self.cell is not None:
            self.process.kill()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()
        self.process.wait()


def outcome(cell: Cell) -> list[Record] | str:
    """The records of a cell, or why it cannot be run: a cell that fails must not stop the others."""
    try:
        return run_cell(cell)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def available_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def send(stream: IO[bytes] | None, message: Any) -> None:
    """Write one message, its length first."""
    data = pickle.dumps(message)
    if stream is None:
        raise BrokenPipeError
    stream.write(len(data).to_bytes(8, "little") + data)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read one message; None at the end of the stream."""
    head = stream.read(8)
    if len(head) < 8:
        return None
    size = int.from_bytes(head, "little")
    data = stream.read(size)
    return pickle.loads(data) if len(data) == size else None


def _worker_environment() -> dict[str, str]:
    # One thread each: several workers with several threads would only wait for each other, and sums by several threads
    # round differently. What the driver can import, a worker can.
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    path = os.pathsep.join(dict.fromkeys(entry or str(Path.cwd()) for entry in sys.path))
    return {**os.environ, **threads, "PYTHONPATH": path}
