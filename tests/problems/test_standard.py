import numpy as np
import pytest
from scipy.optimize import minimize

from steelyard.errors import BadValue
from steelyard.problems import lookup
from steelyard.problems.standard import DEPTH, NAMES, instance


@pytest.mark.parametrize("seed", range(2 * len(NAMES)))
def test_best_is_zero_at_the_optimum_and_the_median_one(seed):
    person = instance(seed)
    assert person.kind == NAMES[seed % len(NAMES)]
    assert (np.minimum(person.optimum, 1 - person.optimum) >= DEPTH).all()
    assert person.f(person.optimum[None])[0] == pytest.approx(0.0, abs=1e-9)
    points = np.random.default_rng(0).random((4000, person.optimum.size))
    values = person.f(points)
    assert values.min() >= 0.0 and np.median(values) == pytest.approx(1.0, rel=0.15)
    # Nothing near the optimum is better: the minimisers copied from the literature are those of these formulas.
    found = minimize(lambda x: person.f(x[None])[0], person.optimum, method="Nelder-Mead", options={"maxiter": 200})
    assert np.abs(found.x - person.optimum).max() < 1e-3


def test_instances_are_shifted_scaled_and_reproducible():
    first, again, other = instance(2), instance(2), instance(2 + len(NAMES))
    x = np.random.default_rng(1).random((5, 6))
    np.testing.assert_array_equal(first.f(x), again.f(x))
    assert not np.allclose(first.optimum, other.optimum) and not np.allclose(first.f(x), other.f(x))


@pytest.mark.parametrize(("name", "wells"), [("branin", 2), ("camel", 2)])
def test_some_have_several_wells(name, wells):
    person = instance(NAMES.index(name))
    starts = np.random.default_rng(2).random((30, person.optimum.size))
    ends = [
        minimize(lambda x: person.f(x[None])[0], s, bounds=[(0, 1)] * person.optimum.size).x.round(2) for s in starts
    ]
    assert len({tuple(end) for end in ends}) >= wells


def test_they_are_problems_of_plans_in_a_box():
    made = lookup.get("Standard", seed=2)
    assert made.n == 6 and made.f_best == 0.0 and made.bounds is not None
    assert made.f(made.x0) == instance(2).f(np.full((1, 6), 0.5))[0]


def test_one_function_can_be_asked_for_whatever_the_seed():
    rosenbrock = 1 + NAMES.index("rosenbrock")
    made = lookup.get("Standard", seed=3, function=rosenbrock)
    assert made.n == 4
    x = np.full((1, 4), 0.3)
    assert made.values(x)[0] == instance(3, "rosenbrock").f(x)[0]
    turn = NAMES.index("rosenbrock")  # its own turn is the same person
    assert lookup.get("Standard", seed=turn).values(x)[0] == instance(turn, "rosenbrock").f(x)[0]
    with pytest.raises(BadValue, match="function"):
        lookup.get("Standard", function=13)
