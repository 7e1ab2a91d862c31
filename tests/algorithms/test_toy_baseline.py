"""The paper's presets on its toy problems (n = 200, k = 20), against what the published code reaches.

Each pair is the best and the worst of five runs of that code: the gap after 1e4 comparisons from the same start.
"""

import numpy as np
import pytest

from steelyard import FunctionOracle, Session, problems
from steelyard.registry import make_algorithm

BUDGET = 10_000
REPEATS = 2

PUBLISHED = {
    ("stp", "paper-toy"): {
        "SparseQuadratic": (0.000563, 0.000771),
        "MaxK": (3.48, 4.29),
        "NonSparseQuadratic": (0.141, 0.149),
    },
    ("gld", "published-toy"): {
        "SparseQuadratic": (0.00330, 0.00630),
        "MaxK": (3.84, 5.13),
        "NonSparseQuadratic": (0.901, 1.06),
    },
    ("signopt", "paper-toy"): {
        "SparseQuadratic": (0.121, 0.187),
        "MaxK": (15.8, 18.8),
        "NonSparseQuadratic": (35.7, 38.7),
    },
}

# The published SCOBO never renews its directions and never shortens its step. The published CMA-ES has constants of its
# own: with the tutorial's, as in "paper-toy", it does better on MaxK, and worse on SparseQuadratic, where the variables
# that do not matter blind the cumulative control of its step; our own defaults do better everywhere. These are means.
PUBLISHED_TO_BEAT = {
    ("scobo", "paper-toy"): {"SparseQuadratic": 0.0500, "MaxK": 13.7, "NonSparseQuadratic": 106.0},
    ("scobo", "published-toy"): {"MaxK": 13.7, "NonSparseQuadratic": 106.0},
    ("cma-es", "paper-toy"): {"MaxK": 13.0},
    ("cma-es", ""): {"SparseQuadratic": 0.00217, "MaxK": 13.0, "NonSparseQuadratic": 27.2},
}

FIVE = 5


def mean_gap(method: str, preset: str, name: str, repeats: int) -> float:
    problem = problems.get(name)
    x0 = np.random.RandomState(12345).randn(200)  # the start of the published runs
    algorithm = make_algorithm(method, {"preset": preset} if preset else {})
    gaps = []
    for seed in range(repeats):
        result = Session(algorithm, x0, seed, log=False).run(FunctionOracle(problem), BUDGET)
        assert result.ncmp <= BUDGET
        gaps.append(problem.f(result.x))
    return float(np.mean(gaps))


@pytest.mark.parametrize("name", ["SparseQuadratic", "MaxK", "NonSparseQuadratic"])
@pytest.mark.parametrize(("method", "preset"), PUBLISHED)
def test_presets_reach_the_published_range_or_better(method: str, preset: str, name: str) -> None:
    _, worst = PUBLISHED[method, preset][name]
    assert mean_gap(method, preset, name, REPEATS) <= worst


@pytest.mark.parametrize("name", ["SparseQuadratic", "MaxK", "NonSparseQuadratic"])
@pytest.mark.parametrize(("method", "preset"), PUBLISHED)
def test_presets_are_the_published_settings(method: str, preset: str, name: str) -> None:
    """Being far better would mean that the preset is not the method that was published."""
    best, _ = PUBLISHED[method, preset][name]
    assert mean_gap(method, preset, name, 1) >= 0.7 * best


@pytest.mark.parametrize(
    ("method", "preset", "name"), [(*who, name) for who, gaps in PUBLISHED_TO_BEAT.items() for name in gaps]
)
def test_presets_beat_the_published_code_where_it_is_broken(method: str, preset: str, name: str) -> None:
    """A mean against a mean: single runs of the paper's CMA-ES on MaxK end between 9 and 16."""
    assert mean_gap(method, preset, name, FIVE) < PUBLISHED_TO_BEAT[method, preset][name]


def test_constant_steps_of_scobo_end_within_half_a_step_as_published() -> None:
    assert mean_gap("scobo", "published-toy", "SparseQuadratic", REPEATS) <= 0.0634  # the worst of the published five
