import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard import Compare, FunctionOracle, ReplayError, Session, Step, minimize
from steelyard.algorithms.gld import GLD
from steelyard.algorithms.stp import STP
from steelyard.checks import check_budget
from steelyard.dialogue import GaveUp, Indistinct, Unproven
from steelyard.registry import make_algorithm


def sphere(x):
    return (np.asarray(x) ** 2).sum(axis=-1)


class Pairs:
    """Asks batches of three questions about fixed points and remembers the answers; stops after four batches."""

    def run(self, x, rng):
        self.got = []
        for _ in range(4):
            points = x + rng.normal(size=(3, x.size))
            answers = yield Compare(np.broadcast_to(x, points.shape), points)
            self.got.append(answers.tolist())
            x = points[int(np.argmin(answers))]
            yield Step(x)
        return "four batches are enough"


def answered(session, count, f=sphere):
    for _ in range(count):
        q = session.ask()
        session.tell(np.sign(f(q.b) - f(q.a)))
    return session


def test_ask_gives_the_same_question_until_it_is_told():
    session = Session(STP(), np.ones(3), rng=1)
    assert session.ask() is session.ask() is session.question
    before = session.ask()
    session.tell([1])
    assert session.ask() is not before
    assert session.queries == 1


def test_replay_of_the_log_gives_the_same_run_bit_for_bit():
    session = answered(Session(GLD(), np.ones(4), rng=3), 50)
    again = Session(GLD(), np.ones(4), rng=3)
    again.replay(session.log)
    np.testing.assert_array_equal(again.x, session.x)
    np.testing.assert_array_equal(again.ask().a, session.ask().a)
    assert (again.queries, again.steps, again.ties) == (session.queries, session.steps, session.ties)


@pytest.mark.parametrize("other", [Session(STP(), np.ones(3), rng=8), Session(STP(step=0.2), np.ones(3), rng=7)])
def test_replay_into_another_run_fails_at_the_first_question(other):
    session = answered(Session(STP(), np.ones(3), rng=7), 4)
    with pytest.raises(ReplayError, match="batch 0 of the log answers another question"):
        other.replay(session.log)


def test_replay_of_too_long_a_log_says_so():
    session = Session(Pairs(), np.ones(2), rng=0)
    answered(session, 4)
    longer = Session(Pairs(), np.ones(2), rng=0)
    with pytest.raises(ReplayError, match="more answers than this run asks for"):
        longer.replay((*session.log, session.log[-1]))


@given(st.integers(1, 12), st.integers(0, 12))
def test_undo_takes_back_exactly_the_last_answers(count, undone):
    undone = min(count, undone)
    session = answered(Session(STP(), np.ones(3), rng=2), count)
    for _ in range(undone):
        session.undo()
    fresh = answered(Session(STP(), np.ones(3), rng=2), count - undone)
    np.testing.assert_array_equal(session.ask().b, fresh.ask().b)
    np.testing.assert_array_equal(session.x, fresh.x)
    assert session.queries == fresh.queries


def test_rows_may_be_answered_one_by_one_in_any_order():
    whole = Session(Pairs(), np.zeros(2), rng=0)
    whole.tell([1, -1, 0])
    for order in ([0, 1, 2], [2, 0, 1]):
        single = Session(Pairs(), np.zeros(2), rng=0)
        for row in order:
            assert row in single.unanswered
            single.answer(row, [1, -1, 0][row])
        np.testing.assert_array_equal(single.ask().b, whole.ask().b)
        assert single.queries == 3


def test_undo_of_single_answers_reopens_a_finished_batch():
    session = Session(Pairs(), np.zeros(2), rng=0)
    first = session.ask()
    for row in (2, 0, 1):
        session.answer(row, 1)
    session.undo()
    np.testing.assert_array_equal(session.ask().b, first.b)
    assert session.unanswered == [1]
    session.undo()
    assert session.unanswered == [0, 1]
    with pytest.raises(ValueError, match="now come one by one"):
        session.tell([1, 1, 1])


