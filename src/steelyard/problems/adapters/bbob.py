"""COCO's suites through coco-experiment: `bbob:f8/d20/i1` is function 8 in 20 dimensions, instance 1.

    bbob:               24 noiseless functions, f1 to f24
    bbob-noisy:         30 functions with noise, f101 to f130; see below
    bbob-largescale:    the 24 functions in 20 to 640 dimensions
    bbob-mixint:        the 24 functions with some integer variables, which are rounded; in a box
    bbob-constrained:   54 functions with constraints: who breaks them is worse than who does not

COCO's start is the origin (bbob and its large and noisy kin) or a point of its own. The best value is COCO's.

COCO draws the noise of bbob-noisy anew for every evaluation, from one stream for all noisy problems of a process: such
runs cannot be repeated bit by bit. A benchmark values each point once and judges by values with the noise in them; COCO
itself, under `steelyard coco`, judges by values without.
"""

import contextlib
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from steelyard.errors import BadValue
from steelyard.problems.adapters.by_row import adapted, by_row, import_or_explain
from steelyard.problems.definitions import Number
from steelyard.problems.problem import Problem
from steelyard.typing import Array

MISSING = "problems called bbob:f8/d20/i1 need coco-experiment: install steelyard[adapters]"
LEAST_BROKEN = 1e12
"""A point that breaks constraints has this value and more: the sum of what it breaks them by."""


class Suite(NamedTuple):
    """Which functions a suite has, and the number COCO gives to its first."""

    first: int
    last: int
    least_dimension: int = 2


COCO_SUITES = {
    "bbob": Suite(1, 24),
    "bbob-noisy": Suite(101, 130),
    "bbob-largescale": Suite(1, 24, 20),
    "bbob-mixint": Suite(1, 24, 5),
    "bbob-constrained": Suite(1, 54),
}


def load(name: str, given: Mapping[str, Number | str], suite: str = "bbob") -> Problem:
    """The function `f8/d20/i1` of a suite."""
    full = f"{suite}:{name}"
    match = re.fullmatch(r"f(\d+)/d(\d+)/i(\d+)", name)
    if not match or given:
        raise BadValue(f"a {suite} problem is called {suite}:f8/d20/i1 and has no parameters, got {full}")
    function, dimension, instance = (int(part) for part in match.groups())
    first, last, least = COCO_SUITES[suite]
    if not first <= function <= last:
        raise BadValue(f"{full}: the function must be from f{first} to f{last}, got f{function}")
    if dimension < least or instance < 1:
        raise BadValue(f"{full}: the dimension must be at least {least} and the instance at least 1")
    spec = f"{suite}:f{function}/d{dimension}/i{instance}"
    if suite == "bbob":
        bare = import_or_explain("cocoex", MISSING).BareProblem("bbob", function, dimension, instance)
        return _problem(spec, suite, np.zeros(dimension), bare, float(bare.best_value()), None)
    problem = coco_problem(suite, function, dimension, instance)
    return _problem(spec, suite, problem.initial_solution, compared(problem), _best_value(problem), box_of(problem))


def compared(problem: Any) -> Callable[[Array], Any]:
    """What of COCO's own object is compared: values, at integers where it wants them, the feasible first."""
    if problem.number_of_integer_variables:
        return _rounded(problem)
    return _feasible_first(problem) if problem.number_of_constraints else problem


def box_of(problem: Any) -> tuple[Array, Array] | None:
    """The box that the problem is confined to: one with integers is, the others have only a region of interest."""
    return (problem.lower_bounds, problem.upper_bounds) if problem.number_of_integer_variables else None


def coco_problem(suite: str, function: int, dimension: int, instance: int) -> Any:
    """COCO's own object for one function of a suite."""
    cocoex = import_or_explain("cocoex", MISSING)
    place = function - COCO_SUITES[suite].first + 1
    options = f"dimensions:{dimension} function_indices:{place} instance_indices:{instance}"
    try:
        found = cocoex.Suite(suite, "", options)
        return found[0]
    except Exception as error:  # whatever it raises for a combination that it does not have
        at = f"f{function} in {dimension} dimensions, instance {instance}"
        raise BadValue(f"{suite} has no {at}: {error}") from error


def _problem(
    name: str, suite: str, x0: Array, f: Callable[[Array], Any], best: float | None, box: tuple[Array, Array] | None
) -> Problem:
    bounds = None if box is None else (np.array(box[0], dtype=np.float64), np.array(box[1], dtype=np.float64))
    notes = "the noise is COCO's, drawn for every evaluation" if suite == "bbob-noisy" else ""
    known = {"f_best": best, "f_best_source": "COCO", "family": suite, "bounds": bounds, "notes": notes}
    return adapted(name, x0, by_row(f), None, **known)


def _feasible_first(problem: Any) -> Callable[[Array], float]:
    def f(x: Array) -> float:
        broken = float(np.maximum(problem.constraint(x), 0.0).sum())
        return LEAST_BROKEN + broken if broken > 0.0 else float(problem(x))

    return f


def _rounded(problem: Any) -> Callable[[Array], float]:
    whole = int(problem.number_of_integer_variables)
    low, high = np.asarray(problem.lower_bounds), np.asarray(problem.upper_bounds)

    def f(x: Array) -> float:
        x[:whole] = np.clip(np.round(x[:whole]), low[:whole], high[:whole])
        return float(problem(x))

    return f


def _best_value(problem: Any) -> float | None:
    """The value at COCO's best point, which it writes to a file of the folder that it is in."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        problem._best_parameter("print")
        files = list(Path(folder).iterdir())
        best = np.array(files[0].read_text(encoding="utf-8").split(), dtype=np.float64) if files else np.empty(0)
    return float(problem(best)) if best.size == problem.dimension else None
