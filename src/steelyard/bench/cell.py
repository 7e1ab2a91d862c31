"""Run one cell and make its records: the one thing that workers do, wherever they are."""

from __future__ import annotations

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
        "key": cell.key(run.seed),
        "format": RECORD_FORMAT,
        "problem": cell.problem,
        "n": problem.n,
        "algorithm": cell.algorithm,
        "settings": algorithm_identity(cell.algorithm),
        "oracle": cell.oracle,
        "budget": cell.budget,
        "seed": run.seed,
        "status": run.status,
        "reason": run.reason,
        "queries": run.queries,
        "steps": run.steps,
        "ties": run.ties,
        "evaluations": run.evaluations,
        "f0": limits.f0,
        "g0": limits.g0,
        "f_best": limits.f_best,
        "f_final": float(run.trace.f[-1]),
        "g_final": float(run.trace.g[-1]),
        **{f"to_{name}": queries for name, queries in run.queries_to.items()},
        "trace_queries": run.trace.queries,
        "trace_evaluations": run.trace.evaluations,
        "trace_f": run.trace.f,
        "trace_g": run.trace.g,
        "seconds": run.seconds,
        **_circumstances(),
    }


@cache
def _circumstances() -> dict[str, str]:
    """What a result may be suspected of depending on."""
    return {
        "versions": f"steelyard {__version__}, numpy {version('numpy')}, python {platform.python_version()}",
        "machine": f"{platform.node()}, {platform.machine()}, {sys.platform}",
    }
