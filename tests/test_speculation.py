"""Several questions in flight for methods that ask one after another: the same run, in fewer rounds."""

import pickle

import numpy as np
import pytest

from steelyard import FunctionOracle, Session, minimize, read_log
from steelyard.algorithms.speculative import Speculative, with_parallel
from steelyard.algorithms.stp import STP
from steelyard.dialogue import Capabilities, Compare, Evaluate, Step, capabilities_of
from steelyard.judges import PersistentOracle
from steelyard.registry import algorithm_names, make_algorithm

OWN_BATCHES = ("auto", "bayes-quadratic", "preference-gp")
START = np.array([1.0, -0.5, 2.0, 0.7, 0.2])


def f(x):
    return float(((x - 0.3) ** 2 * np.arange(1, 6)).sum())


def steps_and_rounds(method, oracle, steps=25, bounds=None):
    session = Session(method, START, 3, bounds=bounds)
    seen, rounds = [], 0
    session.watch(lambda queries, x: seen.append(x.copy()))
    while session.question is not None and len(seen) < steps and session.queries < 4000:
        session.feed(oracle.compare(session.question.a, session.question.b))
        rounds += 1
    return seen[:steps], rounds


@pytest.mark.parametrize("method", [name for name in algorithm_names() if name not in OWN_BATCHES])
def test_the_steps_are_those_of_the_method_alone(method):
    oracle = PersistentOracle(FunctionOracle(f, jnd=1e-3), 0.95)  # errs, ties, and answers a question always alike
    bounds = [(-3.0, 3.0)] * 5 if method == "spsa" else None
    count = 8 if method == "cma-es" else 25
    alone, rounds = steps_and_rounds(method, oracle, count, bounds)
    one_by_one = not capabilities_of(make_algorithm(method)).batches
    for parallel in (4, 16):
        steps, fewer = steps_and_rounds(f"{method},parallel={parallel}", oracle, count, bounds)
        np.testing.assert_array_equal(steps, alone)
        assert fewer < rounds
    assert fewer <= 0.5 * rounds or not one_by_one


def test_a_batch_is_as_large_as_wanted_and_no_larger():
    session = Session("stp,parallel=16", START, 0)
    oracle = FunctionOracle(f)
    for _ in range(20):
        assert len(session.question) <= 16
        session.feed(oracle.compare(session.question.a, session.question.b))
    assert session.queries > 200


@pytest.mark.parametrize("method", ["stp", "nelder-mead", "signopt", "cma-es"])
@pytest.mark.parametrize("budget", [7, 30, 61])
def test_the_budget_is_spent_to_the_last_comparison_and_the_run_can_go_on(tmp_path, method, budget):
    arguments = {"method": method, "parallel": 8, "rng": 0, "log": tmp_path / "a.jsonl"}
    first = minimize(FunctionOracle(f), START, budget=budget, **arguments)
    assert first.ncmp == budget
    second = minimize(FunctionOracle(f), START, budget=2 * budget, **arguments)
    assert second.ncmp == len(read_log(tmp_path / "a.jsonl")) == 2 * budget
    assert f(second.x) <= f(START)


def test_a_log_and_a_saved_session_know_how_many_were_in_flight(tmp_path):
    minimize(FunctionOracle(f), START, budget=20, method="stp,step=0.5", parallel=4, rng=0, log=tmp_path / "a.jsonl")
    header = read_log(tmp_path / "a.jsonl").runs[0].header
    assert (header["method"], header["options"]) == ("stp", {"step": 0.5, "parallel": 4})
    session = Session("stp,parallel=4", START, 0)
    session.answer(2, 1)
    session.save(tmp_path / "s.json")
    for other in (Session.load(tmp_path / "s.json"), pickle.loads(pickle.dumps(session))):
        assert other.unanswered == session.unanswered == [0, 1, 3]
    assert "Session of stp in 5 variables" in repr(session)


def test_methods_with_batches_of_their_own_are_asked_for_larger_ones():
    assert with_parallel(make_algorithm("bayes-quadratic"), 16).batch == 16
    assert with_parallel(make_algorithm("cqn"), 16).batch == 16
    assert with_parallel(Speculative(STP(), 4), 8) == Speculative(STP(), 8)
    assert with_parallel(STP(), 1) == STP()
    session = Session("bayes-quadratic,batch=16", START, 0)  # more than variables
    assert len(session.question) == 16
    assert session.algorithm.capabilities.batches


def test_values_are_passed_on_and_a_method_may_end():
    class Brief:
        """Two questions in a row, then values, then the end."""

        capabilities = Capabilities(sees_values=True)

        def run(self, x, rng):
            first = yield Compare(x[None], -x[None])
            second = yield Compare(x[None], first[0] * 2 * x[None])
            values = yield Evaluate(np.stack([x, -x]))
            yield Step(x * values[0])
            return f"{first[0]} {second[0]}"

    session = Session(Speculative(Brief(), 8), START, 0)
    assert len(session.question) == 3  # the first, and the second for either answer
    session.tell([1, -1, 1])
    session.tell([2.0, 0.0])
    np.testing.assert_array_equal(session.recommend(), 2.0 * START)
    assert session.reason == "1 -1"
