"""COCO's noiseless bbob suite through coco-experiment: `bbob:f8/d20/i1` is function 8 in 20 dimensions, instance 1."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from steelyard.errors import BadValue
from steelyard.problems.adapters.by_row import adapted, by_row, import_or_explain
from steelyard.problems.definitions import Parameter
from steelyard.problems.problem import Problem

MISSING = "problems called bbob:f8/d20/i1 need coco-experiment: install steelyard[adapters]"


def load(name: str, given: Mapping[str, Parameter | str]) -> Problem:
    """The function; COCO's proposal for the start is the origin."""
    match = re.fullmatch(r"f(\d+)/d(\d+)/i(\d+)", name)
    if not match or given:
        raise BadValue(f"a bbob problem is called bbob:f8/d20/i1 and has no parameters, got bbob:{name}")
    function, dimension, instance = (int(part) for part in match.groups())
    if not 1 <= function <= 24:
        raise BadValue(f"bbob:{name}: the function must be from f1 to f24, got f{function}")
    if dimension < 2 or instance < 1:
        raise BadValue(f"bbob:{name}: the dimension must be at least 2 and the instance at least 1")
    problem = import_or_explain("cocoex", MISSING).BareProblem("bbob", function, dimension, instance)
    return adapted(
        f"bbob:f{function}/d{dimension}/i{instance}",
        np.zeros(dimension),
        by_row(problem),
        None,
        f_best=float(problem.best_value()),
        f_best_source="COCO",
        family="bbob",
    )
