import numpy as np
import pytest

from steelyard import FunctionOracle
from steelyard.judges import BiasedOracle, LapsingOracle, PersistentOracle, PersonOracle


def pairs(count=4000, n=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((count, n)), rng.standard_normal((count, n))


def sphere(x):
    return (x**2).sum(axis=-1)


def exact():
    return FunctionOracle(sphere, vectorized=True)


def test_persistent_errors_are_the_same_again_and_in_either_order():
    a, b = pairs()
    judge = PersistentOracle(exact(), 0.75, seed=3)
    answers = judge.compare(a, b)
    assert np.array_equal(judge.compare(a, b), answers) and np.array_equal(judge.compare(b, a), -answers)
    right = np.mean(answers == exact().compare(a, b))
    assert abs(right - 0.75) < 0.025
    other = PersistentOracle(exact(), 0.75, seed=4).compare(a, b)
    assert 0.2 < np.mean(other != answers) < 0.55
    assert np.array_equal([judge.compare(a[i : i + 1], b[i : i + 1])[0] for i in range(50)], answers[:50])


def test_a_biased_judge_favours_the_first():
    a, b = pairs()
    judge = BiasedOracle(exact(), 0.3, 0)
    truth = exact().compare(a, b)
    answers = judge.compare(a, b)
    assert (answers[truth == 1] == 1).all() and abs(np.mean(answers[truth == -1] == 1) - 0.3) < 0.03


def test_lapses_are_tosses_of_a_coin():
    a, b = pairs()
    truth = exact().compare(a, b)
    answers = LapsingOracle(exact(), 0.2, 0).compare(a, b)
    for side in (-1, 1):
        assert abs(np.mean(answers[truth == side] == -side) - 0.1) < 0.025


def test_a_person_is_all_of_these():
    a, b = pairs(20_000)
    person = PersonOracle(sphere, 0.5, 0, jnd=0.1, bias=0.1, lapse=0.05)
    answers = person.compare(a, b)
    difference = sphere(b) - sphere(a)
    assert np.mean(answers[np.abs(difference) <= 0.1] == 0) > 0.82
    clear = np.abs(difference) > 4.0
    assert abs(np.mean(answers[clear & (difference > 0)] == 1) - 0.977) < 0.02
    assert abs(np.mean(answers[clear & (difference < 0)] == 1) - 0.12) < 0.03
    assert person.nfev == 40_000


@pytest.mark.parametrize(("make", "name"), [(PersistentOracle, "p"), (BiasedOracle, "bias"), (LapsingOracle, "lapse")])
def test_wrong_probabilities_are_named(make, name):
    with pytest.raises(ValueError, match=f"{name} must be"):
        make(exact(), 1.5)