def test_an_algorithm_that_stops_gives_its_reason():
    algorithm = Pairs()
    result = Session(algorithm, np.ones(2), rng=0).run(FunctionOracle(sphere), 100)
    assert (result.success, result.status, result.message) == (True, 0, "four batches are enough")
    assert (result.ncmp, result.nit, len(algorithm.got)) == (12, 4, 4)
    session = Session(Pairs(), np.ones(2), rng=0)
    answered(session, 4)
    assert session.question is None
    with pytest.raises(RuntimeError, match="stopped by itself: four batches"):
        session.ask()


@pytest.mark.parametrize("budget", [1, 2, 3, 10, 11, 12])
def test_budget_is_never_exceeded_not_even_inside_a_batch(budget):
    asked = 0

    class Counting(FunctionOracle):
        def compare(self, a, b):
            nonlocal asked
            asked += len(a)
            return super().compare(a, b)

    result = minimize(Counting(sphere), np.ones(2), method=Pairs(), budget=budget, rng=0)
    assert result.ncmp == asked == min(12, budget)


@pytest.mark.parametrize(
    ("reason", "status"), [("done", 0), (GaveUp("none"), 3), (Unproven("ties"), 4), (Indistinct("near"), 5)]
)
def test_a_reason_says_what_it_proves(reason, status):
    class Stops:
        def run(self, x, rng):
            yield Compare(x[None], x[None])
            return reason

    result = Session(Stops(), np.ones(2)).run(FunctionOracle(sphere), 100)
    assert (result.status, result.success, result.message) == (status, status == 0, str(reason))


def test_callback_sees_every_step_and_may_stop_the_run():
    seen = []

    def callback(intermediate_result):
        seen.append((intermediate_result.ncmp, intermediate_result.x))
        if len(seen) == 5:
            raise StopIteration

    result = minimize(FunctionOracle(sphere), np.ones(3), method="stp", budget=100, rng=0, callback=callback)
    assert (result.status, result.success, result.message) == (2, False, "the callback stopped the run")
    assert [ncmp for ncmp, _ in seen] == [2, 4, 6, 8, 10]
    np.testing.assert_array_equal(seen[-1][1], result.x)


def test_an_error_in_the_callback_is_passed_on_and_the_run_can_go_on():
    session = Session(STP(), np.ones(3), rng=0)

    def failing(_):
        raise KeyError("disk")

    with pytest.raises(KeyError, match="disk"):
        session.run(FunctionOracle(sphere), 50, failing)
    result = session.run(FunctionOracle(sphere), 50)
    np.testing.assert_array_equal(
        result.x, minimize(FunctionOracle(sphere), np.ones(3), method="stp", budget=50, rng=0).x
    )


def test_bounds_hold_for_every_question_and_the_recommendation():
    low, high = np.array([-1.0, 0.5]), np.array([2.0, 0.75])

    class Watching(FunctionOracle):
        def compare(self, a, b):
            for side in (a, b):
                assert (side >= low).all()
                assert (side <= high).all()
            return super().compare(a, b)

    bounds = list(zip(low, high, strict=True))
    result = minimize(
        Watching(sphere), [1.5, 0.6], method="stp", budget=400, rng=0, bounds=bounds, options={"step": 1.0}
    )
    assert 0.25 <= sphere(result.x) < 0.26  # the start has 2.61, the best of the box 0.25


def test_arguments_are_never_changed_and_results_are_fresh():
    x0 = np.ones(3)
    session = Session(STP(), x0, rng=0)
    session.recommend()[:] = np.nan
    answered(session, 3)
    np.testing.assert_array_equal(x0, 1)
    assert np.isfinite(session.x).all()


def test_seeds_and_generators():
    def run(rng):
        return minimize(FunctionOracle(sphere), np.ones(3), method="stp", budget=20, rng=rng).x

    np.testing.assert_array_equal(run(4), run(4))
    np.testing.assert_array_equal(run(np.random.default_rng(4)), run(np.random.default_rng(4)))
    generator = np.random.default_rng(4)
    assert not np.array_equal(run(generator), run(generator))
    assert not np.array_equal(run(None), run(None))


