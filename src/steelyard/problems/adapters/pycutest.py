"""The whole of CUTEst, where it is installed: `pycutest:NAME?N=50`, with parameters named as in the SIF."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from steelyard.errors import BadValue
from steelyard.problems.adapters.by_row import adapted, as_numbers, by_row, import_or_explain, with_parameters
from steelyard.problems.definitions import Number
from steelyard.problems.problem import Problem

MISSING = "problems called pycutest:NAME need CUTEst itself and PyCUTEst: build CUTEst, then install steelyard[cutest]"

INFINITE = 1e20
"""CUTEst's bound for a variable without one."""


def load(name: str, given: Mapping[str, Number | str]) -> Problem:
    """The unconstrained problem; decoded and compiled by PyCUTEst the first time, read from its cache afterwards."""
    parameters = as_numbers(name, given)
    problem: Any = import_or_explain("pycutest", MISSING).import_problem(name, sifParams=parameters or None)
    bounded = bool(np.any(np.asarray(problem.bl) > -INFINITE) or np.any(np.asarray(problem.bu) < INFINITE))
    if problem.m or bounded:
        what = f"{problem.m} constraints" if problem.m else "bounds"
        raise BadValue(f"pycutest:{name} has {what}; only unconstrained problems can be used")
    return adapted(
        with_parameters(f"pycutest:{name}", parameters),
        problem.x0,
        by_row(problem.obj),
        by_row(problem.grad),
        family="CUTEst",
    )
