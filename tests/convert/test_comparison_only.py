import numpy as np
import pytest
from scipy.optimize import differential_evolution

from steelyard import registry
from steelyard.algorithms.cma_es import CMAES
from steelyard.algorithms.rsgf import RSGF
from steelyard.algorithms.stp import STP
from steelyard.convert import is_comparison_only, scipy_method
from steelyard.dialogue import capabilities_of


def evolution(f, x0, seed):
    # tol=0: the method's own stopping rule looks at values
    return differential_evolution(f, [(-2.0, 2.0)] * x0.size, rng=seed, polish=False, tol=0.0)


@pytest.mark.parametrize(
    "method",
    [name for name in registry.algorithm_names() if not capabilities_of(registry.algorithm_class(name)).unit_box],
)
def test_every_method_of_ours_is_comparison_only(method):
    thinks_long = method in ("auto", "bayes-quadratic")  # a regression for every answer
    assert is_comparison_only(method, budget=300 if thinks_long else None)


@pytest.mark.parametrize("method", [STP(form="value"), CMAES(form="value"), evolution])
def test_zeroth_order_methods_that_only_compare_pass(method):
    verdict = is_comparison_only(method)
    assert verdict
    assert str(verdict).startswith("comparison only")


def test_scipys_nelder_mead_passes_without_its_tolerance_on_values():
    assert is_comparison_only(scipy_method("Nelder-Mead", fatol=np.inf, xatol=1e-10))


@pytest.mark.parametrize(
    ("method", "at_most"), [(RSGF(), 2), (scipy_method("Powell"), 10), (scipy_method("COBYQA"), 30)]
)
def test_methods_that_use_values_fail_and_the_first_differing_point_is_named(method, at_most):
    verdict = is_comparison_only(method)
    assert not verdict
    assert verdict.iterate is not None and 1 <= verdict.iterate <= at_most
    assert not np.array_equal(verdict.x, verdict.x_transformed)
    assert f"from trial point {verdict.iterate} on, runs on f and on {verdict.transform} differ" in str(verdict)


def test_stopping_by_values_is_noticed():
    def stops_when_low(f, x0, seed):
        for t in np.linspace(1.0, 0.0, 20):
            if f(t * x0) < 1.0:
                return

    verdict = is_comparison_only(stops_when_low, lambda x: float(x @ x) + 0.1)
    assert not verdict
    assert (verdict.x is None) != (verdict.x_transformed is None)
    assert "ended" in str(verdict)
    assert verdict.evidence == "an earlier end" and "a stopping rule looks at values" in str(verdict)


def test_a_transform_that_loses_order_by_rounding_says_nothing():
    def nearly_flat(x):
        return 1.0 + 1e-15 * float(x @ x)

    flat = {"rounded": lambda v: float(np.float32(v))}
    with pytest.raises(ValueError, match="lost it to rounding"):
        is_comparison_only(scipy_method("Nelder-Mead"), nearly_flat, transforms=flat)


def test_a_method_that_ignores_its_seed_is_refused():
    unseeded = np.random.default_rng(0)
    with pytest.raises(ValueError, match="must make the same run again with the same seed"):
        is_comparison_only(lambda f, x0, seed: [f(x0 + unseeded.standard_normal(x0.size)) for _ in range(5)])


def test_what_is_no_method_is_refused():
    with pytest.raises(TypeError, match="method must be an algorithm, its name or a function"):
        is_comparison_only(3)


@pytest.mark.parametrize(
    ("method", "scaled", "words"),
    [(RSGF(), True, "the size of values matters"), (scipy_method("Powell"), False, "ratios of differences matter")],
)
def test_a_no_says_what_it_rests_on(method, scaled, words):
    verdict = is_comparison_only(method)
    assert verdict.evidence == "another point" and words in str(verdict)
    assert ("8 f" in verdict.transforms) == scaled and verdict.transform in verdict.transforms


def test_a_library_that_cuts_large_values_off_is_not_taken_for_one_that_uses_them():
    def climbs_away(f, x0, seed):
        """Keeps the lower of two candidates, and cuts values off as nevergrad does."""
        rng, best, lowest = np.random.default_rng(seed), x0, min(f(x0), 5e20)
        for k in range(300):
            x = best + (60.0 * rng.standard_normal(x0.size) if k % 7 == 0 else 0.1 * rng.standard_normal(x0.size))
            value = min(f(x), 5e20)
            if value < lowest or (value == lowest and rng.random() < 0.5):
                best, lowest = x, value

    far = np.full(4, 900.0)
    assert is_comparison_only(climbs_away, x0=far)


def test_nevergrads_differential_evolution_passes():
    nevergrad = pytest.importorskip("nevergrad")

    def evolve(f, x0, seed):
        space = nevergrad.p.Array(init=x0)
        space.random_state = np.random.RandomState(seed)
        nevergrad.optimizers.registry["DE"](space, budget=400).minimize(lambda x: f(x))

    assert is_comparison_only(evolve, budget=400)


def test_our_own_function_is_tried_longer_than_a_given_one():
    def slow_to_show(f, x0, seed):
        for k in range(1000):
            value = f(x0 + 1e-3 * k)
        return value

    def late(f, x0, seed):
        for k in range(600):
            f(x0 + 1e-3 * k)
        f(x0 + f(x0))

    assert is_comparison_only(slow_to_show)
    assert not is_comparison_only(late)
    assert is_comparison_only(late, lambda x: float(x @ x))  # cut off after 300
