"""Thinking, in processes of its own: what takes a method long never holds up a page.

A thought is a function of the study, a seed and what was answered. It can be lost or thought twice without harm, so a
process that dies is replaced and its thought begun again. What somebody waits for is thought first; what may be wanted
next is thought by processes of the lowest priority, newest first, and forgotten when there is too much of it.
"""

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, Literal, Protocol

from steelyard.certainty import Certainty
from steelyard.dialogue import Choose, Compare, Past
from steelyard.session import Session
from steelyard.studies.study import Study
from steelyard.system import lower_priority, processes
from steelyard.typing import Array

LONGEST_THOUGHT = 60.0
"""Seconds after which a thought is given up."""
ATTEMPTS = 3
"""How often a thought is begun whose process dies."""
MOST_THOUGHT_AHEAD = 64
"""How many thoughts may wait that nobody waits for."""
LOWEST_PRIORITY = 15


class ThoughtFailed(Exception):
    """The method could not say what to ask next."""


@dataclass(frozen=True, eq=False)
class ThinkingTask:
    """What to compute: the next questions of a run (this many, or 0: as many as the method chooses), or how certain
    the method is there."""

    what: Literal["questions", "certainty"]
    seed: int
    past: Past
    wanted: int = 0


@dataclass(frozen=True, eq=False)
class Found:
    """What came of thinking about the next questions; none if the method has stopped. Fields as in `Position`."""

    a: Array
    b: Array
    x: Array
    reason: str | None
    models: bool
    memory: Mapping[str, Array] = field(default_factory=dict)
    choice: str = ""


ThinkingResult = Found | Certainty | None


def think(study: Study, task: ThinkingTask) -> ThinkingResult:
    """Do it, here and now."""
    session = study.session(task.seed, past=task.past, wanted=task.wanted)
    return session.certainty if task.what == "certainty" else found(session)


def found(session: Session) -> Found:
    """Where a session stands."""
    question, x = session.question, session.recommend()
    none = x[None][:0]
    a, b, choice = none, none, ""
    if isinstance(question, Compare):
        a, b = question.a, question.b
    elif isinstance(question, Choose):
        a, choice = question.points, "ranking" if question.ranking else "best"
    return Found(a, b, x, session.reason, session.keeps_model, dict(session.memory or {}), choice)


class Thinker(Protocol):
    """Whoever thinks for a study."""

    def submit(self, task: ThinkingTask, *, wanted: Callable[[], bool] | None = None) -> Future[ThinkingResult]:
        """Begin to think. With `wanted` nobody waits for it, and it is dropped if that has become false."""

    @property
    def waiting(self) -> int:
        """How many thoughts wait that somebody waits for."""

    def close(self) -> None: ...


class Inline:
    """Thinks at once, in the caller's thread: for programs, simulations and tests."""

    def __init__(self, study: Study) -> None:
        self.study = study

    def submit(self, task: ThinkingTask, *, wanted: Callable[[], bool] | None = None) -> Future[ThinkingResult]:
        future: Future[ThinkingResult] = Future()
        try:
            future.set_result(think(self.study, task))
        except Exception as error:
            future.set_exception(error)
        return future

    @property
    def waiting(self) -> int:
        return 0

    def close(self) -> None:
        pass


@dataclass(eq=False)
class _Waiting:
    task: ThinkingTask
    future: Future[ThinkingResult]
    wanted: Callable[[], bool] | None
    attempts: int = 0


@dataclass
class PoolCounts:
    """What a pool has done, for those who watch it."""

    thoughts: int = 0
    seconds: float = 0.0
    failures: int = 0
    restarts: int = 0
    dropped: int = 0


