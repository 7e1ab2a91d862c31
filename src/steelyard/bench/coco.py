"""COCO's side of a benchmark: the best of 2009 to compare with, and results in COCO's own data format.

The reference data are inside the package cocopp, which is read as an archive and not imported.
"""

import io
import re
import tarfile
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import numpy as np

from steelyard.bench.criteria import TARGETS
from steelyard.bench.lockstep import algorithm_seed
from steelyard.bench.methods import algorithm_from
from steelyard.bench.results import Results
from steelyard.bounds import Box
from steelyard.checks import check_choice
from steelyard.errors import BadValue
from steelyard.extras import need
from steelyard.function_oracle import FunctionOracle
from steelyard.problems.adapters.bbob import COCO_SUITES, box_of, compared
from steelyard.session import Session
from steelyard.typing import AnyArray, Array
from steelyard.version import __version__

Counted = Literal["comparisons", "evaluations"]
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


def runtimes(results: Results, counted: Counted = "comparisons") -> Array:
    """For each run the count at its first step to each of `TARGETS`, (runs, targets), infinite if it has none.

    Counted are `comparisons`, or `evaluations`: the distinct points among them, as COCO counts.
    """
    trace = results.traces["trace_queries" if counted == "comparisons" else "trace_evaluations"].astype(np.float64)
    gaps = results.traces["trace_f"] - np.repeat(results["f_best"].astype(np.float64), np.diff(results.offsets))
    run = np.repeat(np.arange(len(results)), np.diff(results.offsets))
    found = np.full((len(results), len(TARGETS)), np.inf)
    for j, target in enumerate(TARGETS):
        met = gaps <= target
        np.minimum.at(found[:, j], run[met], trace[met])
    return found if counted == "comparisons" else np.maximum(found, 1.0)  # the start is a point as well


def function_of(problem: str) -> tuple[str, int, int] | None:
    """Suite, function and dimension of a problem's name; None if it is not COCO's."""
    match = re.match(r"(bbob[a-z-]*):f(\d+)/d(\d+)/", problem)
    return None if match is None else (match[1], int(match[2]), int(match[3]))


def dimension_of(problem: str) -> int:
    """How many variables a problem of COCO's has; 0 for another."""
    return (function_of(problem) or ("", 0, 0))[2]


def reference_runtimes(problems: Sequence[str]) -> Array:
    """Those of the best of 2009 on these problems, (problems, targets); NaN where there are none."""
    found = np.full((len(problems), len(TARGETS)), np.nan)
    for row, place in zip(found, map(function_of, problems), strict=True):
        if place is not None and place[0] in REFERENCES:
            row[:] = best2009(*place)
    return found


def observe(
    method: str,
    out: Path,
    *,
    suite: str = "bbob",
    functions: Sequence[int] = (),
    dimensions: Sequence[int] = (),
    instances: Sequence[int] = (1, 2, 3),
    budget_per_n: int = 100,
    say: Callable[[str], object] = lambda line: None,
) -> Path:
    """Run a method on a suite under COCO's observer, which writes its data format; returns the folder.

    COCO counts evaluations of f: each point that the method compares, once; on bbob-noisy anew in each comparison.
    `budget_per_n` is in comparisons for each variable. The start is COCO's own, the seed the number of the instance.
    If the folder exists COCO takes another name for its own, by a number.
    """
    cocoex = need("cocoex", "coco")
    check_choice("suite", suite, tuple(COCO_SUITES))
    first, last, least = COCO_SUITES[suite]
    dimensions = dimensions or ((2, 5) if least == 2 else (least, 2 * least))
    for function in functions:
        if not first <= function <= last:
            raise BadValue(f"function must be from {first} to {last} in {suite}, got {function}")
    algorithm = algorithm_from(method)
    places = [function - first + 1 for function in functions or range(first, last + 1)]
    cocoex.log_level("warning")
    chosen = (
        f"dimensions:{_listed(dimensions)} function_indices:{_listed(places)} instance_indices:{_listed(instances)}"
    )
    try:
        found = cocoex.Suite(suite, "", chosen)
    except cocoex.exceptions.NoSuchSuiteException:  # as it calls a selection without any problem
        asked = f"dimensions {_listed(dimensions)} and instances {_listed(instances)}"
        raise BadValue(f"dimensions and instances must be ones that {suite} has, got {asked}") from None
    observer = cocoex.Observer("bbob", _observer_options(method, out.absolute()))
    for problem in found:
        observer.observe(problem)
        box = box_of(problem)
        session = Session(
            algorithm,
            problem.initial_solution,
            algorithm_seed(problem.id_instance),
            bounds=None if box is None else Box(*box),
            log=False,
        )
        oracle = FunctionOracle(compared(problem), vectorized=False, cache=suite != "bbob-noisy")
        session.run(oracle, budget_per_n * problem.dimension)
        say(f"{problem.id}: {problem.evaluations} evaluations, {session.queries} comparisons")
        problem.free()
    return Path(observer.result_folder)


def _observer_options(method: str, out: Path) -> str:
    if re.search(r"[\s:]", str(out)):
        raise BadValue(f"out must be a path without spaces and colons, which COCO cannot read, got {str(out)!r}")
    info = f"steelyard {__version__}, {method}: it only compares points, each is evaluated once".replace('"', "")
    return f'outer_folder:{out.parent} result_folder:{out.name} algorithm_name:{_bare(method)} algorithm_info:"{info}"'


@cache
def _reference(suite: str) -> dict[tuple[int, int], str]:
    spec = find_spec("cocopp")
    if spec is None or spec.origin is None:
        raise ImportError("the best entries of 2009 come with the package cocopp: install steelyard[coco]")
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
