"""The built-in CUTEst problems against values measured with CUTEst itself.

The promise is 1e-12 for f and 1e-10 for the gradient, in VANDANMSLS and MANCINO as near as arithmetic allows. They
keep it too: VANDANMSLS agrees to 3e-16 and 6e-16 because it repeats CUTEst's order of operations (any other order
loses six digits near its minimiser at |x| = 3e8); MANCINO to 4e-15 and 3e-14, the worst near its minimiser.
"""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from steelyard import problems

DATA = Path(__file__).parent.parent / "data" / "cutest_reference.json.gz"
REFERENCE = json.loads(gzip.decompress(DATA.read_bytes()))["problems"]


def relative_error(ours, theirs) -> float:
    size = np.linalg.norm(theirs)
    return float(np.linalg.norm(np.subtract(ours, theirs)) / (size if size > 0 else 1.0))


@pytest.mark.parametrize("reference", REFERENCE, ids=lambda r: f"{r['name']}-{len(r['points'][0][0])}")
def test_values_and_gradients_agree_with_cutest(reference) -> None:
    problem = problems.get(reference["name"], **reference["parameters"])
    for x, f, gradient in reference["points"]:
        assert relative_error(problem.f(x), f) <= 1e-12
        assert relative_error(problem.gradient(x), gradient) <= 1e-10


@pytest.mark.parametrize("reference", REFERENCE, ids=lambda r: f"{r['name']}-{len(r['points'][0][0])}")
def test_the_start_is_exact(reference) -> None:
    problem = problems.get(reference["name"], **reference["parameters"])
    np.testing.assert_array_equal(problem.x0, reference["points"][0][0])


def test_every_problem_of_the_paper_has_reference_values() -> None:
    assert {r["name"] for r in REFERENCE} >= {p.name for p in problems.suite("paper22")}


def test_no_reference_point_beats_the_best_known_value() -> None:
    for reference in REFERENCE:
        problem = problems.get(reference["name"], **reference["parameters"])
        if problem.f_best is not None:
            assert min(f for _, f, _ in reference["points"]) >= problem.f_best - 1e-12 * abs(problem.f_best)