class ThinkingPool:
    """Processes that think for one study: `size` for what somebody waits for, one for what may be wanted next."""

    def __init__(self, study: Study, size: int = 1) -> None:
        self.study = study
        self.counts = PoolCounts()
        self._context = processes(["steelyard.studies.thinking", "steelyard.algorithms.preference_gp"])
        self._lock = threading.Lock()
        self._urgent: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._ahead: deque[_Waiting] = deque()
        self._ahead_wanted = threading.Condition(self._lock)
        self._closing = False
        self._processes: list[Any] = []
        self._threads = [threading.Thread(target=self._serve, args=(True,), daemon=True) for _ in range(size)]
        self._threads.append(threading.Thread(target=self._serve, args=(False,), daemon=True))
        for thread in self._threads:
            thread.start()

    @property
    def waiting(self) -> int:
        return self._urgent.qsize()

    @property
    def pids(self) -> list[int]:
        """The processes, for those who want to watch or to kill them."""
        return [process.pid for process in list(self._processes) if process.pid]

    def submit(self, task: ThinkingTask, *, wanted: Callable[[], bool] | None = None) -> Future[ThinkingResult]:
        waiting = _Waiting(task, Future(), wanted)
        if wanted is None:
            self._urgent.put(waiting)
            return waiting.future
        with self._lock:
            self._ahead.append(waiting)
            while len(self._ahead) > MOST_THOUGHT_AHEAD:
                self._ahead.popleft().future.cancel()
                self.counts.dropped += 1
            self._ahead_wanted.notify()
        return waiting.future

    def close(self) -> None:
        with self._lock:
            self._closing = True
            self._ahead_wanted.notify_all()
        for _ in self._threads:
            self._urgent.put(None)
        for process in list(self._processes):
            process.terminate()  # what it thinks is wanted by nobody now
        for thread in self._threads:
            thread.join()

    # --- one thread for each process

    def _serve(self, urgent: bool) -> None:
        connection: Connection | None = self._start(urgent)  # the first question should not wait for it
        while (waiting := self._next(urgent)) is not None:
            if waiting.future.cancelled() or (waiting.wanted is not None and not waiting.wanted()):
                waiting.future.cancel()
                continue
            begin = time.monotonic()
            try:
                if connection is None:
                    connection = self._start(urgent)
                connection.send(waiting.task)
                if not connection.poll(LONGEST_THOUGHT):
                    connection.close()  # its process is ended when it finds nobody to talk to
                    connection = None
                    self._fail(
                        waiting, ThoughtFailed(f"the method has thought for more than {LONGEST_THOUGHT:g} seconds")
                    )
                    continue
                result = connection.recv()
            except (EOFError, OSError):  # the process has died
                connection = None
                self._again(waiting)
                continue
            with self._lock:
                self.counts.thoughts += 1
                self.counts.seconds += time.monotonic() - begin
            if isinstance(result, BaseException):
                self._fail(waiting, result)
            else:
                waiting.future.set_result(result)
        if connection is not None:
            connection.close()

    def _next(self, urgent: bool) -> _Waiting | None:
        if urgent:
            return None if self._closing else self._urgent.get()
        with self._lock:
            while not self._ahead and not self._closing:
                self._ahead_wanted.wait()
            return None if self._closing else self._ahead.pop()

    def _start(self, urgent: bool) -> Connection:
        """A process, and the pipe to it; it ends by itself when the pipe is closed."""
        ours: Connection
        ours, theirs = self._context.Pipe()
        process = self._context.Process(
            target=_thinking, args=(theirs, self.study, 0 if urgent else LOWEST_PRIORITY), daemon=True
        )
        process.start()
        theirs.close()
        with self._lock:
            self._processes = [*(p for p in self._processes if p.is_alive()), process]
        return ours

    def _again(self, waiting: _Waiting) -> None:
        with self._lock:
            self.counts.restarts += 1
        waiting.attempts += 1
        if waiting.wanted is not None:
            waiting.future.cancel()
        elif waiting.attempts >= ATTEMPTS or self._closing:
            self._fail(waiting, ThoughtFailed("the process that thinks has died again and again"))
        else:
            self._urgent.put(waiting)

    def _fail(self, waiting: _Waiting, error: BaseException) -> None:
        with self._lock:
            self.counts.failures += 1
        waiting.future.set_exception(error)


def _thinking(connection: Connection, study: Study, niceness: int) -> None:
    """A process that thinks until its pipe is closed."""
    import signal

    from threadpoolctl import threadpool_limits

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the server, which then closes the pipe
    threadpool_limits(limits=1, user_api="blas")
    lower_priority(niceness)
    while True:
        try:
            task = connection.recv()
        except (EOFError, OSError):
            return
        result: object
        try:
            result = think(study, task)
        except Exception as error:
            result = ThoughtFailed(f"{type(error).__name__}: {error}")
        try:
            connection.send(result)
        except OSError:
            return