def test_a_prefer_function_is_all_that_is_needed():
    result = minimize(lambda x, y: sphere(x) < sphere(y), [3.0, -2.0], method="stp", budget=300, rng=0)
    assert sphere(result.x) < 1e-3
    assert (result.ncmp, result.status, result.success) == (300, 1, False)
    assert "nfev" not in result


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"budget": 0}, "budget must be at least 1, got 0"),
        ({"budget": 2.5}, "budget must be an integer"),
        ({"budget": float("nan")}, "budget must be an integer"),
        ({"budget": "many"}, "budget must be an integer"),
        ({"x0": []}, "x0 must be a vector with at least one entry"),
        ({"x0": [[1.0]]}, "x0 must be a vector"),
        ({"x0": [1.0, np.nan]}, "x0 must be finite, got nan for variable 1"),
        ({"x0": "abc"}, "x0 must be a vector of numbers"),
        ({"rng": -1}, "rng must be an integer of at least 0"),
        ({"rng": "seed"}, "rng must be"),
        ({"method": "stq"}, r"method must be one of .*stp.*got 'stq'; did you mean 'stp'"),
        ({"method": STP}, "method must be a name or an algorithm object"),
        ({"method": STP(), "options": {"step": 1}}, "options are for a method given by name"),
        ({"options": {"stepp": 1}}, "options of stp must be among step, .* got 'stepp'"),
        ({"options": {"step": -1}}, "step must be a positive number, got -1"),
        ({"options": {"preset": "papr"}}, "preset of stp must be one of paper, .* got 'papr'"),
        ({"bounds": [(2, 3), (0, 1)]}, r"x0 must lie within bounds, got 1 outside \[2, 3\] for variable 0"),
        ({"oracle": 7}, "oracle must have compare"),
    ],
)
def test_bad_input_is_named(arguments, message):
    call = {"oracle": FunctionOracle(sphere), "x0": [1.0, 1.0], "method": "stp", "budget": 10, **arguments}
    oracle, x0 = call.pop("oracle"), call.pop("x0")
    with pytest.raises((ValueError, TypeError), match=message):
        minimize(oracle, x0, **call)


@pytest.mark.parametrize(
    ("answers", "message"), [([2], "answer must be"), ([1, 1], "one value for each row"), ([True], "answer must be")]
)
def test_bad_answers_are_refused_and_lose_nothing(answers, message):
    session = Session(STP(), np.ones(2), rng=0)
    question = session.ask()
    with pytest.raises(ValueError, match=message):
        session.tell(answers)
    assert session.ask() is question
    assert session.queries == 0


def test_row_answers_are_checked():
    session = Session(Pairs(), np.ones(2), rng=0)
    session.answer(1, 0)
    with pytest.raises(ValueError, match="row 1 of the open question has been answered already"):
        session.answer(1, 1)
    with pytest.raises(ValueError, match="row must be from 0 to 2, got 3"):
        session.answer(3, 1)


def test_a_session_without_a_log_says_so():
    session = Session(STP(), np.ones(2), rng=0, log=False)
    with pytest.raises(RuntimeError, match="keeps no log"):
        session.undo()
    fresh = Session(STP(), np.ones(2), rng=0)
    with pytest.raises(ValueError, match="nothing to undo"):
        fresh.undo()


def test_a_method_for_few_variables_in_a_box_says_so():
    with pytest.raises(ValueError, match=r"x0 must have at most \d+ entries for PreferenceGP, got 1000"):
        Session(make_algorithm("preference-gp"), np.zeros(1000), bounds=[(-1, 1)] * 1000)
    with pytest.raises(ValueError, match="bounds must be finite on both sides of every variable for PreferenceGP"):
        Session(make_algorithm("preference-gp"), np.zeros(2), bounds=[(-1, 1), (0, None)])


def test_budget_accepts_1e4():
    assert check_budget(1e4) == 10_000
