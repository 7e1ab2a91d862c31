"""A choice among several things: the message, its ranks, its reduction to pairs, the log."""

import json

import numpy as np
import pytest

from steelyard import Choose, FunctionOracle, LogisticOracle, Session, Step
from steelyard.bench.lockstep import run_together
from steelyard.noisy_oracles import MajorityOracle
from steelyard.oracles import choose
from steelyard.problems import lookup


def sphere(x):
    return (np.asarray(x) ** 2).sum(axis=-1)


class BestOfFour:
    """Goes to the best of four points about the last; remembers who said so."""

    def __init__(self, ranking=False):
        self.ranking, self.heard = ranking, []

    def run(self, x, rng):
        while True:
            question = Choose(x + 0.3 * rng.normal(size=(4, x.size)), self.ranking)
            ranks = yield question
            self.heard.append((ranks.tolist(), question.rater))
            x = question.points[int(np.argmin(ranks))]
            yield Step(x)


@pytest.mark.parametrize(("k", "best", "order"), [(2, 1, 1), (3, 2, 3), (4, 3, 5)])
def test_a_choice_counts_as_the_comparisons_it_replaces(k, best, order):
    points = np.zeros((k, 2))
    assert (len(Choose(points)), len(Choose(points, ranking=True))) == (best, order)


@pytest.mark.parametrize("ranking", [False, True])
@pytest.mark.parametrize("jnd", [0.0, 0.4])
def test_by_pairs_it_asks_no_more_than_it_counts_and_orders_by_value(ranking, jnd):
    rng = np.random.default_rng(0)
    for _ in range(50):
        oracle = MajorityOracle(FunctionOracle(sphere, vectorized=True, jnd=jnd), 1)
        question = Choose(rng.normal(size=(4, 2)), ranking)
        ranks = choose(oracle, question)
        assert oracle.asked <= len(question)
        values = sphere(question.points)
        if jnd == 0.0:
            expected = values.argsort().argsort() if ranking else (values > values.min()).astype(int)
            assert ranks.tolist() == expected.tolist()
        else:  # the best within what can be told is among the best
            assert values[ranks == 0].min() <= values.min() + jnd


def test_a_noisy_person_chooses_in_proportion():
    points = np.array([[0.0], [1.0], [2.0]])
    oracle = LogisticOracle(FunctionOracle(lambda x: x[:, 0], vectorized=True), 1.0, 0)
    chosen = np.array([oracle.choose(points, ranking=False) for _ in range(4000)])
    expected = np.exp([0.0, -1.0, -2.0])
    np.testing.assert_allclose((chosen == 0).mean(axis=0), expected / expected.sum(), atol=0.02)
    ranked = np.array([oracle.choose(points, ranking=True) for _ in range(4000)])
    pairs = np.array([oracle.compare(points[:1], points[2:]) for _ in range(4000)])
    assert (ranked[:, 0] < ranked[:, 2]).mean() == pytest.approx((pairs > 0).mean(), abs=0.03)


def test_just_noticeable_differences_tie_in_a_choice():
    oracle = LogisticOracle(FunctionOracle(lambda x: x[:, 0], vectorized=True), 1e-9, 0, jnd=0.1)
    assert oracle.choose(np.array([[0.05], [0.0], [1.0]]), ranking=True).tolist() == [0, 0, 1]


@pytest.mark.parametrize("ranking", [False, True])
def test_a_session_keeps_the_budget_and_its_log_is_json_that_replays(ranking):
    session = Session(BestOfFour(ranking), [1.0, 1.0], rng=3, bounds=[(-2, 2)] * 2)
    session.run(FunctionOracle(sphere, vectorized=True), 40)
    assert 40 - len(session.ask()) < session.queries <= 40
    assert sphere(session.x) < 0.5
    log = json.loads(json.dumps([entry.answers for entry in session.log]))
    assert {tuple(sorted(answers)) for answers in log} == {(0, 1, 2, 3) if ranking else (0, 1, 1, 1)}
    again = Session(BestOfFour(ranking), [1.0, 1.0], rng=3, bounds=[(-2, 2)] * 2)
    again.replay(session.log)
    np.testing.assert_array_equal(again.x, session.x)
    again.undo()
    assert again.queries == session.queries - len(session.ask())


def test_who_chose_is_noted():
    method = BestOfFour()
    session = Session(method, [1.0], rng=0)
    session.tell([1, 0, 1, 1], raters="anna")
    session.tell([0, 0, 0, 0])
    assert method.heard == [([1, 0, 1, 1], "anna"), ([0, 0, 0, 0], "")]
    assert session.ties == 1


@pytest.mark.parametrize(
    "ranks", [[0, 1, 1], [0, 2, 1, 1], [1, 1, 1, 1], [True, False, True, True], [0, 1, 2, 2], "best"]
)
def test_wrong_ranks_are_named(ranks):
    session = Session(BestOfFour(), [1.0], rng=0)
    with pytest.raises(ValueError, match="ranks must be 4 integers"):
        session.tell(ranks)
    with pytest.raises(TypeError, match=r"tell\(ranks\)"):
        session.answer(0, 1)


def test_the_benchmark_runs_methods_that_choose():
    (done,) = run_together(lookup.get("SparseQuadratic", n=20, k=2), BestOfFour(), [0], 60)
    assert done.status == "budget" and 57 < done.queries <= 60
