"""Many calls of a judge at once, each with its time limit, retries and price."""

import asyncio
import inspect
import random
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any, Literal

from steelyard.checks import check_at_least, check_choice, check_positive, check_whole
from steelyard.errors import BadType, OutOfAnswers
from steelyard.kit.event_loop import in_daemon_thread, iterate
from steelyard.kit.verdict import Judge, Pair, Reply, Stop, compare_rows, reply_to

LONGEST_PAUSE = 60.0
"""Seconds that a pause between two tries never exceeds."""
CALLS_AT_ONCE = 256
"""The most calls of a bare `async def` that are under way at a time; `Concurrent` sets another number."""


class Concurrent:
    """Asks a judge about many pairs at once: the rows of a batch, in any order, with the same run as its result.

    >>> judge = Concurrent(ask_model, workers=16, timeout=30, retries=3, cost=0.002, max_cost=5)
    >>> minimize(judge, space, budget=300, parallel=16)

    Parameters
    ----------
    judge : `prefer(x, y)`, a plain function (each call runs in a thread of its own) or an `async def`.
    workers : the most calls under way at a time.
    timeout : seconds after which a call counts as failed; None for no limit. A plain function that hangs cannot be
        stopped: its thread is left behind, and its answer ignored.
    retries : how often a failed call is repeated: one that raised, timed out or answered nonsense.
    backoff : the pause before the first retry in seconds; it doubles from one retry to the next, up to a minute, and is
        varied by a quarter so that many failed calls do not return together.
    rate : the most calls begun per second; None for no limit.
    cost : the price of one call: a number, or a function of the pair `cost(x, y)`. Failed calls are charged too. A
        judge that knows better returns a `Verdict` with its own cost.
    max_cost, max_calls : limits over the life of this object. A call that would exceed one is not made; the run ends
        with its result so far and says so.
    failed : what becomes of a question whose retries are used up: "raise" the error, or a "tie".
    """

    def __init__(
        self,
        judge: Callable[[Any, Any], Any],
        workers: int = 16,
        *,
        timeout: float | None = None,
        retries: int = 3,
        backoff: float = 1.0,
        rate: float | None = None,
        cost: float | Callable[[Any, Any], float] = 0.0,
        max_cost: float | None = None,
        max_calls: int | None = None,
        failed: Literal["raise", "tie"] = "raise",
    ) -> None:
        if isinstance(judge, Judge):
            kind = type(judge).__name__
            raise BadType(
                f"judge must be a function prefer(x, y), got {kind}: write {kind}(Concurrent(prefer)) instead"
            )
        if not callable(judge):
            raise BadType(f"judge must be a function prefer(x, y), plain or async, got {judge!r}")
        self.judge = judge
        self.workers = check_whole("workers", workers, 1)
        self.timeout = None if timeout is None else check_positive("timeout", timeout)
        self.retries = check_whole("retries", retries, 0)
        self.backoff = check_at_least("backoff", backoff, 0.0)
        self.rate = None if rate is None else check_positive("rate", rate)
        self._price = cost if callable(cost) else check_at_least("cost", cost, 0.0)
        self.max_cost = None if max_cost is None else check_at_least("max_cost", max_cost, 0.0)
        self.max_calls = None if max_calls is None else check_whole("max_calls", max_calls, 0)
        self.failed = check_choice("failed", failed, ("raise", "tie"))
        self.position_bias = bool(getattr(judge, "position_bias", False))
        self._plain = not is_async(judge)
        self._next_slot = 0.0
        self.calls = self.failures = 0
        self.cost = 0.0

    def __repr__(self) -> str:
        name = getattr(self.judge, "__name__", type(self.judge).__name__)
        state = f"calls={self.calls}, failures={self.failures}, cost={self.cost:g}"
        return f"Concurrent({name}, workers={self.workers}, {state})"

    def stream(self, pairs: Sequence[Pair], stop: Stop) -> Iterator[Reply]:
        """Replies as they come in. After a failure, calls under way are waited for and handed out; then it raises."""
        return iterate(lambda stop: self.astream(pairs, stop), stop)

    async def astream(self, pairs: Sequence[Pair], stop: Stop) -> AsyncIterator[Reply]:
        rows = iter(enumerate(pairs))
        under_way: set[asyncio.Task[Reply]] = set()
        error: BaseException | None = None
        try:
            while True:
                while error is None and len(under_way) < self.workers and not stop():
                    row = next(rows, None)
                    if row is None:
                        break
                    under_way.add(asyncio.create_task(self._answer(*row)))
                if not under_way:
                    break
                done, under_way = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    if (failure := task.exception()) is not None:
                        error = error or failure
                    else:
                        yield task.result()
        finally:
            for task in under_way:
                task.cancel()
        if error is not None:
            raise error

    compare = compare_rows

    # --- one question

    async def _answer(self, row: int, pair: Pair) -> Reply:
        spent, calls = 0.0, 0
        for attempt in range(self.retries + 1):
            if attempt:
                pause = min(self.backoff * 2.0 ** (attempt - 1), LONGEST_PAUSE)
                await asyncio.sleep(pause * random.uniform(0.75, 1.25))
            await self._slot()
            price = self._charge(pair)
            spent, calls = spent + price, calls + 1
            started = time.perf_counter()
            try:
                said = await asyncio.wait_for(self._call(pair), self.timeout)
                known = getattr(said, "cost", None)
                if known is not None:
                    self.cost, spent = self.cost + known - price, spent + known - price
                return reply_to(row, said, time.perf_counter() - started, spent, calls)
            except Exception as error:
                self.failures += 1
                last = self._explained(error)
        if self.failed == "tie":
            return Reply(row, 0, latency=time.perf_counter() - started, cost=spent, calls=calls)
        raise last

    async def _call(self, pair: Pair) -> Any:
        said = await in_daemon_thread(self.judge, pair.x, pair.y) if self._plain else self.judge(pair.x, pair.y)
        return await said if inspect.isawaitable(said) else said

    async def _slot(self) -> None:
        """Wait for a turn, if calls are limited per second."""
        if self.rate is not None:
            now = time.monotonic()
            turn = max(self._next_slot, now)
            self._next_slot = turn + 1.0 / self.rate
            await asyncio.sleep(turn - now)

    def _charge(self, pair: Pair) -> float:
        price = self._price if isinstance(self._price, float) else float(self._price(pair.x, pair.y))
        if self.max_calls is not None and self.calls + 1 > self.max_calls:
            raise OutOfAnswers(f"the limit of {self.max_calls} calls is reached (max_calls)")
        if self.max_cost is not None and self.cost + price > self.max_cost * (1.0 + 1e-12):
            raise OutOfAnswers(
                f"the cost limit of {self.max_cost:g} is reached (max_cost), {self.cost:g} has been spent"
            )
        self.calls += 1
        self.cost += price
        return price

    def _explained(self, error: Exception) -> Exception:
        if isinstance(error, TimeoutError) and not str(error):
            return TimeoutError(f"the judge did not answer within {self.timeout:g} s (timeout)")
        return error


def is_async(judge: object) -> bool:
    """Is it an `async def`, or an object with an asynchronous call?"""
    return inspect.iscoroutinefunction(judge) or inspect.iscoroutinefunction(getattr(judge, "__call__", None))  # noqa: B004


def asynchronous(judge: Callable[..., Any]) -> Concurrent | None:
    """An `async def` as a judge of many pairs at once; None for a plain function."""
    return Concurrent(judge, CALLS_AT_ONCE, retries=0) if is_async(judge) else None
