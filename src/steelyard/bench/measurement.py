"""Plans in Python, for what is no run of a method on f: is a stated certainty true, who finds the best of 50 things?

A file `plans/NAME.py` defines `PLAN`, a `Measurement`: what is varied, how one case is measured, and the tables of all.
The rest is the harness's: seeds, processes, going on where it was stopped, the stamp, the pages. What was measured is
kept by case and source code, so that an edited plan, or method, is measured anew.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.bench.records import owned
from steelyard.bench.sources import module_hash
from steelyard.bench.storage import storage
from steelyard.checks import check_among, check_budget, check_whole
from steelyard.errors import BadValue

if TYPE_CHECKING:
    from steelyard.bench.executors import InProcess, Processes
    from steelyard.bench.run import OnRecords

MeasuredRow = dict[str, Any]
"""Something measured: numbers and texts by name."""


@dataclass(frozen=True)
class Case:
    """One case of a plan, as a worker is given it."""

    module: str
    """Where the plan is written."""
    problem: str
    algorithm: str
    oracle: str
    budget: int
    seed: int

    @property
    def key(self) -> str:
        """Its identity: a hash of everything that changes what is measured, the source code included."""
        identity = json.dumps([*dataclasses.astuple(self), module_hash(self.module)])
        return hashlib.sha256(identity.encode()).hexdigest()[:24]

    def rows(self) -> list[MeasuredRow]:
        """What is measured, with what the case is."""
        about = {name: getattr(self, name) for name in ("problem", "algorithm", "oracle", "seed")}
        return [about | row for row in _plan_of(self.module).measure(self)]


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """Problems x algorithms x judges x seeds as in a `Plan`, but named and measured by the plan itself."""

    measure: Callable[[Case], Iterable[MeasuredRow]]
    """Measures one case; no rows where there is nothing to measure."""
    tables: Callable[[list[MeasuredRow]], Mapping[str, str]]
    """The blocks of a page, in Markdown, from all rows."""
    problems: Sequence[str]
    """What is measured on, named as the plan likes."""
    algorithms: Sequence[str] = ("",)
    """What is compared."""
    oracle: Sequence[str] = ("",)
    """Who answers."""
    seeds: int = 1
    """How many seeds, from `first_seed` on."""
    first_seed: int = 0
    """Another one gives fresh instances."""
    budget: int = 1
    """The answers of one case, or whatever else it may cost."""
    figure: Callable[[list[MeasuredRow], Path], None] | None = None
    """Draws what was measured into a file, if there is something to draw."""

    def with_given(self, given: Mapping[str, Any]) -> Measurement:
        """The same plan with options of the command in place of its own."""
        parts = dict(given)
        for name in ("problems", "algorithms", "oracle"):
            if name in parts:
                parts[name] = [parts[name]] if isinstance(parts[name], str) else parts[name]
                check_among(f"{name} of this plan must be among", parts[name], getattr(self, name))
        for name, least in (("seeds", 1), ("first_seed", 0)):
            if name in parts:
                check_whole(name, parts[name], least)
        if "budget" in parts:
            parts["budget"] = check_budget(parts["budget"])
        known = [field.name for field in dataclasses.fields(self)]
        check_among("options of a plan in Python must be among", parts, known)
        return dataclasses.replace(self, **parts)

    def draw(self, rows: list[MeasuredRow], path: Path) -> None:
        """Draw all rows into a file."""
        if self.figure is None:
            raise BadValue(f"--into must be a page, for this plan has no figure, got {str(path)!r}")
        self.figure(rows, path)

    def cases(self) -> list[Case]:
        """All cases, seed by seed."""
        seeds = range(self.first_seed, self.first_seed + self.seeds)
        return [
            Case(self.measure.__module__, problem, algorithm, oracle, self.budget, seed)
            for seed, problem, algorithm, oracle in product(seeds, self.problems, self.algorithms, self.oracle)
        ]


def load_measurement(path: Path) -> Measurement:
    """The plan of a file, whose folder is then on the path, as when Python runs it."""
    if not path.is_file():
        raise BadValue(f"plan must be a file, but there is none at {str(path)!r}")
    sys.path.insert(0, str(path.parent.resolve()))
    return _plan_of(path.stem)


def _plan_of(module: str) -> Measurement:
    plan = getattr(import_module(module), "PLAN", None)
    if not isinstance(plan, Measurement):
        raise BadValue(f"{module}.py must define PLAN, a steelyard.bench.measurement.Measurement, got {plan!r}")
    return plan


def run_cases(
    plan: Measurement,
    out: str | Path,
    executor: InProcess | Processes,
    progress: Callable[[int, int], OnRecords] | None = None,
) -> tuple[list[MeasuredRow], list[str]]:
    """Measure the cases that are not in the folder `out` yet: all rows, case by case, and a line for each failure."""
    kept, failed = storage(out, "cases"), []
    files = {case: f"{case.key}.json" for case in plan.cases()}
    with owned(out):
        there = set(kept.names())
        todo = [case for case, file in files.items() if file not in there]
        report = progress(len(todo), len(files)) if progress is not None else None
        for case, result in executor.run(todo) if todo else ():
            if isinstance(result, str):
                failed.append(f"{case.algorithm or 'measuring'} on {case.problem}, seed {case.seed}: {result}")
            else:
                kept.write(files[case], json.dumps(result, default=_as_python).encode())
            if report is not None:
                report([{}])
        there = set(kept.names())
        return [row for file in files.values() if file in there for row in json.loads(kept.read(file))], failed


def _as_python(value: Any) -> Any:
    """A number or an array of NumPy's as one of Python's."""
    return value.tolist()


def grouped(rows: Iterable[MeasuredRow], *names: str) -> dict[tuple[Any, ...], list[MeasuredRow]]:
    """The rows by what they have under these names, in the order in which they come."""
    found: dict[tuple[Any, ...], list[MeasuredRow]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), []).append(row)
    return found
