"""Several server processes behind one port: whichever dies is started again."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing import connection, parent_process
from types import FrameType
from typing import Any

from steelyard.system import need_posix, processes

PRELOADED = ["steelyard.web.server", "steelyard.algorithms.preference_gp"]
QUICK_END = 2.0
"""A worker that lasts for fewer seconds than this is started again only after a pause."""


def supervise(work: Callable[[int], None], workers: int) -> None:
    """Run `work(number)` in `workers` processes until this one is told to end; `work` must be picklable."""
    need_posix("a server with several workers")
    context = processes(PRELOADED)
    ending = threading.Event()

    def end(*_: object) -> None:
        ending.set()

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
    running: dict[int, tuple[Any, float]] = {}
    try:
        while not ending.is_set():
            for number in range(workers):
                if number not in running and not ending.is_set():
                    process = context.Process(target=_work, args=(work, number), name=f"worker {number}")
                    process.start()
                    running[number] = (process, time.monotonic())
            connection.wait([process.sentinel for process, _ in running.values()], timeout=0.2)
            for number, (process, begun) in list(running.items()):
                if process.exitcode is not None:
                    del running[number]
                    if time.monotonic() - begun < QUICK_END:
                        ending.wait(0.5)
    finally:
        for process, _ in running.values():
            process.terminate()
        for process, _ in running.values():
            process.join(10.0)
            if process.exitcode is None:
                process.kill()
                process.join()
        for number, handler in before.items():
            signal.signal(number, handler)


def _work(work: Callable[[int], None], number: int) -> None:
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    signal.signal(signal.SIGINT, _to_terminate)  # Ctrl+C reaches all: the parent ends its workers in order
    try:
        work(number)
    except ValueError as error:  # such as a database that is away: the parent tries again
        print(f"steelyard: worker {number}: {error}", file=sys.stderr)
        os._exit(1)


def _to_terminate(signum: int, frame: FrameType | None) -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def _end_with_the_parent() -> None:
    """A worker without its parent would hold the port for ever."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
