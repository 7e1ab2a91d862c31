"""The trace of a run: queries, evaluations, f and |grad f| at its steps, thinned to a few hundred of them.

Kept are the last step at or before each point of a fixed grid of query counts (so f at those counts is exact), the
first step below each level of f (so is the time to reach it), and the first that meets the gradient criterion. Of a
task with its own judge, whose f is slow to measure, only the last step before each checkpoint is measured.
f and its gradient are evaluated for many steps in one call, and are no part of what the method sees or pays for.
"""

import time
from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard.bench.criteria import CRITERIA, Thresholds
from steelyard.problems import Problem
from steelyard.typing import Array

POINTS_PER_DECADE = 40
LOOK_UP_SECONDS = 5e-6
_BUFFER_ROWS = 512
_GRADIENT_ROWS = 64
_BUFFER_ENTRIES = 2**20  # of numbers held back, so that memory stays flat for large n


def query_grid(budget: int, checkpoints: Iterable[int] = (), fine: bool = True) -> NDArray[np.int64]:
    """40 query counts per decade up to the budget, with all powers of ten and the checkpoints among them.

    If not `fine`, the checkpoints and the budget alone: for an f that is slow to measure."""
    if not fine:
        return np.array(sorted({*(c for c in checkpoints if c <= budget), budget}), dtype=np.int64)
    exponents = np.arange(0, POINTS_PER_DECADE * np.log10(max(budget, 1)) + 1) / POINTS_PER_DECADE
    grid = {round(10.0**e) for e in exponents} | {*checkpoints, budget}
    return np.array(sorted(q for q in grid if q <= budget), dtype=np.int64)


@cache
def is_expensive(problem: Problem) -> bool:
    """Whether f takes longer than looking a point up: evaluating again is else the cheaper way to its value."""
    rows = np.repeat(problem.x0[None], 32, axis=0)
    start = time.perf_counter()
    problem.values(rows)
    return (time.perf_counter() - start) / len(rows) > LOOK_UP_SECONDS


class Kept(NamedTuple):
    """The thinned trace; the first entry is the start, at 0 queries."""

    queries: NDArray[np.int64]
    evaluations: NDArray[np.int64]
    """Distinct points that the oracle had evaluated by then."""
    f: Array
    g: Array


