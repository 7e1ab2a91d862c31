"""Anything that can judge, made a `Judge`: a function, an `async def`, an oracle that answers whole batches."""

import asyncio
import inspect
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

import numpy as np

from steelyard.checks import check_two_arguments
from steelyard.errors import BadType
from steelyard.kit.concurrent import asynchronous
from steelyard.kit.verdict import Judge, Pair, Reply, Stop, compare_rows, reply_to
from steelyard.oracles import as_oracle
from steelyard.typing import Answers, Array


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

    compare = compare_rows

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
