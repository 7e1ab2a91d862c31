"""A batch that does not fit into the budget: cut where the method can go on with a part of it, else asked in part."""

import numpy as np
import pytest

from steelyard import Compare, FunctionOracle, Session, Step, minimize
from steelyard.algorithms.preference_gp import PreferenceGP
from steelyard.bench.lockstep import algorithm_seed, run_together
from steelyard.problems import get
from steelyard.registry import make_algorithm


def sphere(x):
    return (np.asarray(x) ** 2).sum(axis=-1)


class Batches:
    """Asks batches of ten rows, which may be cut, and then two rows that may not; keeps its messages."""

    def __init__(self, reserve):
        self.reserve = reserve

    def run(self, x, rng):
        self.messages, self.got = [], []
        while True:
            for rows, reserve in ((10, self.reserve), (2, None)):
                question = Compare(x + rng.normal(size=(rows, x.size)), np.broadcast_to(x, (rows, x.size)), reserve)
                self.messages.append(question)
                self.got.append((yield question).tolist())
            yield Step(x - 1.0)


def always(sign):
    class Always:
        asked = 0

        def compare(self, a, b):
            self.asked += len(a)
            return np.full(len(a), sign, dtype=np.int8)

    return Always()


@pytest.mark.parametrize("bounds", [None, [(-5, 5)] * 3])
def test_a_batch_is_cut_so_that_its_reserve_is_left(bounds):
    method, oracle = Batches(reserve=2), always(1)
    result = Session(method, np.zeros(3), 0, bounds=bounds).run(oracle, 12 + 9)
    assert [m.cut_to for m in method.messages[:4]] == [None, None, 7, None]
    assert method.got[2] == [1] * 7 + [0] * 3 and method.got[3] == [1, 1]
    assert oracle.asked == result.ncmp == 21 and result.nties == 0
    assert result.nit == 2  # the step that the cut batch led to was made


def test_a_batch_that_may_not_be_cut_waits_for_its_other_rows():
    method, oracle = Batches(reserve=None), always(-1)
    session = Session(method, np.zeros(3), 0)
    assert session.run(oracle, 19).ncmp == oracle.asked == 19
    assert session.unanswered == [7, 8, 9] and session.queries == 12 and len(method.got) == 2
    whole = Session(Batches(reserve=None), np.zeros(3), 0)
    whole.run(always(-1), 30)
    assert session.run(oracle, 30).ncmp == oracle.asked == 30
    assert [entry.answers for entry in session.log] == [entry.answers for entry in whole.log]


def test_less_than_the_reserve_is_asked_and_waits():
    method = Batches(reserve=5)
    session = Session(method, np.zeros(3), 0)
    session.run(always(1), 12 + 5)
    assert len(method.got) == 2 and session.unanswered == [5, 6, 7, 8, 9]


def test_a_cut_batch_is_undone_and_replayed():
    def begin():
        return Session(Batches(reserve=2), np.zeros(3), 0)

    session = begin()
    session.run(always(1), 21)
    again = begin()
    again.replay(session.log)
    assert again.log == session.log and np.array_equal(again.ask().a, session.ask().a)
    session.undo()
    session.undo()
    assert session.queries == 12 and len(session.ask()) == 10  # whole again


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("cqn", {}),
        ("cqn", {"start_line": False}),
        ("scobo", {}),
        ("signopt", {}),
        ("pattern-search", {"poll": "complete"}),
    ],
)
@pytest.mark.parametrize("budget", [20, 60, 100, 130])
def test_a_budget_below_one_batch_of_a_hundred_leads_somewhere(method, options, budget):
    oracle, x0 = FunctionOracle(sphere), np.linspace(0.5, 1.5, 100)
    result = minimize(oracle, x0, method=method, options=options, budget=budget, rng=0)
    assert result.ncmp == budget
    assert sphere(result.x) < sphere(x0)


def test_a_fixed_step_is_not_taken_on_a_part_of_its_answers():
    def run(budget):
        options = {"preset": "published-toy"}
        return minimize(FunctionOracle(sphere), np.ones(40), method="scobo", options=options, budget=budget, rng=0)

    assert run(190).ncmp == 190 and np.array_equal(run(190).x, run(100).x)


def test_a_batch_for_raters_that_is_cut_teaches_what_was_answered():
    steps = []
    session = Session(PreferenceGP(particles=8, batch=4), [0.2, 0.2], 0, bounds=[(0, 1)] * 2)
    result = session.run(FunctionOracle(lambda x: sphere(x - [0.7, 0.63])), 6, lambda step: steps.append(step.ncmp))
    assert result.ncmp == 6 and result.nties == 0
    assert [len(entry.answers) for entry in session.log] == [4, 2] and steps == [4, 6]


@pytest.mark.parametrize("spec", ["cqn", "scobo", "cma-es", "gld"])
def test_together_as_alone_at_the_end_of_a_budget(spec):
    problem = get("QING?N=20")
    for budget in (30, 47, 91):
        for run in run_together(problem, make_algorithm(spec), [0, 1], budget):
            session = Session(make_algorithm(spec), problem.x0, algorithm_seed(run.seed))
            alone = session.run(FunctionOracle(problem.f), budget)
            assert run.queries == alone.ncmp == budget and run.ties == alone.nties and np.array_equal(run.x, alone.x)
