"""Results in memory: plain columns, one entry per run, and all traces end to end. No loop over runs anywhere."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.bench.criteria import CRITERIA, GAPS
from steelyard.errors import BadValue
from steelyard.typing import AnyArray, Array

TEXTS = ("key", "problem", "algorithm", "settings", "oracle", "status", "reason", "versions", "machine")


@dataclass(frozen=True, eq=False)
class Results:
    """Finished runs. `columns` are named as in the records; `offsets[i]:offsets[i+1]` is run i in each trace."""

    columns: dict[str, AnyArray]
    offsets: NDArray[np.int64]
    traces: dict[str, AnyArray]

    @classmethod
    def from_table(cls, table: Any) -> Results:
        """From an Arrow table of records; a run that is there twice counts once."""
        columns, traces, offsets = {}, {}, np.zeros(table.num_rows + 1, dtype=np.int64)
        for name in table.column_names:
            column = table.column(name).combine_chunks()
            if name.startswith("trace_"):
                traces[name] = column.flatten().to_numpy(zero_copy_only=False)
                lengths = column.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
                offsets[1:] = np.cumsum(lengths)
            elif name in TEXTS:
                columns[name] = np.array(column.to_pylist(), dtype=object)
            else:  # a null of a cell that could not be run becomes NaN
                columns[name] = column.to_numpy(zero_copy_only=False)
        results = cls(columns, offsets, traces)
        _, first = np.unique(results.columns["key"].astype(str), return_index=True)
        return results if len(first) == len(results) else results.take(np.sort(first))

    def __len__(self) -> int:
        return len(self.columns["key"])

    def __getitem__(self, name: str) -> AnyArray:
        return self.columns[name]

    def take(self, rows: AnyArray) -> Results:
        """The runs at these places, or for which a mask is true."""
        rows = np.flatnonzero(rows) if np.asarray(rows).dtype == bool else np.asarray(rows, dtype=np.int64)
        starts, lengths = self.offsets[rows], self.offsets[rows + 1] - self.offsets[rows]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        inside = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths) + np.repeat(starts, lengths)
        return Results(
            {name: column[rows] for name, column in self.columns.items()},
            offsets,
            {name: trace[inside] for name, trace in self.traces.items()},
        )

    def where(self, **wanted: object) -> Results:
        """The runs whose columns have these values; a list, tuple or set allows several."""
        mask = np.ones(len(self), dtype=bool)
        for name, value in wanted.items():
            several: Any = list(value) if isinstance(value, list | tuple | set | frozenset) else [value]
            column = self.columns[name]
            mask &= np.isin(column.astype(str), several) if name in TEXTS else np.isin(column, several)
        return self.take(mask)

    def distinct(self, name: str) -> list[Any]:
        """The values of a column, in the order in which they first appear."""
        return list(dict.fromkeys(self.columns[name].tolist()))

    @property
    def problems(self) -> list[str]:
        return sorted(self.distinct("problem"))

    @property
    def algorithms(self) -> list[str]:
        return sorted(self.distinct("algorithm"))

    # --- tables

    def times(self, criterion: str, problems: list[str], algorithms: list[str], budget: float | None = None) -> Array:
        """Queries to a criterion, (problems, algorithms, seeds): infinite if not met in `budget`, NaN if not run."""
        if criterion not in CRITERIA:
            raise BadValue(f"criterion must be one of {', '.join(CRITERIA)}, got {criterion!r}")
        met = self.columns[f"to_{criterion}"].astype(np.float64)
        if criterion in GAPS:  # without a best value there is no gap to speak of
            best, start = (self.columns[name].astype(np.float64) for name in ("f_best", "f0"))
            met = np.where(np.isnan(best) & ~np.isnan(start), np.nan, met)
        times = self.cube(met, problems, algorithms)
        if budget is None:
            return times
        return np.where(np.isnan(times), np.nan, np.where(times <= budget, times, np.inf))

    def cube(self, values: Array, problems: list[str], algorithms: list[str]) -> Array:
        """One number per run as (problems, algorithms, seeds), NaN where there is no run."""
        self._need_one("oracle", "budget")
        seeds = self.columns["seed"].astype(np.int64)
        rows = _places(self.columns["problem"], problems)
        columns = _places(self.columns["algorithm"], algorithms)
        cube = np.full((len(problems), len(algorithms), int(seeds.max(initial=-1)) + 1), np.nan)
        mine = (rows >= 0) & (columns >= 0)
        # A failed run that never started has no number: it has not solved anything.
        failed = self.columns["status"] == "failed"
        values = np.where(failed & np.isnan(values), np.inf, values)
        cube[rows[mine], columns[mine], seeds[mine]] = values[mine]
        return cube

    def at(self, queries: float) -> Array:
        """The value of each run after a number of queries: that of the last step up to then, the start's before any."""
        if not len(self):
            return np.zeros(0)
        reached = self.traces["trace_queries"] <= queries
        count = np.add.reduceat(np.append(reached, False), self.offsets[:-1], dtype=np.int64)
        values = np.full(len(self), np.nan)
        some = np.diff(self.offsets) > 0
        values[some] = self.traces["trace_f"][self.offsets[:-1][some] + count[some] - 1]
        return values

    def lowest(self) -> Array:
        """The lowest value in the trace of each run."""
        values = np.full(len(self), np.nan)
        some = np.diff(self.offsets) > 0
        if some.any():
            values[some] = np.fmin.reduceat(self.traces["trace_f"], self.offsets[:-1][some])
        return values

    def found(self) -> Array:
        """For each run the lowest value that any of these runs has found on its problem."""
        _, problem = np.unique(self.columns["problem"].astype(str), return_inverse=True)
        best = np.full(int(problem.max(initial=-1)) + 1, np.inf)
        np.fmin.at(best, problem, self.lowest())
        return best[problem]

    def against(self, best: Array) -> Results:
        """The same runs judged against these best values: r1 to r6 are read off the traces, at their resolution."""
        columns: dict[str, AnyArray] = {**self.columns, "f_best": best}
        gap = self.columns["f0"].astype(np.float64) - best
        run = np.repeat(np.arange(len(self)), np.diff(self.offsets))
        for j, criterion in enumerate(GAPS, 1):
            met = self.traces["trace_f"] <= (best + gap * 10.0**-j)[run]
            first = np.full(len(self), np.inf)
            np.minimum.at(first, run[met], self.traces["trace_queries"][met].astype(np.float64))
            columns[f"to_{criterion}"] = first
        return replace(self, columns=columns)

    def curves(self, queries: AnyArray) -> Array:
        """`at` for many query counts: one row per run."""
        return np.stack([self.at(q) for q in queries], axis=1)

    def _need_one(self, *names: str) -> None:
        for name in names:
            found = self.distinct(name)
            if len(found) > 1:
                shown = ", ".join(map(str, found))
                raise BadValue(f"results must be of one {name}, got {shown}: narrow them with where({name}=...)")


def _places(column: AnyArray, names: list[str]) -> NDArray[np.int64]:
    """The place of each entry in `names`, -1 if it is not there."""
    distinct, inverse = np.unique(column.astype(str), return_inverse=True)
    place = {name: i for i, name in enumerate(names)}
    table = np.array([place.get(str(name), -1) for name in distinct], dtype=np.int64)
    places: NDArray[np.int64] = table[inverse.reshape(-1)] if len(table) else np.zeros(0, dtype=np.int64)
    return places
