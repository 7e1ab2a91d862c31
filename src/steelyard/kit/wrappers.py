"""Against a judge's liking for one side: ask with the sides shuffled, or ask both ways round."""

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import numpy as np

from steelyard.checks import check_whole
from steelyard.kit.judges import as_judge
from steelyard.kit.verdict import Judge, Pair, Reply, Stop, compare_rows

_MIX = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
_ALL = 2**64 - 1


class Shuffled:
    """Shows the two sides of every question in random order, so that a liking for one side cancels out. No extra calls.

    Which questions are turned is decided by `seed` and the question, so that a resumed run turns the same ones.
    `first`, `second` and `ties` count what was answered, by the side that was shown first or second.
    """

    def __init__(self, judge: Any, seed: int = 0) -> None:
        self.judge: Judge = as_judge(judge)
        self.seed = check_whole("seed", seed, 0)
        self.first = self.second = self.ties = 0

    def __repr__(self) -> str:
        return f"Shuffled({self.judge!r}, first={self.first}, second={self.second}, ties={self.ties})"

    def stream(self, pairs: Sequence[Pair], stop: Stop) -> Iterator[Reply]:
        turned = self._turned(pairs)
        for reply in self.judge.stream(_shown(pairs, turned), stop):
            yield self._heard(reply, turned)

    async def astream(self, pairs: Sequence[Pair], stop: Stop) -> AsyncIterator[Reply]:
        turned = self._turned(pairs)
        async for reply in self.judge.astream(_shown(pairs, turned), stop):
            yield self._heard(reply, turned)

    compare = compare_rows

    @property
    def first_share(self) -> float | None:
        """How often the side shown first won, of all answers that were no tie; .5 for a judge without a liking."""
        decided = self.first + self.second
        return self.first / decided if decided else None

    def _turned(self, pairs: Sequence[Pair]) -> list[bool]:
        return [_coin(self.seed, pair.key) for pair in pairs]

    def _heard(self, reply: Reply, turned: list[bool]) -> Reply:
        self.first += reply.answer > 0
        self.second += reply.answer < 0
        self.ties += reply.answer == 0
        return reply.turned() if turned[reply.row] else reply


class BothWays:
    """Asks every question both ways round, two calls each; a judge that contradicts itself is taken to say "a tie".

    `disagreed` counts those.
    """

    def __init__(self, judge: Any) -> None:
        self.judge: Judge = as_judge(judge)
        self.asked = self.disagreed = 0

    def __repr__(self) -> str:
        return f"BothWays({self.judge!r}, asked={self.asked}, disagreed={self.disagreed})"

    def stream(self, pairs: Sequence[Pair], stop: Stop) -> Iterator[Reply]:
        half: dict[int, Reply] = {}
        for reply in self.judge.stream(_both(pairs), stop):
            yield from self._joined(reply, half)

    async def astream(self, pairs: Sequence[Pair], stop: Stop) -> AsyncIterator[Reply]:
        half: dict[int, Reply] = {}
        async for reply in self.judge.astream(_both(pairs), stop):
            for joined in self._joined(reply, half):
                yield joined

    compare = compare_rows

    def _joined(self, reply: Reply, half: dict[int, Reply]) -> Iterator[Reply]:
        """Nothing for the first half of a question; the answer with the second."""
        row, turned = divmod(reply.row, 2)
        reply = reply.turned() if turned else reply
        other = half.pop(row, None)
        if other is None:
            half[row] = reply
            return
        self.asked += 1
        agreed = reply.answer == other.answer
        self.disagreed += not agreed
        yield Reply(
            row,
            reply.answer if agreed else 0,
            reply.neither and other.neither,
            reply.rater if reply.rater == other.rater else "",
            max(reply.latency, other.latency),
            reply.cost + other.cost,
            reply.calls + other.calls,
        )


def _both(pairs: Sequence[Pair]) -> list[Pair]:
    return [side for x, y, key in pairs for side in (Pair(x, y, 2 * key), Pair(y, x, 2 * key + 1))]


def _shown(pairs: Sequence[Pair], turned: Sequence[bool]) -> list[Pair]:
    return [Pair(y, x, key) if turn else Pair(x, y, key) for (x, y, key), turn in zip(pairs, turned, strict=True)]


def _coin(seed: int, key: int) -> bool:
    """A fair coin for each key (the finaliser of splitmix64)."""
    z = (key * 0x9E3779B97F4A7C15 + (seed + 1) * 0xD1342543DE82EF95) & _ALL
    z = ((z ^ (z >> 30)) * _MIX[0]) & _ALL
    z = ((z ^ (z >> 27)) * _MIX[1]) & _ALL
    return bool((z ^ (z >> 31)) & 1)


def bias_is_clear(first: int, second: int) -> bool:
    """Is a share of answers for one side beyond what an even judge gives once in 1,000 runs?"""
    decided = first + second
    return decided >= 20 and abs(first - second) > 3.3 * np.sqrt(decided)
