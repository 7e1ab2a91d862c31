"""COCO's side of a benchmark: the best of 2009 to compare with, and results in COCO's own data format.

The reference data are inside the package cocopp, which is read as an archive and not imported.
"""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from steelyard.bench.extras import need
from steelyard.bench.lockstep import algorithm_seed
from steelyard.bench.methods import algorithm_from
from steelyard.bench.results import Results
from steelyard.oracles import FunctionOracle
from steelyard.problems.adapters.bbob import SUITES
from steelyard.session import Session
from steelyard.typing import AnyArray, Array

TARGETS = 10.0 ** -np.arange(-1.0, 7.5, 1.0)
"""f - f* of the targets that runtimes are taken to: 10, 1, ..., 1e-7."""
REFERENCES = {"bbob": "best2009-bbob", "bbob-noisy": "best2009-bbob-noisy"}


@cache
def best2009(suite: str, function: int, dimension: int) -> Array:
    """Evaluations that the best entry of 2009 needed to each of `TARGETS`; infinite where none got there."""
    runtimes = np.full(len(TARGETS), np.inf)
    text = _reference(suite).get((function, dimension))
    if text is None:
        return np.full(len(TARGETS), np.nan)
    for line in text.splitlines():
        if line.strip() and not line.startswith("%"):
            evaluations, gap = (float(part) for part in line.split()[:2])
            met = gap * (1.0 - 1e-9) <= TARGETS
            runtimes[met] = np.minimum(runtimes[met], evaluations)
    return runtimes


def runtimes(results: Results, counted: str = "comparisons") -> Array:
    """For each run the queries to each of `TARGETS`, (runs, targets), infinite where it did not get there.

    Counted in `evaluations`, a run's comparisons are scaled by the points that it evaluated for each of them.
    """
    gaps = results.traces["trace_f"] - np.repeat(results["f_best"].astype(np.float64), np.diff(results.offsets))
    run = np.repeat(np.arange(len(results)), np.diff(results.offsets))
    found = np.full((len(results), len(TARGETS)), np.inf)
    for j, target in enumerate(TARGETS):
        met = gaps <= target
        np.minimum.at(found[:, j], run[met], results.traces["trace_queries"][met].astype(np.float64))
    if counted == "comparisons":
        return found
    with np.errstate(invalid="ignore", divide="ignore"):
        per_query = results["evaluations"].astype(np.float64) / results["queries"].astype(np.float64)
    return found * np.where(np.isfinite(per_query), per_query, 1.0)[:, None]


def function_of(problem: str) -> tuple[str, int, int] | None:
    """Suite, function and dimension of a problem's name; None if it is not COCO's."""
    match = re.match(r"(bbob[a-z-]*):f(\d+)/d(\d+)/", problem)
    return None if match is None else (match[1], int(match[2]), int(match[3]))


def reference_runtimes(problems: Sequence[str]) -> Array:
    """Those of the best of 2009 on these problems, (problems, targets); NaN where there are none."""
    rows = []
    for problem in problems:
        place = function_of(problem)
        known = place is not None and place[0] in REFERENCES
        rows.append(best2009(*place) if place is not None and known else np.full(len(TARGETS), np.nan))
    return np.array(rows).reshape(len(problems), len(TARGETS))


def observe(
    method: str,
    out: Path,
    *,
    suite: str = "bbob",
    functions: Sequence[int] = (),
    dimensions: Sequence[int] = (2, 5),
    instances: Sequence[int] = (1, 2, 3),
    budget_per_n: int = 100,
    say: Callable[[str], object] = lambda line: None,
) -> Path:
    """Run a method on a suite under COCO's observer, which writes its data format; returns the folder.

    COCO counts evaluations of f: each point that the method compares, once. `budget_per_n` is in comparisons for
    each variable. The start is COCO's own, the seed the number of the instance.
    """
    cocoex = need("cocoex", "adapters")
    first, last, _ = SUITES[suite]
    places = ",".join(str(f - first + 1) for f in functions or range(first, last + 1))
    chosen = f"dimensions:{_listed(dimensions)} function_indices:{places} instance_indices:{_listed(instances)}"
    folder = out.name
    # COCO puts its results below `exdata` of the current folder and takes no path.
    observer = cocoex.Observer(
        "bbob", f"result_folder:{folder} algorithm_name:{_bare(method)} algorithm_info:steelyard"
    )
    algorithm = algorithm_from(method)
    for problem in cocoex.Suite(suite, "", chosen):
        observer.observe(problem)
        session = Session(algorithm, problem.initial_solution, algorithm_seed(problem.id_instance), log=False)
        session.run(
            FunctionOracle(lambda x, f=problem: float(f(x)), vectorized=False), budget_per_n * problem.dimension
        )
        say(f"{problem.id}: {problem.evaluations} evaluations, {session.queries} comparisons")
        problem.free()
    return Path(observer.result_folder)


@cache
def _reference(suite: str) -> dict[tuple[int, int], str]:
    spec = find_spec("cocopp")
    if spec is None or spec.origin is None:
        raise ImportError("the best of 2009 is inside the package cocopp: install steelyard[coco]")
    archive = Path(spec.origin).parent / "refalgs" / f"{REFERENCES[suite]}.tar.gz"
    found = {}
    with tarfile.open(fileobj=io.BytesIO(archive.read_bytes())) as files:
        for member in files.getmembers():
            match = re.search(r"_f(\d+)_d(\d+)\.dat$", member.name)
            content = files.extractfile(member) if match else None
            if match and content is not None:
                found[int(match[1]), int(match[2])] = content.read().decode("latin-1")
    return found


def _listed(numbers: Sequence[int] | AnyArray) -> str:
    return ",".join(str(number) for number in numbers)


def _bare(method: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", method)
