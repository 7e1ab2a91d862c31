"""The results of the reproduction as the arrays that its figures, tables and claims are about."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steelyard.bench.profiles import Band, Curve, band, performance_profile, solved_fraction
from steelyard.bench.results import Results
from steelyard.bench.trace import query_grid
from steelyard.paper import plans as paper
from steelyard.paper.plans import Programme
from steelyard.problems import SUITES, get
from steelyard.typing import Array


@dataclass(frozen=True)
class Evidence:
    """What was measured. Everything below is computed from `results`."""

    results: Results
    programme: Programme

    # --- profiles over the 22 problems

    @cached_property
    def problems(self) -> list[str]:
        return SUITES["paper22"]()

    @cached_property
    def labels(self) -> list[str]:
        return list(self.programme.methods)

    @cached_property
    def profile_runs(self) -> Results:
        mine = self.results.where(
            oracle="exact", budget=self.programme.budget, algorithm=list(self.programme.methods.values())
        )
        return mine.take(mine["seed"] < self.programme.seeds)

    def times(self, criterion: str, budget: int, labels: list[str] | None = None) -> Array:
        """Queries to a criterion, (problems, methods, seeds)."""
        specs = [self.programme.methods[label] for label in labels or self.labels]
        return self.profile_runs.times(criterion, self.problems, specs, budget)

    def solved(self, criterion: str, budget: int) -> dict[str, float]:
        """The solved fraction of the runs of each method."""
        return dict(zip(self.labels, solved_fraction(self.times(criterion, budget)).tolist(), strict=True))

    def profile(self, criterion: str, budget: int, labels: list[str] | None = None) -> Curve:
        return performance_profile(self.times(criterion, budget, labels))

    # --- optimality gaps

    @cached_property
    def queries(self) -> Array:
        """Query counts at which curves over the toy problems are drawn; a trace has the values there exactly."""
        return np.append(0, query_grid(10_000)).astype(np.float64)

    def toy_gaps(self, problem: str, label: str, p: float = 1.0, queries: Array | None = None) -> Array:
        """f - f* of each repeat (rows) at each query count."""
        oracle = "exact" if p == 1.0 else paper.noisy(p)
        runs = self.results.where(
            problem=problem, algorithm=self.programme.toy_methods[label], oracle=oracle, budget=10_000
        )
        return runs.curves(self.queries if queries is None else queries)

    def toy_mean(self, problem: str, label: str, queries: float = 10_000, p: float = 1.0) -> float:
        """The mean gap over repeats after a number of queries."""
        return float(self.toy_gaps(problem, label, p, np.array([queries])).mean())

    def toy_band(self, problem: str, label: str, p: float = 1.0) -> Band:
        return band(self.toy_gaps(problem, label, p))

    def figure_gaps(self, problem: str, label: str, queries: Array) -> Array:
        """f - f* of each repeat on one of the three CUTEst problems that the paper shows."""
        runs = self.results.where(
            problem=problem, algorithm=self.programme.methods[label], oracle="exact", budget=self.programme.budget
        )
        best = get(problem).f_best or 0.0
        return runs.curves(queries) - best

    # --- grids of hyper-parameters

    def gld_grid(self, problem: str, queries: int, published: bool = False) -> Array:
        """The mean final value, rows R from large to small, columns r from small to large."""
        return self._grid(
            problem, queries, [[paper.gld(R, r, published) for r in paper.GLD_r] for R in paper.GLD_R], 5000
        )

    def scobo_grid(self, problem: str, queries: int, second: str) -> Array:
        """The mean final value, rows s from large to small, columns r or m from small to large."""
        specs = [
            [paper.scobo(s, r=r) for r in paper.SCOBO_r]
            if second == "r"
            else [paper.scobo(s, m=m) for m in paper.SCOBO_m]
            for s in paper.SCOBO_s
        ]
        return self._grid(problem, queries, specs, 10_000)

    def _grid(self, problem: str, queries: int, specs: list[list[str]], budget: int) -> Array:
        runs = self.results.where(problem=problem, oracle="exact", budget=budget)
        values = runs.at(queries)
        names = runs["algorithm"].astype(str)
        return np.array(
            [[values[names == spec].mean() if (names == spec).any() else np.nan for spec in row] for row in specs]
        )
