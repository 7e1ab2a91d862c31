"""Where cells run. An executor takes cells and gives back records, in any order; the driver commits them.

Cells travel by name and are rebuilt where they run, so another engine needs only the one method of `Executor`.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol, TypeAlias, TypeVar

from steelyard.bench.cell import Record, run_cell
from steelyard.bench.measurement import Case
from steelyard.bench.plan import Cell
from steelyard.checks import check_whole

Outcome = tuple[Cell, list[Record] | str]
"""A cell with its records, or with the reason for which it could not be run at all."""

Work = TypeVar("Work", bound=Cell | Case)
"""What processes of this machine run: cells of a plan, or cases of one that measures by itself."""

_Finished: TypeAlias = "queue.SimpleQueue[tuple[_Worker, list[Record] | str | None]]"


class Executor(Protocol):
    """Runs cells somewhere."""

    def run(self, cells: Sequence[Cell]) -> Iterator[Outcome]: ...


class InProcess:
    """One cell after another, here: for small plans, debugging, and methods defined in a notebook."""

    def run(self, cells: Sequence[Work]) -> Iterator[tuple[Work, list[Record] | str]]:
        for cell in cells:
            yield cell, attempt(cell)


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

    def run(self, cells: Sequence[Work]) -> Iterator[tuple[Work, list[Record] | str]]:
        waiting = list(reversed(cells))
        tried: dict[Work, int] = {}
        finished: _Finished = queue.SimpleQueue()
        workers = {_Worker(finished) for _ in range(min(self.jobs, len(cells)))}
        try:
            for worker in workers:
                worker.give(waiting.pop())
            while any(worker.cell for worker in workers):
                worker, result = _next(finished)
                cell, worker.cell = worker.cell, None
                if cell is None:  # it died without work, which nobody misses
                    continue
                if result is None:  # it died
                    workers.discard(worker)
                    tried[cell] = tried.get(cell, 0) + 1
                    if tried[cell] < 2:
                        waiting.append(cell)
                    else:
                        yield cell, f"the worker died twice on it (exit code {worker.process.wait()})"
                    worker = _Worker(finished)
                    workers.add(worker)
                else:
                    yield cell, result
                if waiting:
                    worker.give(waiting.pop())
        finally:
            for worker in workers:
                worker.stop()


def _next(finished: _Finished) -> tuple[_Worker, list[Record] | str | None]:
    while True:
        try:
            return finished.get(timeout=1.0)  # on Windows a wait without an end hears no Ctrl+C
        except queue.Empty:
            continue


class _Worker:
    """A process that runs one cell at a time; a thread waits for its answers, which are put into `finished`."""

    def __init__(self, finished: _Finished) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "steelyard.bench.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=_worker_environment(),
        )
        self.cell: Any = None
        self._reader = threading.Thread(target=self._read, args=(finished,), daemon=True)
        self._reader.start()

    def give(self, cell: Cell | Case) -> None:
        self.cell = cell
        with contextlib.suppress(BrokenPipeError):  # it has died: `take` will find its answers ended
            send(self.process.stdin, cell)

    def _read(self, finished: _Finished) -> None:
        """Pass on what becomes of each cell; None in the end, when the process has ended."""
        assert self.process.stdout is not None
        with self.process.stdout as answers:
            result: list[Record] | str | None = ""
            while result is not None:
                result = receive(answers)
                finished.put((self, result))

    def stop(self) -> None:
        """End the process; one in the middle of a cell is not waited for."""
        if self.cell is not None:
            self.process.kill()
        if self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
        self.process.wait()
        self._reader.join()


def attempt(cell: Cell | Case) -> list[Record] | str:
    """The records of a cell, or why it cannot be run: a cell that fails must not stop the others."""
    try:
        return cell.rows() if isinstance(cell, Case) else run_cell(cell)
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
