import numpy as np
import pytest

from steelyard import FunctionOracle, Session, minimize
from steelyard.convert import FromAskTell

cma = pytest.importorskip("cma")
cmaes = pytest.importorskip("cmaes")

X0 = np.array([1.5, -0.7, 0.4, 2.0])


def f(x):
    return ((x - 0.3) ** 2 * np.arange(1, 5)).sum(axis=-1) + (x.sum(axis=-1) - 1.0) ** 4


def make_cma(x, rng):
    return cma.CMAEvolutionStrategy(
        x, 0.3, {"verbose": -9, "seed": np.nan, "randn": lambda *size: rng.standard_normal(size)}
    )


def make_cmaes(x, rng):
    return cmaes.CMA(mean=x, sigma=0.3, seed=int(rng.integers(2**31)))


def by_values(make, generations):
    """The optimiser driven by the true values."""
    optimiser = make(X0.copy(), np.random.default_rng(0))
    best = []
    for _ in range(generations):
        if make is make_cma:
            points = optimiser.ask()
            optimiser.tell(points, [float(f(x)) for x in points])
        else:
            points = [optimiser.ask() for _ in range(optimiser.population_size)]
            optimiser.tell([(x, float(f(x))) for x in points])
        best.append(min(points, key=f))
    return np.array(best)


def by_comparisons(algorithm, budget):
    steps = []
    Session(algorithm, X0, 0).run(FunctionOracle(f), budget, lambda result: steps.append(result.x))
    return np.array(steps)


@pytest.mark.parametrize("make", [make_cma, make_cmaes])
@pytest.mark.parametrize("sorting", ["merge-insertion", "bubble"])
def test_ranks_lead_where_values_lead(make, sorting):
    steps = by_comparisons(FromAskTell(make, sorting=sorting), 600)
    assert len(steps) >= 20
    assert np.array_equal(steps, by_values(make, len(steps)))


@pytest.mark.parametrize("make", [make_cma, make_cmaes])
def test_the_minimum_is_found_and_the_run_repeats(make):
    first, second = (minimize(FunctionOracle(f), X0, method=FromAskTell(make), budget=3000, rng=5) for _ in range(2))
    assert np.array_equal(first.x, second.x)
    assert f(first.x) - f(np.array([0.17, 0.23, 0.26, 0.27])) < 0.1
    assert first.ncmp <= 3000


def test_the_mean_may_be_recommended_and_a_rule_may_stop():
    algorithm = FromAskTell(make_cmaes, recommend=lambda es: es.mean, stop=lambda es: es.generation == 3)
    result = minimize(FunctionOracle(f), X0, method=algorithm, budget=3000, rng=0)
    assert (result.success, result.status) == (False, 4)  # three generations are no evidence of a minimum
    assert result.nit == 3


def test_what_cannot_ask_and_tell_is_refused():
    with pytest.raises(TypeError, match=r"make must be a function"):
        FromAskTell(3)
    with pytest.raises(TypeError, match=r"must return an optimiser with ask\(\)"):
        Session(FromAskTell(lambda x, rng: object()), X0, 0)
