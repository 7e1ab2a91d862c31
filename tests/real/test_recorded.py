"""Recorded answers: what they are, what people do in them, and as a judge."""

from itertools import combinations

import numpy as np
import pytest

from steelyard import best_of
from steelyard.bench.like_recorded import simulated_people
from steelyard.bench.oracle_spec import make_oracle
from steelyard.errors import BadValue
from steelyard.problems import get
from steelyard.real.choosing import Chooser
from steelyard.real.habits import habits
from steelyard.real.recorded import Recorded, recorded
from steelyard.real.replay import ReplayedChoices, shares
from steelyard.real.tasks import TASKS, missing


def ordered(people, items, flip=()):
    """Everybody prefers the lower number, but for the pairs in `flip`."""
    pairs = list(combinations(range(items), 2))
    i, j = np.array(pairs).T
    answer = np.array([-1 if pair in flip else 1 for pair in pairs], dtype=np.int8)
    names = tuple(map(str, range(items)))
    return Recorded(
        names, np.repeat(np.arange(people), len(i)), np.tile(i, people), np.tile(j, people), np.tile(answer, people)
    )


def test_circles_are_counted():
    assert habits(ordered(2, 4)).circles.value == 0.0
    circles = habits(ordered(2, 3, flip={(0, 2)})).circles
    assert (circles.count, circles.of) == (2, 2)


def test_ties_are_no_circles():
    answers = ordered(1, 3)
    tied = answers._replace(answer=np.array([1, 0, 1], dtype=np.int8))
    assert habits(tied).ties.count == 1
    assert habits(tied).circles.of == 0


def test_replayed_answers_find_the_best():
    answers = ordered(3, 5)
    replay = ReplayedChoices(answers, np.random.default_rng(0))
    assert replay(0, 4) == 1
    assert replay(4, 0) == -1
    assert np.argmax(shares(answers)) == 0
    assert best_of(range(5), replay, budget=60, rng=0).best == 0


def test_a_chooser_ties_as_often_as_its_threshold_says():
    chooser = Chooser(lambda x: np.zeros(len(x)), 0.7, np.random.default_rng(0))
    answers = chooser.compare(np.zeros((20_000, 1)), np.zeros((20_000, 1)))
    assert np.mean(answers == 0) == pytest.approx(np.tanh(0.35), abs=0.01)  # P[|logistic| <= .7]
    assert np.mean(answers) == pytest.approx(0.0, abs=0.02)


def test_simulated_people_in_the_design_of_recorded_ones():
    answers = simulated_people("typical,right=.85", people=20, items=4)
    assert len(answers.answer) == 20 * 6
    assert habits(answers).ties.count == 0


@pytest.mark.parametrize(
    ("judge", "ties", "circles"),
    [("chooser,right=.9,tied=.11", 0.11, 0.014), ("chooser,right=.75,tied=.23", 0.23, 0.10)],
)
def test_calibrated_judges_tie_and_contradict_themselves_as_people_do(judge, ties, circles):
    """Students about universities (11 % ties, 1.4 % circles); tasters and listeners (23 % ties, 10 % circles)."""
    found = habits(simulated_people(judge, people=150, seed=7))
    assert found.ties.value == pytest.approx(ties, abs=0.03)
    assert found.circles.interval[0] - 0.02 < circles < found.circles.interval[1] + 0.02


def test_a_chooser_takes_what_is_not_a_number_for_the_worst():
    problem = get("Person?d=2")
    oracle, _ = make_oracle("chooser,right=.9", lambda x: x[:, 0] * np.nan, np.random.SeedSequence(0), problem)
    assert oracle.compare(np.zeros((3, 2)), np.ones((3, 2))).dtype == np.int8
    some, _ = make_oracle(
        "chooser,right=.9", lambda x: np.where(x[:, 0] > 0, np.nan, 0.0), np.random.SeedSequence(0), problem
    )
    assert (some.compare(np.zeros((5, 2)), np.ones((5, 2))) == 1).all()


def test_unknown_answers_are_refused():
    with pytest.raises(BadValue, match="must be one of universities"):
        recorded("horses")


@pytest.mark.skipif(bool(missing("dessert")), reason=missing("dessert"))
def test_the_recorded_answers_are_those_of_their_sources():
    universities = recorded("universities")
    assert len(universities.answer) == 4454
    ties, circles = habits(universities)
    assert round(ties.value, 3) == 0.109
    assert circles.value < 0.02
    dessert = recorded("dessert")
    assert (len(dessert.answer), int(np.sum(dessert.answer == 0))) == (885, 198)
    assert len(recorded("sound-fields").answer) == 560
    assert universities.items[int(np.argmax(shares(universities)))] == "London"


@pytest.mark.skipif(bool(missing("tariff")), reason=missing("tariff"))
def test_households_dislike_what_costs():
    from steelyard.real.tariff import ATTRIBUTES, fitted_tastes

    tastes = fitted_tastes()
    assert tastes.shape == (361, len(ATTRIBUTES))
    assert (tastes[:, 0] < 0).mean() > 0.9  # the price
    assert (tastes[:, 4:] < 0).mean() > 0.9  # rates that change


def test_every_task_says_what_it_needs():
    assert all(entry.needs and entry.about for entry in TASKS.values())
