"""Finished candidates instead of parameters: a pool behind the questions of a study."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from steelyard.checks import check_choice, check_whole
from steelyard.dialogue import Capabilities, Compare, Dialogue, Past, Step
from steelyard.pools.pool import GOALS, Pool
from steelyard.typing import Answers, Array


@dataclass(frozen=True)
class PoolMethod:
    """Finds the best of some candidates, or their order: 1 comparison per question.

    A candidate is the middle of its share of the unit interval, as categories of a `Space` are. Which pair is asked
    follows from the answers alone (see `steelyard.pools`), so any process can go on with a run.
    """

    count: int
    """How many candidates there are."""
    goal: str = "best"
    """Whether the "best" is wanted, or the "rank" of all."""
    batch: int = 1
    """How many pairs are asked at once."""

    capabilities: ClassVar[Capabilities] = Capabilities(unit_box=True, max_n=1)
    levels: ClassVar[tuple[float, ...]] = ()
    """It asks about candidates only, so that nobody else need look for levels between them."""

    def __post_init__(self) -> None:
        check_whole("count", self.count, 2)
        check_choice("goal", self.goal, GOALS)
        check_whole("batch", self.batch, 1)

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        nothing = np.empty((0, 1))
        return (yield from self.resume(x, rng, Past(nothing, nothing, np.empty(0, dtype=np.int8))))

    def resume(self, x: Array, rng: np.random.Generator, past: Past) -> Dialogue:
        pool = Pool(range(self.count), rng=int(rng.integers(2**32)), goal=self.goal)
        self._tell(pool, past.a, past.b, past.answers)
        pending: set[frozenset[int]] = set()
        if past.pending_a is not None and past.pending_b is not None:
            sides = (self._numbers(past.pending_a), self._numbers(past.pending_b))
            pending = {frozenset(pair) for pair in zip(*sides, strict=True)}
        while True:
            yield Step(self._points([pool.best_number])[0] if pool.queries else x)
            asked = pool.ask(self.batch + 3 * len(pending))
            new = [pair for pair in asked if frozenset(pair) not in pending][: self.batch] or asked[: self.batch]
            a, b = (self._points([pair[side] for pair in new]) for side in (0, 1))
            question = Compare(a, b, reserve=0)
            answers = (yield question)[: question.cut_to]
            self._tell(pool, question.a, question.b, answers)
            pending = set()

    def _tell(self, pool: Pool, a: Array, b: Array, answers: Answers) -> None:
        for i, j, answer in zip(self._numbers(a), self._numbers(b), answers.tolist(), strict=False):
            pool.tell(i, j, int(answer))

    def _numbers(self, points: Array) -> list[int]:
        """Which candidates these points are."""
        return [min(int(t * self.count), self.count - 1) for t in points[:, 0].tolist()]

    def _points(self, numbers: list[int]) -> Array:
        return (np.array(numbers, dtype=float)[:, None] + 0.5) / self.count


def pool_of(a: Array, b: Array, answers: Answers, count: int) -> Pool:
    """The pool after these answers, to see what is believed about it."""
    method = PoolMethod(count)
    pool = Pool(range(count), rng=0)
    method._tell(pool, a, b, answers)
    return pool
