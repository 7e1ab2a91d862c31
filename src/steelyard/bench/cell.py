"""Run one cell and make its records: the one thing that workers do, wherever they are."""

import platform
import sys
from functools import cache
from importlib.metadata import version
from typing import Any

from steelyard.bench.best_value import judged_by
from steelyard.bench.criteria import thresholds
from steelyard.bench.lockstep import Finished, run_together
from steelyard.bench.methods import algorithm_from, algorithm_identity
from steelyard.bench.plan import RECORD_FORMAT, Cell
from steelyard.problems import Problem, get
from steelyard.version import __version__

Record = dict[str, Any]
"""One finished run, one column per key; see `records.schema` for their types."""


def run_cell(cell: Cell) -> list[Record]:
    """One record for each seed of the cell, failed runs included."""
    problem = judged_by(get(cell.problem), cell.f_best)
    algorithm = algorithm_from(cell.algorithm)
    finished = run_together(problem, algorithm, cell.seeds, cell.budget, cell.oracle, cell.checkpoints)
    return [_record(cell, problem, run) for run in finished]


def _record(cell: Cell, problem: Problem, run: Finished) -> Record:
    limits = thresholds(problem)
    return {
        **head_of(cell, run.seed),
        **{name: getattr(run, name) for name in ("status", "reason", "queries", "steps", "ties", "evaluations")},
        "n": problem.n,
        **{name: getattr(limits, name) for name in ("f0", "g0", "f_best")},
        "f_final": float(run.trace.f[-1]),
        "g_final": float(run.trace.g[-1]),
        **{f"to_{name}": queries for name, queries in run.queries_to.items()},
        **{f"trace_{name}": column for name, column in run.trace._asdict().items()},
        "seconds": run.seconds,
        **_circumstances(),
    }


def head_of(cell: Cell, seed: int) -> Record:
    """What is known of a run before it has begun."""
    return {
        "key": cell.key(seed),
        "format": RECORD_FORMAT,
        **{name: getattr(cell, name) for name in ("problem", "algorithm", "oracle", "budget")},
        "seed": seed,
        "settings": algorithm_identity(cell.algorithm),
    }


@cache
def _circumstances() -> dict[str, str]:
    """What a result may be suspected of depending on."""
    return {
        "versions": f"steelyard {__version__}, numpy {version('numpy')}, python {platform.python_version()}",
        "machine": f"{platform.node()}, {platform.machine()}, {sys.platform}",
    }
