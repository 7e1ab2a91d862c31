"""The whole of CUTEst, where it is installed: `pycutest:NAME?N=50`, with parameters named as in the SIF."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from steelyard.problems.adapters.by_row import adapted, as_numbers, by_row, with_parameters
from steelyard.problems.problem import Problem
from steelyard.problems.registry import Parameter

INFINITE = 1e20
"""CUTEst's bound for a variable without one."""


def load(name: str, given: Mapping[str, Parameter | str]) -> Problem:
    """The unconstrained problem; decoded and compiled by PyCUTEst the first time, read from its cache afterwards."""
    parameters = as_numbers(name, given)
    problem: Any = _pycutest().import_problem(name, sifParams=parameters or None)
    bounded = bool(np.any(np.asarray(problem.bl) > -INFINITE) or np.any(np.asarray(problem.bu) < INFINITE))
    if problem.m or bounded:
        what = f"{problem.m} constraints" if problem.m else "bounds"
        raise ValueError(f"pycutest:{name} has {what}; only unconstrained problems can be used")
    return adapted(
        with_parameters(f"pycutest:{name}", parameters),
        problem.x0,
        by_row(problem.obj),
        by_row(problem.grad),
        family="CUTEst",
    )


def _pycutest() -> Any:
    try:
        return importlib.import_module("pycutest")
    except (ImportError, RuntimeError) as error:
        # PyCUTEst raises either when the Fortran side is missing.
        raise ImportError(
            "problems called pycutest:NAME need CUTEst itself and PyCUTEst: build CUTEst, then install "
            f"steelyard[cutest] ({error})"
        ) from error
