"""The paper's two forms, 3a by values and 3b by comparisons, take the same way."""

import numpy as np
import pytest

from steelyard import FunctionOracle, Session, problems
from steelyard.registry import make_algorithm


def iterates(method: str, form: str, name: str) -> np.ndarray:
    problem = problems.get(name)
    steps: list[np.ndarray] = []
    run = Session(make_algorithm(method, {"form": form}), problem.x0, 11, log=False)
    run.run(FunctionOracle(problem), 1500, lambda result: steps.append(result.x))
    return np.array(steps)


@pytest.mark.parametrize("name", ["ROSENBR", "QING", "WATSON"])
@pytest.mark.parametrize("method", ["stp", "gld", "cma-es"])
def test_values_and_comparisons_give_identical_iterates(method: str, name: str) -> None:
    by_values = iterates(method, "value", name)
    by_comparisons = iterates(method, "comparison", name)
    k = min(len(by_values), len(by_comparisons))  # a generation costs other numbers of values and of comparisons
    assert k >= 25
    assert np.array_equal(by_values[:k], by_comparisons[:k])
