"""The optimagic algorithm in optimagic's own `minimize`."""

import numpy as np
import pytest

om = pytest.importorskip("optimagic")
from steelyard.bridges.optimagic_algorithm import Steelyard  # noqa: E402


def bowl(params):
    return float(np.sum((params - np.array([1.0, -2.0])) ** 2))


def test_it_minimises_and_says_what_it_cost():
    result = om.minimize(bowl, params=np.zeros(2), algorithm=Steelyard(method="cqn", stopping_maxcomparisons=500))
    assert result.params == pytest.approx([1.0, -2.0], abs=1e-3)
    assert result.fun == pytest.approx(bowl(result.params))
    assert 0 < result.algorithm_output["comparisons"] <= 500


def test_it_maximises_inside_bounds_and_takes_trees_of_parameters():
    result = om.maximize(
        lambda params: -((params["a"] - 3) ** 2) - (params["b"] + 2) ** 2, params={"a": 0.0, "b": 0.0},
        bounds=om.Bounds(upper={"a": 2.0, "b": np.inf}), algorithm=Steelyard, algo_options={"method": "cqn"},
    )  # fmt: skip
    assert result.params["a"] == pytest.approx(2.0, abs=1e-3) and result.params["b"] == pytest.approx(-2.0, abs=1e-2)


def test_fixed_parameters_stay():
    result = om.minimize(
        bowl, params=np.zeros(2), algorithm=Steelyard(method="cqn"),
        constraints=om.FixedConstraint(lambda params: params[0]),
    )  # fmt: skip
    assert result.params[0] == 0.0 and result.params[1] == pytest.approx(-2.0, abs=1e-3)
