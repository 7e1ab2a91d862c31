"""Anything that can judge, made a `Judge`: a function, an `async def`, an oracle that answers whole batches."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

import numpy as np

from steelyard.errors import BadType
from steelyard.kit.concurrent import Concurrent, is_async
from steelyard.kit.verdict import Judge, Pair, Reply, Stop, never, reply_to
from steelyard.oracles import as_oracle
from steelyard.typing import Answers, Array

AT_ONCE = 256
"""The most calls of a bare `async def` that are under way at a time; `Concurrent` sets another number."""


def as_judge(judge: Any) -> Judge:
    """A `Judge` as it is; a function, an `async def` or an oracle with `compare(a, b)` made one."""
    if isinstance(judge, Judge):
        return judge
    if callable(getattr(judge, "compare", None)):
        return BatchJudge(judge)
    if not callable(judge):
        raise BadType(f"oracle must have compare(a, b) or be a function prefer(x, y), plain or async, got {judge!r}")
    check_two_arguments(judge)
    return asynchronous(judge) or PlainJudge(judge)


def asynchronous(judge: Callable[..., Any]) -> Concurrent | None:
    """An `async def` as a judge of many pairs at once; None for a plain function."""
    return Concurrent(judge, AT_ONCE, retries=0) if is_async(judge) else None


def check_two_arguments(judge: Callable[..., Any]) -> None:
    """The first mistake of all: the function itself instead of a comparison."""
    try:
        signature = inspect.signature(judge)
    except (TypeError, ValueError):  # some built-in functions do not tell
        return
    try:
        signature.bind(None, None)
    except TypeError:
        name = getattr(judge, "__name__", type(judge).__name__)
        takes_one = True
        try:
            signature.bind(None)
        except TypeError:
            takes_one = False
        advice = f"; to minimise a function of one point, wrap it: FunctionOracle({name})" if takes_one else ""
        raise BadType(f"oracle must be a function prefer(x, y) of two points, got {name}{signature}{advice}") from None


def compare_rows(judge: Judge, a: Array, b: Array) -> Answers:
    """All answers of a judge about rows of a against rows of b."""
    answers = np.zeros(len(a), dtype=np.int8)
    pairs = [Pair(x.copy(), y.copy(), row) for row, (x, y) in enumerate(zip(a, b, strict=True))]
    for reply in judge.stream(pairs, never):
        answers[reply.row] = reply.answer
    return answers


class PlainJudge:
    """A plain function `prefer(x, y)`, asked one pair after another in the caller's thread."""

    def __init__(self, prefer: Callable[[Any, Any], Any]) -> None:
        self.prefer = prefer
        self.position_bias = bool(getattr(prefer, "position_bias", False))

    def __repr__(self) -> str:
        return f"PlainJudge({getattr(self.prefer, '__name__', self.prefer)})"

    def stream(self, pairs: Sequence[Pair], stop: Stop) -> Iterator[Reply]:
        for row, pair in enumerate(pairs):
            if stop():
                return
            yield self._reply(row, pair)

    async def astream(self, pairs: Sequence[Pair], stop: Stop) -> AsyncIterator[Reply]:
        for row, pair in enumerate(pairs):
            if stop():
                return
            yield await asyncio.to_thread(self._reply, row, pair)

    def compare(self, a: Array, b: Array) -> Answers:
        return compare_rows(self, a, b)

    def _reply(self, row: int, pair: Pair) -> Reply:
        started = time.perf_counter()
        said = self.prefer(pair.x, pair.y)
        if inspect.isawaitable(said):
            if inspect.iscoroutine(said):
                said.close()
            raise BadType("the judge returned a coroutine: make it an `async def`, or wrap it in Concurrent(judge)")
        return reply_to(row, said, time.perf_counter() - started)


class BatchJudge:
    """An oracle with `compare(a, b)`, asked about a whole batch in one call."""

    def __init__(self, oracle: Any) -> None:
        self.oracle = as_oracle(oracle)
        self.position_bias = bool(getattr(oracle, "position_bias", False))

    def __repr__(self) -> str:
        return f"BatchJudge({self.oracle!r})"

    def stream(self, pairs: Sequence[Pair], stop: Stop) -> Iterator[Reply]:
        if pairs and not stop():
            yield from self._replies(pairs)

    async def astream(self, pairs: Sequence[Pair], stop: Stop) -> AsyncIterator[Reply]:
        if pairs and not stop():
            for reply in await asyncio.to_thread(lambda: list(self._replies(pairs))):
                yield reply

    def compare(self, a: Array, b: Array) -> Answers:
        answers: Answers = self.oracle.compare(a, b)
        return answers

    def _replies(self, pairs: Sequence[Pair]) -> Iterator[Reply]:
        started = time.perf_counter()
        xs, ys = [pair.x for pair in pairs], [pair.y for pair in pairs]
        if isinstance(xs[0], np.ndarray):
            said = self.oracle.compare(np.stack(xs), np.stack(ys))
        else:
            said = self.oracle.compare(xs, ys)  # type: ignore[arg-type]  # settings or items, in lists
        latency = (time.perf_counter() - started) / len(pairs)
        for row, answer in enumerate(said.tolist()):
            yield reply_to(row, answer, latency)
