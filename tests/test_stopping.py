"""Whether a run is over at a minimum."""

import numpy as np
import pytest

from steelyard import FunctionOracle, LogisticOracle, minimize
from steelyard.dialogue import GaveUp, Indistinct, Unproven, drive
from steelyard.parts.stopping import settled


def verdict(f, x, reason="the step has shrunk", seed=0):
    oracle = f if hasattr(f, "compare") else FunctionOracle(f)
    question = settled(reason, np.asarray(x, dtype=float), 0.5, np.random.default_rng(seed))
    return drive(question, lambda message: oracle.compare(message.a, message.b))


def bowl(x):
    return (np.linspace(1.0, 1e4, x.shape[-1]) * (x - 0.3) ** 2).sum(axis=-1) + 7.0


@pytest.mark.parametrize("n", [1, 2, 10, 200])
def test_at_a_smooth_minimum_the_reason_stays_as_it_is(n):
    found = verdict(bowl, np.full(n, 0.3))
    assert found == "converged: the step has shrunk" and not isinstance(found, Unproven)
    gave_up = GaveUp("no minimum")
    assert verdict(bowl, np.full(n, 0.3), gave_up) is gave_up


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: x.sum(axis=-1), np.ones(3)),
        (lambda x: -(x**2).sum(axis=-1), np.zeros(3)),
        (lambda x: x[..., 0] ** 2 - x[..., 1] ** 2, np.zeros(2)),
        (lambda x: 10.0 * np.abs(x[..., 1] - x[..., 0] ** 2) + (1.0 - x[..., 0]) ** 2, np.array([0.8, 0.64])),
    ],
    ids=["a slope", "a maximum", "a saddle", "a kink above the minimum"],
)
def test_where_there_is_no_minimum_it_says_so(f, x):
    found = verdict(f, x)
    assert isinstance(found, Unproven) and "speak against a minimum" in found


def test_ties_and_judges_that_err_are_no_evidence():
    assert "32 of 32 comparisons around it are ties, near and far" in verdict(lambda x: 0.0, np.ones(3))
    assert "speak against" in verdict(lambda x: np.floor(9.0 * (x**2).sum(axis=-1)), np.ones(3))  # a staircase
    assert isinstance(verdict(LogisticOracle(bowl, 1.0, 0), np.full(3, 0.3)), Unproven)


@pytest.mark.parametrize("jnd", [1e-3, 1e-1])
def test_a_judge_who_sees_no_small_differences_can_distinguish_nothing_better(jnd):
    near = np.full(4, 0.3) + 0.5 * np.sqrt(jnd) * np.array([1.0, -1.0, 1.0, -1.0]) / np.sqrt(1e4)
    found = verdict(FunctionOracle(bowl, jnd=jnd), near)
    assert isinstance(found, Indistinct) and "nothing better can be distinguished" in found
    distance = float(found.split("and points ")[1].split()[0])
    worst = bowl(near[None] + distance * np.eye(4)) - bowl(near)
    assert (worst > jnd).all()


@pytest.mark.parametrize("method", ["signopt", "scobo"])
def test_a_judge_that_errs_when_the_two_are_close_is_no_success(method):
    oracle = LogisticOracle(lambda x: float(x @ x), 0.05, 0)
    result = minimize(oracle, np.ones(5), method=method, budget=5000, rng=0)
    assert result.ncmp < 5000 and (result.success, result.status) == (False, 4)


@pytest.mark.parametrize("method", ["powell", "one-plus-one", "pattern-search"])
def test_a_plateau_is_no_success(method):
    result = minimize(FunctionOracle(lambda x: float(np.floor(x @ x))), np.ones(3), method=method, budget=5000, rng=0)
    assert result.ncmp < 5000 and (result.success, result.status) == (False, 4)


def staircase(x):
    return float(np.floor(3.0 * np.abs(x - 1.0)).sum())


@pytest.mark.parametrize("method", ["signopt", "scobo", "powell", "one-plus-one"])
def test_the_edge_of_a_stair_further_away_is_seen(method):
    start = np.random.default_rng(2).uniform(-2.0, 2.0, 5)
    result = minimize(FunctionOracle(staircase), start, method=method, budget=4000, rng=2)
    assert staircase(result.x) > 0 and (result.success, result.status) == (False, 4)


@pytest.mark.parametrize("method", ["signopt", "scobo", "powell", "one-plus-one", "pattern-search", "nelder-mead"])
def test_where_nothing_better_is_distinguished_the_minimum_is_within_what_can_be_seen(method):
    for seed in range(3):
        start = np.random.default_rng(seed).uniform(-2.0, 2.0, 5)
        oracle = FunctionOracle(lambda x: float(((x - 1.0) ** 2).sum()), jnd=0.05)
        result = minimize(oracle, start, method=method, budget=4000, rng=seed)
        assert not result.success
        assert result.status != 5 or ((result.x - 1.0) ** 2).sum() < 3 * 0.05


@pytest.mark.parametrize(("method", "seed"), [("powell", 1), ("one-plus-one", 0)])
def test_a_way_down_along_an_axis_only_is_seen(method, seed):
    """Where f rises steeply in one variable, nearly all directions lead upwards."""

    def roots(x):
        return float(np.sqrt(np.abs(x - 0.7)).sum())

    start = np.random.default_rng(seed + 5).uniform(-1.4, 1.4, 2)
    result = minimize(FunctionOracle(roots, jnd=0.05), start, method=method, budget=1500, rng=seed)
    assert roots(result.x) > 0.2 and (result.success, result.status) == (False, 4)


def test_steep_walls_that_a_judge_sees_are_no_evidence():
    """Beyond the cusp f rises at once, before it f is nearly flat: further away all is worse, nearby most is a tie."""

    def root(x):
        return float(np.sqrt(abs(x[0] - 1.91)))

    result = minimize(FunctionOracle(root, jnd=0.0118), np.array([0.5]), method="scobo", budget=4000, rng=0)
    assert root(result.x) > 3 * 0.0118 and not result.success


def test_a_kink_is_no_success():
    def valley(x):
        return float(10.0 * abs(x[1] - x[0] ** 2) + (1.0 - x[0]) ** 2 + ((x[2:] - 0.3) ** 2).sum())

    result = minimize(FunctionOracle(valley), np.linspace(0.8, 1.4, 5), method="cqn", budget=6000, rng=0)
    assert valley(result.x) > 1e-6 and not result.success
