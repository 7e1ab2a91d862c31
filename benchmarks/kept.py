"""Runs that have been made, so that they need not be made again.

New ones are files in results/cqn-bench, by method, version of its sources, problem, noise, seed and budget. Those of
the methods beside CQN are in the repository too, in peers.jsonl, so that CQN's rows can be made anew in minutes.
"""

from __future__ import annotations

import json
import time
from functools import cache
from pathlib import Path

import foreign

FOLDER = Path("results/cqn-bench")
SHIPPED = Path(__file__).with_name("peers.jsonl")

Job = tuple[str, str, float, int]  # method, problem, chance of a right answer, seed
Until = tuple[str, ...]  # the criteria that end a run once all are met
Run = dict[str, object]


def find(job: Job, budget: int, until: Until, stale: bool = False) -> Run | None:
    """A run of at least this budget, or one that ended before its own; what came after the budget is left out.

    With `stale` one made with other sources will do, unless it is CQN's.
    """
    method = job[0]
    made = _in_folder(f"{method}@{foreign.version(method)}", _name(job, until))
    made |= _shipped().get((f"{method}@{foreign.version(method)}", _name(job, until)), {})
    if stale and method != "cqn":
        for (version, name), runs in _shipped().items():
            if version.startswith(f"{method}@") and name == _name(job, until):
                made = runs | made
    for most in sorted(made, reverse=True):
        run = made[most]
        if run["ended"] or most >= budget:
            return run | {"hits": {c: q for c, q in run["hits"].items() if q <= budget}}
    return None


def keep(job: Job, budget: int, until: Until, run: Run) -> None:
    method = job[0]
    write(FOLDER / f"{method}@{foreign.version(method)}" / _name(job, until) / f"{budget}.json", run)


def ship(methods: list[str]) -> int:
    """Put all runs of these methods that their present sources made into the repository; returns how many."""
    lines = []
    for version in sorted(f"{method}@{foreign.version(method)}" for method in methods):
        runs = {name: dict(made) for (one, name), made in _shipped().items() if one == version}
        for folder in (FOLDER / version).glob("*"):
            runs[folder.name] = runs.get(folder.name, {}) | _in_folder(version, folder.name)
        for name, made in sorted(runs.items()):
            most = max(made)  # says all that the shorter ones say
            lines.append(json.dumps([version, name, most, made[most]["ended"], made[most]["hits"]]))
    SHIPPED.write_text("\n".join(lines) + "\n")
    return len(lines)


def write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{time.monotonic_ns()}")
    part.write_text(json.dumps(content))
    part.replace(path)


def _name(job: Job, until: Until) -> str:
    _, problem, p, seed = job
    return f"{problem}-p{p:g}-seed{seed}-" + "-".join(until)


def _in_folder(version: str, name: str) -> dict[int, Run]:
    """The runs by their budgets."""
    return {int(path.stem): json.loads(path.read_text()) for path in (FOLDER / version / name).glob("*.json")}


@cache
def _shipped() -> dict[tuple[str, str], dict[int, Run]]:
    lines = SHIPPED.read_text().splitlines() if SHIPPED.exists() else []
    rows = [json.loads(line) for line in lines]
    return {(version, name): {most: {"ended": ended, "hits": hits}} for version, name, most, ended, hits in rows}
