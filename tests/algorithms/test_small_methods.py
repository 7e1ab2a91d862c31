"""What Nelder-Mead, Powell, pattern search, (1+1)-CMA-ES and the sampling methods promise about cost and result."""

from math import ceil, log2

import numpy as np
import pytest

from steelyard import FunctionOracle, Session, minimize
from steelyard.algorithms.cma_es import CMAES, Constants
from steelyard.algorithms.nelder_mead import NelderMead
from steelyard.algorithms.one_plus_one import OnePlusOne
from steelyard.algorithms.pattern_search import PatternSearch
from steelyard.algorithms.powell import Powell
from steelyard.algorithms.scobo import SCOBO
from steelyard.algorithms.signopt import SignOPT
from steelyard.parts import questions


def sphere(x):
    return (x * x).sum(axis=-1)


def ellipsoid(x):
    return (x * x * 10.0 ** np.linspace(0.0, 4.0, x.shape[-1])).sum(axis=-1)


def rosenbrock(x):
    return (100.0 * (x[..., 1:] - x[..., :-1] ** 2) ** 2 + (1.0 - x[..., :-1]) ** 2).sum(axis=-1)


def reached(method, f, n, budget, seed=0):
    x0 = np.random.default_rng(seed).standard_normal(n)
    result = minimize(FunctionOracle(f), x0, method=method, budget=budget, rng=seed)
    return f(result.x), result


def test_one_plus_one_reaches_1e_22_on_the_sphere_in_2000_comparisons():
    values = [
        sphere(minimize(FunctionOracle(sphere), np.ones(10), method=OnePlusOne(), budget=2000, rng=seed).x)
        for seed in range(9)
    ]
    assert np.median(values) <= 1e-22


@pytest.mark.parametrize("active", [False, True])
def test_one_plus_one_learns_the_shape_of_a_valley(active):
    value, result = reached(OnePlusOne(active=active), rosenbrock, 2, 2000)
    assert value < 1e-20
    assert result.ncmp <= 2000


def test_nelder_mead_inserts_by_binary_search():
    n = 8
    value, result = reached(NelderMead(), sphere, n, 2000)
    first_simplex = sum(ceil(log2(i + 1)) for i in range(1, n + 1))
    assert value < 1e-5
    # At most a place for the reflected vertex, two yes-or-no questions and a place for the contracted one.
    assert result.ncmp <= first_simplex + (result.nit - n) * (2 * ceil(log2(n + 1)) + 2)
    assert reached(NelderMead(adaptive=False), rosenbrock, 2, 800)[0] < 1e-20


def test_nelder_mead_on_ties_shrinks_until_it_ends():
    result = minimize(lambda x, y: 0, [1.0, 2.0], method=NelderMead(), budget=10_000)
    assert not result.success and result.nties == result.ncmp
    assert result.message.startswith("stopped: the simplex has shrunk below rounding, but 32 of 32")


def test_powell_finds_conjugate_directions():
    rotation, _ = np.linalg.qr(np.random.default_rng(4).standard_normal((8, 8)))

    def skew(x):
        return ((x @ rotation) ** 2 * 10.0 ** np.linspace(0.0, 2.0, 8)).sum(axis=-1)

    value, _ = reached(Powell(), skew, 8, 4000)
    along_axes_only, _ = reached(PatternSearch(), skew, 8, 4000)
    assert value < 1e-15
    assert value < 1e-3 * along_axes_only


@pytest.mark.parametrize("basis", ["coordinate", "simplex"])
@pytest.mark.parametrize("poll", ["opportunistic", "complete"])
def test_pattern_search_in_all_its_forms(basis, poll):
    assert reached(PatternSearch(basis=basis, poll=poll), sphere, 4, 2000)[0] < 1e-6
    assert reached(PatternSearch(basis=basis, poll=poll, step=1e-4), sphere, 2, 2000)[0] < 1e-4


@pytest.mark.parametrize("n", [1, 2, 7])
@pytest.mark.parametrize("basis", ["coordinate", "simplex"])
def test_the_directions_of_a_poll_span_space_positively(basis, n):
    search = PatternSearch(basis=basis)
    directions = np.array([search._direction(i, n) for i in range(search._count(n))])
    assert np.allclose(np.linalg.norm(directions, axis=1), 1.0)
    assert np.allclose(directions.sum(axis=0), 0.0)  # with full rank, this is what positive spanning means
    assert np.linalg.matrix_rank(directions) == n


@pytest.mark.parametrize(("n", "population", "parents"), [(1, None, None), (10, None, None), (5, 10, 1), (200, 10, 5)])
def test_weights_of_cma_es(n, population, parents):
    k = Constants.of(n, population, parents, active=True)
    assert k.w[: k.parents].sum() == pytest.approx(1.0)
    assert (np.diff(k.w) <= 1e-15).all()
    assert k.w[-1] <= 0.0
    # The negative weights leave C positive definite: (52).
    assert n * k.c_mu * np.abs(k.w[k.w < 0.0]).sum() <= 1.0 - k.c_1 - k.c_mu + 1e-12


def test_cma_es_asks_for_no_more_order_than_its_weights_need():
    whole, half = (
        Session(CMAES(population=16, active=active, control="path"), np.ones(5), 0) for active in (True, False)
    )
    for run in (whole, half):
        run.run(FunctionOracle(sphere), 1000)
    assert whole.queries / whole.steps <= 46  # merge-insertion of 16
    assert half.queries / half.steps < whole.queries / whole.steps


@pytest.mark.parametrize("control", ["two-point", "path"])
def test_cma_es_solves_an_ill_conditioned_problem(control):
    assert reached(CMAES(control=control), ellipsoid, 6, 6000)[0] < 1e-8


@pytest.mark.parametrize("algorithm", [SignOPT(m=30), SCOBO(m=30)])
def test_batches_that_do_not_fit_memory_are_cut_without_changing_the_run(algorithm, monkeypatch):
    def run():
        return minimize(FunctionOracle(sphere), np.ones(6), method=algorithm, budget=500, rng=2)

    whole = run()
    monkeypatch.setattr(questions, "NUMBERS_IN_A_BATCH", 6 * 7)
    cut = run()
    assert np.allclose(cut.x, whole.x, rtol=1e-9, atol=1e-12)  # sums are added up in another order


@pytest.mark.parametrize(
    ("make", "options", "name"),
    [
        (CMAES, {"population": 1}, "population"),
        (CMAES, {"population": 6, "parents": 7}, "parents"),
        (CMAES, {"step": 0.0}, "step"),
        (CMAES, {"sorting": "quick"}, "sorting"),
        (SignOPT, {"line_search": False}, "radius"),
        (SignOPT, {"m": 2.5}, "m"),
        (NelderMead, {"step": -1}, "step"),
        (Powell, {"bits": -1}, "bits"),
        (PatternSearch, {"expand": 0.5}, "expand"),
        (PatternSearch, {"basis": "square"}, "basis"),
        (OnePlusOne, {"step": float("nan")}, "step"),
    ],
)
def test_bad_options_are_named(make, options, name):
    with pytest.raises(ValueError, match=f"^{name} must"):
        make(**options)
