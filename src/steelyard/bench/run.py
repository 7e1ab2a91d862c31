"""Run a plan: what is done already is not done again, and what is done is on disk at once."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from steelyard.bench.cell import Record, head_of
from steelyard.bench.engine import executor_on
from steelyard.bench.executors import Executor
from steelyard.bench.plan import Cell, Plan
from steelyard.bench.records import done, join, owned, save_plans, write
from steelyard.bench.schedule import longest_first

OnRecords = Callable[[list[Record]], None]


class Interrupted(KeyboardInterrupt):
    """The benchmark was stopped by hand; says what is kept."""


@dataclass(frozen=True)
class Summary:
    """What a call of `run` did."""

    planned: int
    already_done: int
    finished: int
    failed: tuple[str, ...] = ()
    """One line for each run that ended in an error."""


def run(
    plan: Plan | Iterable[Plan],
    out: str | Path,
    *,
    jobs: int | None = None,
    on: str | None = None,
    executor: Executor | None = None,
    retry_failed: bool = False,
    progress: Callable[[int, int], OnRecords] | None = None,
) -> Summary:
    """Run a plan (or several) into the folder `out`, and commit each finished run as it comes.

    Runs that are in `out` already are not repeated, so a killed benchmark goes on where it was. `jobs` processes work
    at once, by default one per core; 0 runs everything in this process. `on` is another engine: "dask", or the address
    of a Dask scheduler; `out` may then be a storage URL that its workers reach. A failed run counts as done, unless
    `retry_failed`. `progress(todo, total)` may return a function that is called with the records of each finished cell.
    """
    plans = [plan] if isinstance(plan, Plan) else list(plan)
    executor = executor or executor_on(on, jobs, out)
    with owned(out):
        save_plans(out, [each.to_toml() for each in plans])
        cells = _without(set(), (cell for each in plans for cell in each.cells()))
        past = done(out)
        finished_before = {run.key for run in past if run.status != "failed" or not retry_failed}
        todo = longest_first(_without(finished_before, cells), past)
        planned = sum(len(cell.seeds) for cell in cells)
        runs_left = sum(len(cell.seeds) for cell in todo)
        report = progress(runs_left, planned) if progress is not None else None
        finished, failed = 0, []
        committed_there = getattr(executor, "shared", None) is not None
        try:
            for cell, result in executor.run(todo) if todo else ():
                records = _records(cell, result)
                if isinstance(result, str) or not committed_there:
                    write(out, records)
                finished += len(records)
                failed += [_failure(record) for record in records if record["status"] == "failed"]
                if report is not None:
                    report(records)
        except KeyboardInterrupt:
            kept = planned - runs_left + finished
            raise Interrupted(f"stopped: {kept} of {planned} runs are kept in {out}, run again to go on") from None
        join(out)
    return Summary(planned, planned - runs_left, finished, tuple(failed))


def _without(known: set[str], cells: Iterable[Cell]) -> list[Cell]:
    """The cells without the runs whose keys are known, and without those that come twice."""
    left, seen = [], set(known)
    for cell in cells:
        keys = {seed: cell.key(seed) for seed in cell.seeds}
        seeds = [seed for seed, key in keys.items() if key not in seen]
        seen.update(keys.values())
        if seeds:
            left.append(cell.only(seeds))
    return left


def _records(cell: Cell, result: list[Record] | str) -> list[Record]:
    """The records of a cell; if it could not be run at all, records that say so."""
    if not isinstance(result, str) and {record["key"] for record in result} <= {cell.key(seed) for seed in cell.seeds}:
        return result
    if not isinstance(result, str):
        result = "the worker has other sources of steelyard, of the method or of the problem than the driver"
    failed = {"status": "failed", "reason": result, "queries": 0, "seconds": 0.0}
    return [{**head_of(cell, seed), **failed} for seed in cell.seeds]


def _failure(record: Record) -> str:
    return f"{record['algorithm']} on {record['problem']}, seed {record['seed']}: {record['reason']}"
