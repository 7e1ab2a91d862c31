from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from judging import SPACE, Counting, fault, nicer

from steelyard import Parameter, Session, Space, minimize
from steelyard.registry import algorithm_names

METHODS = [name for name in algorithm_names() if name != "preference-gp"]


@pytest.mark.parametrize("method", METHODS)
def test_levels_and_categories_are_real_steps_in_every_method(method):
    """No question is about the same setting twice, and integers and categories end where they should."""
    ends = []
    for seed in range(3):

        def judge(s, t):
            assert s != t
            return nicer(s, t)

        result = minimize(judge, SPACE, budget=150, rng=seed, method=method)
        assert result.ncmp <= 150
        ends.append(fault(result.settings))
    assert np.median(ends) < (1.0 if method == "cma-es" else 0.3)


def test_the_method_for_people_knows_levels_itself():
    session = Session("preference-gp", SPACE, 0)
    assert session.algorithm.levels == SPACE.levels
    assert session.algorithm.categorical == SPACE.categorical
    result = minimize(nicer, SPACE, budget=20, rng=0, method="preference-gp,particles=4")
    assert fault(result.settings) < fault({"voices": 4, "cutoff": 632, "wave": "square"})


def test_only_categories():
    space = Space(tuple(Parameter(f"p{i}", categories=("a", "b", "c")) for i in range(4)))

    def wrong(setting):
        return sum(setting[f"p{i}"] != "c" for i in range(4))

    for method in ("stp", "cqn", "one-plus-one"):
        result = minimize(lambda s, t: int(np.sign(wrong(t) - wrong(s))), space, budget=60, rng=0, method=method)
        assert wrong(result.settings) == 0


def test_categories_may_be_any_hashable_values():
    shapes = ((3, 4), None, 2.5, frozenset({1}))
    space = Space((Parameter("shape", categories=shapes, start=None), Parameter("x", -1, 1)))
    assert space.values(space.unit({"shape": frozenset({1}), "x": 0.5})) == {"shape": frozenset({1}), "x": 0.5}
    result = minimize(lambda s, t: (s["shape"] == 2.5) - (t["shape"] == 2.5), space, budget=30, rng=0, method="stp")
    assert result.settings["shape"] == 2.5


def test_settings_as_a_dataclass_or_a_named_tuple():
    @dataclass(frozen=True)
    class Sound:
        voices: int
        cutoff: float
        wave: str

    class Tone(NamedTuple):
        voices: int
        cutoff: float
        wave: str

    for kind in (Sound, Tone):

        def judge(s, t, kind=kind):
            assert isinstance(s, kind)
            return nicer(*({"voices": x.voices, "cutoff": x.cutoff, "wave": x.wave} for x in (s, t)))

        result = minimize(judge, SPACE, budget=60, rng=0, method="stp", settings=kind)
        assert isinstance(result.settings, kind)
        assert result.settings.wave == "square"


def test_the_run_is_the_same_when_it_is_replayed():
    session = Session("stp", SPACE, 3)
    for _ in range(60):
        question = session.ask()
        session.tell([nicer(SPACE.values(a), SPACE.values(b)) for a, b in zip(question.a, question.b, strict=True)])
    again = Session("stp", SPACE, 3)
    again.replay(session.log)
    np.testing.assert_array_equal(again.recommend(), session.recommend())
    np.testing.assert_array_equal(again.ask().b, session.ask().b)
    np.testing.assert_array_equal(SPACE.snap(session.recommend()), session.recommend())


# --- constraints, and candidates that nobody may see


def sphere(x, y):
    return int(np.sign(y @ y - x @ x))


@pytest.mark.parametrize("method", ["stp", "cqn", "gld", "one-plus-one", "pattern-search"])
def test_a_candidate_that_violates_a_constraint_is_never_asked_about(method):
    def judge(x, y):
        assert x.sum() >= 1.0 and y.sum() >= 1.0
        return sphere(x, y)

    counting = Counting(judge)
    result = minimize(counting, [2.0, 1.5], budget=150, rng=0, method=method, constraints=lambda x: 1.0 - x.sum())
    assert counting.calls == result.ncmp <= 150
    assert result.nfree > 0
    assert result.acceptable
    assert result.x.sum() >= 1.0
    # The best is .5 and the start has 6.25. An edge that is not along the axes stops methods that search along them.
    assert result.x @ result.x < (1.1 if method in ("cqn", "pattern-search") else 0.62)


def test_from_outside_the_less_violating_side_wins():
    result = minimize(sphere, [-3.0, -2.0], budget=60, rng=0, method="stp", constraints=[lambda x: 1.0 - x.sum()])
    assert result.acceptable
    assert result.x.sum() >= 1.0


def test_constraints_that_nothing_meets_end_the_run():
    result = minimize(sphere, [1.0, 1.0], budget=5, rng=0, method="stp", constraints=lambda x: 1.0 + x @ x)
    assert (result.status, result.acceptable, result.ncmp) == (12, False, 0)


def test_neither_is_acceptable():
    def judge(x, y):
        good = [v[0] >= 0.0 for v in (x, y)]
        if not any(good):
            return "neither"
        return sphere(x, y) if all(good) else (1 if good[0] else -1)

    result = minimize(judge, [-0.5, 1.0], budget=120, rng=0, method="stp")
    assert result.nneither > 0
    assert result.x[0] >= 0.0
    assert result.x @ result.x < 0.05
