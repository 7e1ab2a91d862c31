"""`best_of` and `rank`: the best of a pool of candidates, or all in order, by asking a judge about pairs."""

import os
import time
import zlib
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.checks import check_between, check_budget, check_positive, check_whole
from steelyard.errors import BadType, BadValue, OutOfAnswers
from steelyard.kit.answer_log import LoggedAnswer, LogWriter, header_of, opened_log, same_run, seed_of
from steelyard.kit.judges import as_judge
from steelyard.kit.prepare import shuffled
from steelyard.kit.verdict import Judge, Pair, Reply
from steelyard.pools.pool import Pool
from steelyard.seeds import Seed
from steelyard.typing import Array

STOP_CHECK = 5
"""Answers between two looks at whether the run is sure enough."""


@dataclass(frozen=True, eq=False)
class PoolResult:
    """What `best_of` and `rank` found out.

    best : the candidate with the highest expected strength; `best_number` is its place in `items`.
    ranking : the numbers of all candidates, the best first; `low` and `high` hold for each candidate, in the order of
        `items`, the interval of ranks (0 the best) in which it lies with 90 %.
    strengths : a difference of 1 means that the better one wins 73 % of the time.
    probability_best : of each candidate the probability that it is the best.
    ncmp, nties, calls, cost : comparisons, ties, calls of the judge and what they cost.
    message : why it stopped.
    pool : the `Pool`, to go on with: it can be asked, told, and given more candidates.
    """

    best: Any
    best_number: int
    ranking: tuple[int, ...]
    strengths: Array
    low: Array
    high: Array
    probability_best: Array
    ncmp: int
    nties: int
    calls: int
    cost: float
    message: str
    pool: Pool

    def __repr__(self) -> str:
        sure = self.probability_best[self.best_number]
        shown = repr(self.best)
        shown = shown if len(shown) <= 60 else shown[:57] + "..."
        return f"<PoolResult {shown} is the best with {sure:.0%}: {self.message}; {self.ncmp} comparisons>"


def best_of(
    items: Iterable[Any],
    judge: Any,
    *,
    budget: int,
    rng: Seed = None,
    features: Any = None,
    known: Sequence[tuple[int, int, int]] | None = None,
    sure: float = 0.97,
    parallel: int = 1,
    log: str | os.PathLike[str] | None = None,
    time_limit: float | None = None,
    shuffle: bool | None = None,
) -> PoolResult:
    """The best of `items`, by at most `budget` comparisons of two of them.

    Parameters
    ----------
    items : the candidates, of any kind.
    judge : as for `minimize`: `prefer(x, y)` of two candidates, plain or `async def`, `Concurrent`, `BothWays`, ...
    budget : the most comparisons, those of a resumed log included.
    rng : a seed or generator; the same seed and answers give the same run.
    features : what describes the candidates: rows of numbers, one per candidate, or a kernel `k(x, y)`.
    known : answers known before, each (i, j, answer) with the numbers of two candidates; they cost nothing.
    sure : the run stops when the best is the best with this probability.
    parallel : pairs asked at a time.
    log : a file of all answers; the same call continues where it stopped, also with candidates added at the end.
    time_limit : seconds after which no new question is asked.
    shuffle : as for `minimize`.
    """
    return _run(
        Pool(items, rng=rng, features=features), judge, budget, rng, known, sure, parallel, log, time_limit, shuffle
    )


def rank(
    items: Iterable[Any],
    judge: Any,
    *,
    budget: int,
    rng: Seed = None,
    features: Any = None,
    known: Sequence[tuple[int, int, int]] | None = None,
    parallel: int = 1,
    log: str | os.PathLike[str] | None = None,
    time_limit: float | None = None,
    shuffle: bool | None = None,
) -> PoolResult:
    """All of `items` in order, by `budget` comparisons of those neighbours whose order is least certain.

    The arguments are those of `best_of`.
    """
    pool = Pool(items, rng=rng, features=features, goal="rank")
    return _run(pool, judge, budget, rng, known, 1.0, parallel, log, time_limit, shuffle)


# --- inside


