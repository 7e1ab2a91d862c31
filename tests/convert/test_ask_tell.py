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


def make_nevergrad(name):
    nevergrad = pytest.importorskip("nevergrad")

    def make(x, rng):
        space = nevergrad.p.Array(init=x)
        space.random_state = np.random.RandomState(int(rng.integers(2**31)))
        return nevergrad.optimizers.registry[name](space, budget=300)

    return make


def make_pymoo(x, rng):
    from pymoo.algorithms.soo.nonconvex.de import DE
    from pymoo.core.problem import Problem

    box = Problem(n_var=x.size, n_obj=1, xl=x - 3.0, xu=x + 3.0)
    return DE(pop_size=8).setup(box, seed=int(rng.integers(2**31)), verbose=False)


def distinct(steps):
    """Without the steps on which the best point stayed where it was."""
    return np.array([x for k, x in enumerate(steps) if k == 0 or not np.array_equal(x, steps[k - 1])])


@pytest.mark.parametrize("name", ["OnePlusOne", "DE"])
def test_nevergrad_is_asked_one_and_told_one_and_goes_where_values_lead(name):
    make = make_nevergrad(name)
    steps = by_comparisons(FromAskTell(make), 900)
    optimiser, best, lowest = make(X0.copy(), np.random.default_rng(0)), [], np.inf
    for _ in range(len(steps) + 1):  # the first candidate costs nothing, and is there before the run begins
        candidate = optimiser.ask()
        value = float(f(candidate.value))
        optimiser.tell(candidate, value)
        if value < lowest:
            lowest = value
            best.append(candidate.value.copy())
    assert len(steps) > 100
    found = distinct(steps)
    assert len(found) >= len(best) - 1 and np.array_equal(found, np.array(best)[-len(found) :])


def test_pymoo_is_asked_and_told_populations_and_goes_where_values_lead():
    pytest.importorskip("pymoo")
    from pymoo.core.evaluator import Evaluator
    from pymoo.problems.static import StaticProblem

    steps = by_comparisons(FromAskTell(make_pymoo), 900)
    optimiser, best, lowest = make_pymoo(X0.copy(), np.random.default_rng(0)), [], np.inf
    for _ in range(len(steps)):
        population = optimiser.ask()
        values = f(population.get("X"))
        Evaluator().eval(StaticProblem(optimiser.problem, F=values[:, None]), population)
        optimiser.tell(infills=population)
        if values.min() < lowest:
            lowest = values.min()
            best.append(population.get("X")[values.argmin()].copy())
    assert len(steps) >= 15
    assert np.array_equal(distinct(steps), np.array(best))


def test_dxnesic_runs_where_it_runs_by_itself():
    def make(x, rng):
        return cmaes.DXNESIC(mean=x, sigma=0.3, seed=int(rng.integers(2**31)))

    alone = make(X0.copy(), np.random.default_rng(0))
    try:
        alone.tell([(alone.ask(), float(k)) for k in range(alone.population_size)])
    except TypeError as error:
        pytest.skip(f"cmaes' DXNESIC fails by itself with this NumPy: {error}")
    result = minimize(FunctionOracle(f), X0, method=FromAskTell(make), budget=3000, rng=5)
    assert f(result.x) - f(np.array([0.17, 0.23, 0.26, 0.27])) < 0.1


def test_an_optimiser_that_remembers_is_told_places_in_one_order():
    class Memory:
        """Two points at a time; keeps the best value ever told."""

        def __init__(self, x):
            self.x, self.told = x, {}

        def ask(self):
            k = len(self.told)
            return [self.x + 0.5**k, self.x - 0.5**k]

        def tell(self, points, values):
            self.told.update((tuple(p), v) for p, v in zip(points, values, strict=True))

    kept = []

    def make(x, rng):
        kept.append(Memory(x))
        return kept[0]

    algorithm = FromAskTell(make, remembers=True, stop=lambda memory: len(memory.told) >= 10)
    minimize(FunctionOracle(f), X0, method=algorithm, budget=3000, rng=0)
    told = kept[0].told
    assert sorted(told, key=told.get) == sorted(told, key=lambda x: f(np.array(x)))


def test_what_gives_out_something_else_is_refused():
    class Strange:
        def ask(self):
            return "a point"

        def tell(self, *told):
            pass

    with pytest.raises(TypeError, match=r"Strange.ask\(\) must give a population of points"):
        Session(FromAskTell(lambda x, rng: Strange()), X0, 0)
