"""Long cells first, so that the last worker does not idle while one long cell ends.

Longest-processing-time order needs only a rough estimate: the time a query took in past records of the same method and
problem, else of the same method, else in proportion to the dimension.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import median

from steelyard.bench.plan import Cell
from steelyard.bench.records import Done
from steelyard.problems import get

TYPICAL_QUERY = 10e-6
"""Seconds for a query of a method never seen before on a problem of 100 variables."""


def longest_first(cells: Sequence[Cell], past: Iterable[Done]) -> list[Cell]:
    """The cells by estimated time, the longest first; equal ones stay in order."""
    by_cell: dict[tuple[str, str], list[float]] = defaultdict(list)
    by_method: dict[str, list[float]] = defaultdict(list)
    for run in past:
        if run.queries > 0 and run.seconds > 0.0:
            by_cell[run.problem, run.algorithm].append(run.seconds / run.queries)
            by_method[run.algorithm].append(run.seconds / run.queries)

    def seconds_for(cell: Cell) -> float:
        if (known := by_cell.get((cell.problem, cell.algorithm))) or (known := by_method.get(cell.algorithm)):
            rate = median(known)
        else:
            rate = TYPICAL_QUERY * (1.0 + get(cell.problem).n / 100.0) / 2.0
        return rate * cell.budget * len(cell.seeds)

    return sorted(cells, key=seconds_for, reverse=True)
