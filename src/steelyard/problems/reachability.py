"""Whether a success criterion can be met at all, so that a report need not count the impossible as failure."""

from typing import Literal

import numpy as np

from steelyard.problems.problem import Problem

Reach = Literal["yes", "no", "at x0", "unknown"]
"""`no`: the best known value does not meet it. `at x0`: the start meets it. `unknown`: no best value is known."""


def value_reach(problem: Problem, fraction: float = 0.05) -> Reach:
    """Can f(x) <= fraction f(x0) be met?"""
    f0 = problem.f(problem.x0)
    if f0 <= fraction * f0:
        return "at x0"
    if problem.f_best is None:
        return "unknown"
    return "yes" if problem.f_best <= fraction * f0 else "no"


def gradient_reach(problem: Problem, fraction: float = 0.05) -> Reach:
    """Can ||g(x)|| <= fraction ||g(x0)|| be met? If f is bounded below, some gradients are arbitrarily small."""
    if float(np.linalg.norm(problem.gradient(problem.x0))) == 0.0:
        return "at x0"
    return "unknown" if problem.f_best is None else "yes"
