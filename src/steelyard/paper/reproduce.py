"""The whole paper in one go."""

from collections.abc import Callable
from pathlib import Path

from steelyard.bench.executors import Executor
from steelyard.bench.records import load_plan
from steelyard.bench.run import OnRecords, Summary, run
from steelyard.paper.evidence import Evidence
from steelyard.paper.ledger import Finding
from steelyard.paper.plans import Programme
from steelyard.paper.report import reproduction_report


def reproduce(
    programme: Programme,
    out: str | Path,
    *,
    executor: Executor | None = None,
    progress: Callable[[int, int], OnRecords] | None = None,
) -> tuple[Summary, Path, list[Finding]]:
    """Run every experiment of the programme that is not done yet, and write the report and the ledger of claims."""
    plans = list(programme.plans().values())
    summary = run(plans, out, executor=executor, progress=progress)
    evidence = Evidence(load_plan(plans, out), programme)
    path, findings = reproduction_report(evidence, out, f"steelyard reproduce --{programme.name} --out {out}")
    return summary, path, findings
