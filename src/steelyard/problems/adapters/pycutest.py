"""The whole of CUTEst, where it is installed: `pycutest:NAME?N=50`, with parameters named as in the SIF.

What PyCUTEst compiles is kept in the user's cache folder, or where PYCUTEST_CACHE says.
"""

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.checks import did_you_mean
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
    spec = with_parameters(f"pycutest:{name}", parameters)
    use_cache_folder()
    pycutest = import_or_explain("pycutest", MISSING)
    _check_name(pycutest, name)
    problem = _compiled(pycutest, spec, name, parameters)
    bounded = bool(np.any(np.asarray(problem.bl) > -INFINITE) or np.any(np.asarray(problem.bu) < INFINITE))
    if problem.m or bounded:
        what = f"{problem.m} constraints" if problem.m else "bounds"
        raise BadValue(f"{spec} has {what}; only unconstrained problems can be used")
    return adapted(spec, problem.x0, by_row(problem.obj), by_row(problem.grad), family="CUTEst")


def use_cache_folder() -> None:
    """Have PyCUTEst keep its compiled problems in the user's cache folder, if nothing else is wished."""
    if "PYCUTEST_CACHE" in os.environ:
        return
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    # A module compiled for one version of Python cannot be imported by another.
    folder = base / "steelyard" / "pycutest" / (sys.implementation.cache_tag or "python")
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["PYCUTEST_CACHE"] = str(folder)


def cache_name(name: str, parameters: Mapping[str, Number]) -> str:
    """A name for the compiled problem that can be a Python module: no dot, no sign, no slash."""
    text = "_".join([name, *(f"{key}{value!r}" for key, value in sorted(parameters.items()))])
    spelled = text.replace(".", "p").replace("-", "m").replace("+", "").replace("/", "over")
    return re.sub(r"\W", "_", spelled)


def _check_name(pycutest: Any, name: str) -> None:
    """CUTEst's names are those of its SIF files, in capitals except for a few."""
    known = [path.stem for path in Path(pycutest.get_mastsif_path()).glob("*.SIF")]
    if name not in known:
        raise BadValue(f"CUTEst has no problem called {name!r}{did_you_mean(name, known, 'pycutest:')}")


def _compiled(pycutest: Any, spec: str, name: str, parameters: Mapping[str, Number]) -> Any:
    # PyCUTEst would put the parameters into a module's name, where the dot of 0.5 does harm: hence the options. Without
    # -force the decoder takes only the values that the SIF lists.
    setting = ",".join(f"{key}={value!r}" for key, value in parameters.items())
    options = ["-param", setting, "-force"] if parameters else None
    place = cache_name(name, parameters)
    try:
        return pycutest.import_problem(name, destination=place, sifOptions=options)
    except Exception as error:
        # What has been left half made would be taken for the problem the next time.
        pycutest.clear_cache(place)
        hint = f"; pycutest.print_available_sif_params({name!r}) shows its parameters" if parameters else ""
        raise BadValue(f"{spec} cannot be built: {error}{hint}") from error
