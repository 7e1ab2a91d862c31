"""Turns: of the many threads that serve people only a few compute at a moment.

Python runs one thread at a time and passes the right to run around among all that want it. Where a hundred want it, the
thread that takes requests waits for a hundred others at every step. So whoever serves a request takes a turn, of which
there are few, and gives it back while waiting for something else: a thought, a picture, the disk, a run.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

AT_ONCE = 3
"""So many threads compute at a moment: one of them runs, and another can while it reads from the database."""

_mine = threading.local()


class Turns:
    """So many turns as are given out at a moment; `with turns:` waits for one."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        self._free = threading.Semaphore(at_once)

    def __enter__(self) -> None:
        self._free.acquire()
        _mine.turn = self._free

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _mine.turn = None
        self._free.release()


@contextmanager
def away() -> Iterator[None]:
    """Give the turn to others while waiting; no difference to a thread that has none.

    Nobody may go away with a lock that others wait for without going away: see `PatientLock`.
    """
    turn: threading.Semaphore | None = getattr(_mine, "turn", None)
    if turn is None:
        yield
        return
    _mine.turn = None
    turn.release()
    try:
        yield
    finally:
        turn.acquire()
        _mine.turn = turn


class PatientLock:
    """A lock that its owner may take again. Whoever waits for it gives the turn away, so that the owner gets one."""

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            with away():
                self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()
