import numpy as np
import pytest
from scipy.special import expit

from steelyard.bench.oracle_spec import logistic_scale
from steelyard.bench.people.answerers import answerer
from steelyard.bench.people.utilities import KINDS, MARGIN, utility


@pytest.mark.parametrize("d", [2, 3, 5, 8])
def test_best_is_zero_and_the_median_one(d):
    points = np.random.default_rng(0).random((4000, d))
    for seed in range(12):
        person = utility(seed, d)
        assert person.f(person.optimum[None])[0] == pytest.approx(0.0, abs=1e-12)
        values = person.f(points)
        assert values.min() >= 0.0
        assert np.median(values) == pytest.approx(1.0, rel=0.1)


def test_instances_go_through_all_kinds_inside_and_at_the_edge():
    people = [utility(seed, 3) for seed in range(12)]
    assert [person.kind for person in people] == [*KINDS, *KINDS]
    assert [person.where for person in people] == ["inside"] * 6 + ["edge"] * 6
    for person in people:
        depth = np.minimum(person.optimum, 1 - person.optimum).min()
        assert depth >= MARGIN if person.where == "inside" else depth <= 0.1


def test_the_same_seed_gives_the_same_instance():
    x = np.random.default_rng(1).random((5, 5))
    np.testing.assert_array_equal(utility(7, 5).f(x), utility(7, 5).f(x))
    assert not np.allclose(utility(7, 5).f(x), utility(13, 5).f(x))


@pytest.mark.parametrize(("name", "right"), [("exact", 1.0), ("95", 0.95), ("85", 0.85)])
def test_answers_are_right_as_often_as_they_say(name, right):
    person = utility(3, 3)
    a, b = np.random.default_rng(2).random((2, 4000, 3))
    said = answerer(name, person, 0).compare(a, b)
    truth = np.sign(person.f(b) - person.f(a))
    assert (said == truth).mean() == pytest.approx(right, abs=0.015)


def test_ties_are_the_closest_pairs():
    person = utility(4, 3)
    a, b = np.random.default_rng(3).random((2, 4000, 3))
    said = answerer("ties", person, 0).compare(a, b)
    gaps = np.abs(person.f(b) - person.f(a))
    assert (said == 0).mean() == pytest.approx(0.15, abs=0.02)
    assert gaps[said == 0].max() <= gaps[said != 0].min()


def test_logistic_scale_solves_for_the_share_of_right_answers():
    gaps = np.array([0.1, 0.5, 2.0])
    assert expit(gaps / logistic_scale(gaps, 0.8)).mean() == pytest.approx(0.8, abs=1e-9)


def test_an_unknown_answerer_is_named():
    with pytest.raises(ValueError, match="exact, 95, 85, ties, got 'shy'"):
        answerer("shy", utility(0, 2), 0)
