"""How many comparisons: the table, what is made of it, and where it refuses."""

import importlib.util
import json
import math
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from steelyard import FunctionOracle, minimize
from steelyard.errors import BadValue
from steelyard.estimate import bits_needed, bits_per_answer, estimate
from steelyard.problems import get

TABLE = json.loads(files("steelyard").joinpath("comparisons.json").read_text(encoding="utf-8"))


def test_at_the_measured_points_it_says_what_was_measured():
    for i, n in enumerate(TABLE["variables"]):
        for j, rate in enumerate(TABLE["error_rates"]):
            for k, accuracy in enumerate(TABLE["accuracies"]):
                measured = TABLE["half"][i][j][k]
                assert estimate(n, accuracy, rate).half == pytest.approx(math.inf if measured is None else measured)


def test_in_between_it_is_in_between():
    few, many = estimate(5, 0.01, 0.1), estimate(10, 0.01, 0.1)
    assert few.half < estimate(7, 0.01, 0.1).half < many.half
    assert estimate(10, 0.03).half < estimate(10, 0.02).half < estimate(10, 0.01).half
    assert many.half < estimate(10, 0.01, 0.15).half < estimate(10, 0.01, 0.2).half


def test_nothing_measured_is_below_the_limit():
    for n in TABLE["variables"]:
        for rate in TABLE["error_rates"]:
            for accuracy in TABLE["accuracies"]:
                known = estimate(n, accuracy, rate)
                assert known.limit < known.half <= known.most


def test_a_run_of_that_length_gets_there():
    problem = get("Ellipsoid?n=5&condition=10~rotated=77")  # none of those that were measured
    budget = math.ceil(estimate(5, 0.03).most)
    found = minimize(FunctionOracle(problem), problem.x0, budget=budget, rng=77).x
    assert problem.f(found) < 0.03 * problem.f(problem.x0)


def test_bits():
    assert bits_needed(2, 0.25) == pytest.approx(2.0)
    assert bits_per_answer(0.0) == 1.0 and bits_per_answer(0.5) == pytest.approx(0.0, abs=1e-12)
    assert bits_per_answer(0.11) == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize(
    ("asked", "name"),
    [((50, 0.01, 0.0), "variables"), ((5, 1e-6, 0.0), "accuracy"), ((5, 0.01, 0.45), "error_rate"),
     ((5, "much", 0.0), "accuracy"), ((2.5, 0.01, 0.0), "variables")],
)  # fmt: skip
def test_what_was_not_measured_is_refused(asked, name):
    with pytest.raises((BadValue, TypeError), match=f"{name} must be"):
        estimate(*asked)


def test_it_says_where_it_knows_it_from():
    text = str(estimate(10, 0.01, 0.2))
    assert "plans/estimate.toml" in text and TABLE["commit"] in text and "20% of answers wrong" in text
    assert "more than 1,500 comparisons" in str(estimate(20, 0.001, 0.3))


def test_the_table_is_read_off_the_runs():
    path = Path(__file__).parents[1] / "tools" / "estimate_table.py"
    spec = importlib.util.spec_from_file_location("estimate_table", path)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    gaps = np.array([[1.0, 0.2, 0.02, 0.2, 0.0001], [1.0, 0.5, 0.05, 0.05, 0.0002]])  # the first falls back once
    half = tool.crossings(gaps, [1, 10, 100, 1000, 10_000], 0.5)
    # the better one at each count, never to be worse again: 1, .2, .05, .05, .0001; straight lines in logarithms
    part = math.log(0.05 / 0.001) / math.log(0.05 / 0.0001)
    assert half[0] == pytest.approx(10 ** (math.log(0.3) / math.log(0.2)), rel=0.01)
    assert half[-1] == pytest.approx(10 ** (3 + part), rel=0.01)
    assert tool.crossings(gaps, [1, 10, 100, 1000, 10_000], 1.0)[1] > 1000
    assert tool.crossings(gaps[:, :3], [1, 10, 100], 0.5)[-1] is None


def test_what_the_theory_page_says_is_what_the_table_says():
    page = Path(__file__).parents[1] / "docs" / "theory.md"
    theory = " ".join(page.read_text(encoding="utf-8").split())

    def times(n, rate=0.0):
        known = estimate(n, 0.01, rate)
        return known.half / known.limit

    assert f"{times(10):.1f} times the limit in 10 variables and {times(20):.1f} times in 20" in theory
    assert f"where fixed costs weigh, {times(2):.1f} times" in theory
    wrong = [times(n, 0.2) for n in TABLE["variables"]]
    assert f"one answer in five wrong it is {min(wrong):.1f} to {max(wrong):.1f} times the limit" in theory
