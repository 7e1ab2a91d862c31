"""What a run is judged against: f*, by one of three policies.

known      the best value that the problem itself knows
descent    the lowest value that BFGS and L-BFGS-B with exact gradients find from x0: the valley of the start
found      the lowest value that any run of the benchmark has found; the results are judged again once all are there
"""

from dataclasses import replace
from functools import cache
from typing import Literal

import numpy as np

from steelyard.problems import Problem, get

BestValue = Literal["known", "descent", "found"]


def judged_by(problem: Problem, policy: BestValue) -> Problem:
    """The problem with the best value of this policy. What is `found` is known only when all runs are there."""
    if policy != "descent":
        return problem
    # A rotation about x0 changes nothing for a descent with exact gradients but rounding.
    return replace(problem, f_best=_descent(problem.name.partition("~rotated")[0]), f_best_source="a descent from x0")


@cache
def _descent(name: str) -> float:
    from scipy.optimize import minimize  # slow to import

    problem = get(name)
    settings: dict[str, dict[str, float]] = {
        "L-BFGS-B": {"maxiter": 20_000, "maxfun": 30_000, "ftol": 0.0, "gtol": 1e-10},
        "BFGS": {"maxiter": 3000, "gtol": 1e-9},
    }
    found = [float(problem.f(problem.x0))]
    with np.errstate(all="ignore"):
        for method, options in settings.items():
            end = minimize(problem.f, problem.x0, jac=problem.gradient, method=method, options=options)  # type: ignore[call-overload]
            found.append(end.fun)
    return float(np.nanmin(found))
