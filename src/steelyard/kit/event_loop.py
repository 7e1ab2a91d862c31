"""One event loop in a thread of its own, for judges that are `async def` in programs that are not.

It lives as long as the process: a client that a judge opened in one batch (a connection, a session) is bound to its
loop, and must find the same one in the next batch.
"""

import asyncio
import os
import queue
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import Future
from typing import Any, TypeVar

from steelyard.kit.verdict import Stop

T = TypeVar("T")

GRACE = 10.0
"""Seconds that Ctrl-C waits for calls under way, which are paid for; a second Ctrl-C does not wait."""

_loop_lock = threading.Lock()
_running: tuple[int, asyncio.AbstractEventLoop] | None = None


class _Done:
    pass


def submit(work: Coroutine[Any, Any, T]) -> Future[T]:
    """Start `work` in the loop of this process."""
    return asyncio.run_coroutine_threadsafe(work, _loop())


def iterate(make: Callable[[Stop], AsyncIterator[T]], stop: Stop) -> Iterator[T]:
    """The items of an asynchronous iterator, for a caller outside of any loop.

    On Ctrl-C no new work is begun; what comes in within `GRACE` seconds is still handed out, then KeyboardInterrupt is
    raised.
    """
    arrived: queue.SimpleQueue[T | BaseException | _Done] = queue.SimpleQueue()
    interrupted = threading.Event()

    async def fill() -> None:
        try:
            async for item in make(lambda: interrupted.is_set() or stop()):
                arrived.put(item)
            arrived.put(_Done())
        except BaseException as error:
            arrived.put(error)
            if isinstance(error, asyncio.CancelledError):
                raise

    work = submit(fill())
    interrupt: KeyboardInterrupt | None = None
    until = 0.0
    try:
        while True:
            try:
                got = arrived.get() if interrupt is None else arrived.get(timeout=max(until - time.monotonic(), 0.0))
            except KeyboardInterrupt as pressed:
                if interrupt is not None:
                    raise
                interrupt, until = pressed, time.monotonic() + GRACE
                interrupted.set()
                continue
            except queue.Empty:
                break
            if isinstance(got, _Done):
                break
            if isinstance(got, BaseException):
                raise interrupt or got
            yield got
        if interrupt is not None:
            raise interrupt
    finally:
        work.cancel()


async def in_daemon_thread(function: Callable[..., T], *arguments: Any) -> T:
    """function(*arguments) in a thread that no exit of the process waits for: it may hang for ever."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[T] = loop.create_future()

    def deliver(value: Any, error: BaseException | None) -> None:
        if outcome.done():  # nobody waits any more
            return
        if error is None:
            outcome.set_result(value)
        else:
            outcome.set_exception(error)

    def work() -> None:
        value: Any = None
        failed: BaseException | None = None
        try:
            value = function(*arguments)
        except StopIteration as error:  # a future cannot hold one
            failed = RuntimeError(f"the judge raised StopIteration: {error}")
        except BaseException as error:
            failed = error
        try:
            loop.call_soon_threadsafe(deliver, value, failed)
        except RuntimeError:  # the loop was closed meanwhile
            return

    threading.Thread(target=work, name="steelyard-judge", daemon=True).start()
    return await outcome


def _loop() -> asyncio.AbstractEventLoop:
    global _running
    with _loop_lock:
        if _running is None or _running[0] != os.getpid():  # a forked child has the loop but not its thread
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="steelyard-loop", daemon=True).start()
            _running = os.getpid(), loop
        return _running[1]