class Trace:
    """Collects the steps of one run.

    `recall(x)` may give a value of f known already, or None: the oracle has mostly evaluated a step before.
    `evaluated()` says how many points it has evaluated by now.
    """

    def __init__(
        self,
        problem: Problem,
        limits: Thresholds,
        grid: NDArray[np.int64],
        recall: Callable[[Array], float | None],
        evaluated: Callable[[], int],
    ) -> None:
        self._problem, self._limits, self._grid, self._recall = problem, limits, grid, recall
        self._evaluated = evaluated
        # An f of its own judge is slow: only the last step before each point of the grid is measured.
        self._sparse = problem.judge is not None
        self._recalls = self._sparse or is_expensive(problem)
        self._rows = max(1, min(_BUFFER_ROWS, _BUFFER_ENTRIES // problem.n))
        self._counts: list[tuple[int, int]] = []  # queries and evaluations
        self._points: list[Array] = []
        self._last: Array | None = None
        self._lowest = np.inf
        self._gradient_met = False
        # The last step so far: kept if the next is past its point of the grid.
        self._held: tuple[NDArray[np.int64], float, float, Array] | None = None
        self._kept: list[tuple[NDArray[np.int64], Array, Array]] = [
            (np.zeros((1, 2), dtype=np.int64), np.array([limits.f0]), np.array([limits.g0]))
        ]
        self.queries_to = dict.fromkeys(CRITERIA, np.inf)

    def step(self, queries: int, x: Array) -> None:
        """The run recommends x after a number of queries."""
        if x is self._last:  # it stays where it is: nothing is crossed, and the value at later counts is the same
            return
        self._last = x
        if self._sparse and self._counts and self._place(queries) == self._place(self._counts[-1][0]):
            self._counts.pop()
            self._points.pop()
        self._counts.append((queries, self._evaluated()))
        self._points.append(x)
        if len(self._points) >= self._rows:
            self._digest()

    def finish(self) -> Kept:
        """The thinned trace of a run that has ended; its last step is always in it."""
        self._digest()
        if self._held is not None:
            count, f, g, x = self._held
            g = self._gradient_norms(x[None])[0] if np.isnan(g) else g
            self._kept.append((count[None], np.array([f]), np.array([g])))
            self._held = None
        return self.so_far()

    def so_far(self) -> Kept:
        """What is kept by now: all there is of a run that broke off."""
        counts, f, g = (np.concatenate(column) for column in zip(*self._kept, strict=True))
        return Kept(counts[:, 0], counts[:, 1], f, g)

    # --- inside

    def _place(self, queries: int) -> int:
        return int(np.searchsorted(self._grid, queries))

    def _digest(self) -> None:
        """Evaluate the steps held back, note what they cross, and keep those that matter."""
        if not self._points:
            return
        x = np.stack(self._points)
        counts = np.array(self._counts, dtype=np.int64)
        queries = counts[:, 0]
        f = self._values(x)
        self._points, self._counts = [], []
        crossing = self._note_values(queries, f)
        g = np.full(len(x), np.nan)
        for start in range(0, len(x), _GRADIENT_ROWS):
            if self._gradient_met:  # the rest is wanted only where it is kept
                break
            some = slice(start, start + _GRADIENT_ROWS)
            g[some] = self._gradient_norms(x[some])
            crossing[some] |= self._note_gradient(queries[some], g[some])
        self._keep(counts, f, g, x, crossing)

    def _keep(self, counts: NDArray[np.int64], f: Array, g: Array, x: Array, crossing: NDArray[np.bool_]) -> None:
        if self._held is not None:
            held, f_held, g_held, x_held = self._held
            counts, f, g = np.concatenate([held[None], counts]), np.append(f_held, f), np.append(g_held, g)
            x, crossing = np.concatenate([x_held[None], x]), np.append(False, crossing)
        place = np.searchsorted(self._grid, counts[:, 0])
        keep = crossing.copy()
        keep[:-1] |= place[:-1] != place[1:]  # the last step before a point of the grid
        # The last of all waits for its successor, unless it is kept already.
        self._held = None if keep[-1] else (counts[-1], float(f[-1]), float(g[-1]), x[-1].copy())
        unknown = keep & np.isnan(g)
        if unknown.any():
            g[unknown] = self._gradient_norms(x[unknown])
        if keep.any():
            self._kept.append((counts[keep], f[keep], g[keep]))

    def _note_values(self, queries: NDArray[np.int64], f: Array) -> NDArray[np.bool_]:
        """Note the criteria on f that are met, and say which steps are the first below some level."""
        lowest = np.fmin.accumulate(np.append(self._lowest, f))  # fmin: a NaN reaches nothing
        passed = np.searchsorted(-self._limits.levels, -lowest, side="right")
        for name, level in self._limits.values.items():
            if np.isinf(self.queries_to[name]) and lowest[-1] <= level:
                self.queries_to[name] = float(queries[np.argmax(f <= level)])
        self._lowest = float(lowest[-1])
        crossing: NDArray[np.bool_] = passed[1:] > passed[:-1]
        return crossing

    def _note_gradient(self, queries: NDArray[np.int64], g: Array) -> NDArray[np.bool_]:
        met = g <= self._limits.gradient
        first = np.zeros(len(g), dtype=bool)
        if met.any():
            self._gradient_met = True
            i = int(np.argmax(met))
            first[i] = True
            self.queries_to["g05"] = float(queries[i])
        return first

    def _values(self, x: Array) -> Array:
        if not self._recalls:
            return self._problem.values(x)
        known = [self._recall(row) for row in self._points]
        f = np.array([np.nan if value is None else value for value in known])
        unknown = [i for i, value in enumerate(known) if value is None]
        if unknown:
            f[unknown] = self._problem.values(x[unknown])
        return f

    def _gradient_norms(self, x: Array) -> Array:
        g = self._problem.gradients(x)
        norms: Array = np.sqrt(np.einsum("ij,ij->i", g, g))
        return norms
