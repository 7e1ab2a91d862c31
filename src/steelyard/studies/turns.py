"""Turns: of the many requests that are served only a few are computed at a moment.

Python runs one thread at a time and passes the right to run around among all that want it. Where a hundred want it, the
thread that takes requests waits for a hundred others at every step; and to start a thread it waits as well. So what is
to be done waits in a queue without a thread until there is a turn, of which there are few. Whoever waits for something
else meanwhile (a thought, a picture, the disk, a run) gives the turn to others, and is served first when coming back.
"""

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

TURNS_AT_ONCE = 1
"""The threads that compute at a moment: Python runs no more than one anyway, and two would only get in the way of the
thread that takes requests."""
MOST_THREADS = 500
"""The threads there are at most. Most of them wait, for a thought or for the disk."""
IDLE_SECONDS = 20.0
"""A thread without work ends after this time."""

_Work = tuple[Future[Any], Callable[[], Any]]
_mine = threading.local()


class Turns:
    """Does what it is given in threads, `at_once` of them at a moment."""

    def __init__(self, at_once: int = TURNS_AT_ONCE, most_threads: int = MOST_THREADS) -> None:
        self._lock = threading.Lock()
        self._free = at_once
        self._most = most_threads
        self._new: deque[_Work] = deque()
        self._back: deque[threading.Lock] = deque()  # those who were away; each waits at a lock of its own
        self._handed: queue.SimpleQueue[_Work] = queue.SimpleQueue()
        self._threads = self._idle = 0

    def call(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Do it when there is a turn. The caller never waits."""
        future: Future[T] = Future()
        with self._lock:
            self._new.append((future, lambda: work(*args, **kwargs)))
            begin = self._begin_next()
        begin()
        return future

    def leave(self) -> None:
        """Give the turn to somebody else."""
        with self._lock:
            self._free += 1
            begin = self._pass_on()
        begin()

    def come_back(self) -> None:
        """Wait for a turn."""
        gate = threading.Lock()
        gate.acquire()
        with self._lock:
            self._back.append(gate)
            begin = self._pass_on()
        begin()
        gate.acquire()

    # --- inside; these are called with the lock, and return what to do without it

    def _pass_on(self) -> Callable[[], object]:
        """Let somebody have the turn that is free, if there is one: first of all who comes back."""
        if self._free and self._back:
            self._free -= 1
            return self._back.popleft().release
        return self._begin_next()

    def _begin_next(self) -> Callable[[], object]:
        if not self._free or not self._new or self._back or (not self._idle and self._threads >= self._most):
            return _nothing
        self._free -= 1
        work = self._new.popleft()
        if self._idle:
            self._idle -= 1
            return lambda: self._handed.put(work)
        self._threads += 1
        return threading.Thread(target=self._serve, args=(work,), name="turn", daemon=True).start

    def _serve(self, work: _Work | None) -> None:
        """A thread: does one thing after the other as long as there are turns."""
        _mine.turns = self
        while work is not None:
            future, do = work
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(do())
                except BaseException as error:
                    future.set_exception(error)
            del future, do
            work = self._more()

    def _more(self) -> _Work | None:
        """What this thread does next; None if there has been nothing for long."""
        with self._lock:
            if self._new and not self._back:
                return self._new.popleft()
            self._free += 1
            self._idle += 1
            begin = self._pass_on()
        begin()
        while True:
            try:
                return self._handed.get(timeout=IDLE_SECONDS)
            except queue.Empty:
                with self._lock:
                    if self._idle:  # otherwise something was handed over in this moment
                        self._idle -= 1
                        self._threads -= 1
                        return None


def _nothing() -> None:
    pass


@contextmanager
def away() -> Iterator[None]:
    """Give the turn to others while waiting; no difference to a thread that has none.

    Nobody may go away with a lock that others wait for without going away: see `PatientLock`.
    """
    turns: Turns | None = getattr(_mine, "turns", None)
    if turns is None:
        yield
        return
    _mine.turns = None
    turns.leave()
    try:
        yield
    finally:
        turns.come_back()
        _mine.turns = turns


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