def _run(
    pool: Pool,
    judge: Any,
    budget: int,
    rng: Seed,
    known: Sequence[tuple[int, int, int]] | None,
    sure: float,
    parallel: int,
    log: str | os.PathLike[str] | None,
    time_limit: float | None,
    shuffle: bool | None,
) -> PoolResult:
    budget = check_budget(budget)
    check_between("sure", sure, 0.5, 1.0)
    check_whole("parallel", parallel, 1)
    if time_limit is not None:
        check_positive("time_limit", time_limit)
    if known is not None and not isinstance(known, Sequence | np.ndarray):
        raise BadType(f"known must be a list of triples (i, j, answer), got {known!r}")
    for number, entry in enumerate(() if known is None else known):
        if not isinstance(entry, tuple | list | np.ndarray) or len(entry) != 3:
            raise BadValue(f"known must hold triples (i, j, answer), got {entry!r} as number {number}")
        pool.tell(*entry)
    with ExitStack() as closing:
        free = pool.queries
        writer = _writer(pool, log, rng, closing)
        asking = _Asking(pool, shuffled(as_judge(judge), shuffle, pool.seed), writer, budget + free, time_limit)
        try:
            message = asking.until(sure, parallel)
        except OutOfAnswers as limit:
            message = str(limit)
        except BaseException as error:
            error.result = asking.result(free, f"interrupted by {type(error).__name__}")  # type: ignore[attr-defined]
            raise
    return asking.result(free, message)


@dataclass
class _Asking:
    """A pool and a judge who is asked about it: up to `last` answers, those known before included."""

    pool: Pool
    judge: Judge
    writer: LogWriter | None
    last: int
    time_limit: float | None
    calls: int = 0
    cost: float = 0.0

    def __post_init__(self) -> None:
        self._started = time.monotonic()

    def until(self, sure: float, parallel: int) -> str:
        """Ask until it is as sure as wanted, or something is used up; returns what ended it."""
        pool, looked = self.pool, -STOP_CHECK
        while pool.queries < self.last:
            if self._late():
                return f"the time limit of {self.time_limit:g} s is reached"
            if sure < 1.0 and pool.queries - looked >= STOP_CHECK:
                looked, chance = pool.queries, float(pool.probability_best[pool.best_number])
                if chance >= sure:
                    return f"stop: {chance:.0%} sure"
            self._ask(pool.ask(min(parallel, self.last - pool.queries)))
        return ""

    def result(self, free: int, message: str) -> PoolResult:
        pool = self.pool
        strengths = pool.strengths
        low, high = pool.intervals()
        return PoolResult(
            pool.best, pool.best_number, tuple(np.argsort(-strengths).tolist()), strengths, low, high,
            pool.probability_best, pool.queries - free, pool.ties, self.calls, self.cost,
            message or f"the budget of {self.last - free} comparisons is used", pool,
        )  # fmt: skip

    def _ask(self, pairs: list[tuple[int, int]]) -> None:
        pool, number = self.pool, self.pool.queries
        asked = [Pair(pool.items[i], pool.items[j], _key(number + k, i, j)) for k, (i, j) in enumerate(pairs)]
        replies: dict[int, Reply] = {}
        try:
            for reply in self.judge.stream(asked, self._late):
                replies[reply.row] = reply
                self.calls, self.cost = self.calls + reply.calls, self.cost + reply.cost
                if self.writer is not None:
                    i, j = pairs[reply.row]
                    place = number, reply.row, zlib.crc32(f"{i},{j}".encode())
                    self.writer.answer(LoggedAnswer.of(place, [float(i)], [float(j)], reply, len(pairs)))
        finally:  # in the order asked, whatever the order of arrival, and also if a later one failed
            for row in sorted(replies):
                i, j = pairs[row]
                pool.tell(i, j, replies[row].answer, replies[row].rater)
        if not replies and not self._late():
            raise RuntimeError(f"the judge must reply to what it is asked, got no reply from {self.judge!r}")

    def _late(self) -> bool:
        return self.time_limit is not None and time.monotonic() - self._started >= self.time_limit


def _writer(pool: Pool, log: str | os.PathLike[str] | None, rng: Seed, closing: ExitStack) -> LogWriter | None:
    """Tell the pool what the log holds, and open it for more."""
    file = opened_log(log)
    if file is None:
        return None
    items = [repr(item) for item in pool.items]
    header = header_of(pool, None, None, pool.seed, items=items)
    header.update(method=f"pool:{pool.goal}", options={})
    if file.runs:
        last = file.runs[-1].header
        before = last.get("items")
        grown = isinstance(before, list) and before == items[: len(before)]
        changed = [name for name in same_run(last, header, rng is not None) if name != "items" or not grown]
        if changed:
            raise BadValue(f"log must be of this run, got {str(file.path)!r} (different: {', '.join(changed)})")
        if rng is None:
            pool.reseed(seed_of(last))
        for answer in sorted(file.answers, key=lambda entry: (entry.batch, entry.row)):
            pool.tell(int(answer.a[0]), int(answer.b[0]), answer.answer, answer.rater)
    writer = closing.enter_context(LogWriter(file.path, file.whole))
    if not file.runs or file.runs[-1].header.get("items") != items:
        writer.begin({**header, "seed": file.runs[-1].header["seed"]} if file.runs else header)
    return writer


def _key(number: int, i: int, j: int) -> int:
    return (number << 40) ^ (i << 20) ^ j
