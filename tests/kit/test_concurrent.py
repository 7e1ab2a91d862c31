import asyncio
import threading
import time

import numpy as np
import pytest
from judging import Counting, Faulty, badness, late, prefer, prefer_async

from steelyard import Concurrent, Session, Shuffled, Verdict, minimize, minimize_async
from steelyard.kit.verdict import Pair, never

START = np.ones(3)


def run(judge, **more):
    return minimize(judge, START, **{"budget": 120, "rng": 0, "method": "scobo", **more})


def test_async_threads_and_plain_give_the_same_run():
    plain = run(prefer)
    for judge in (prefer_async, Concurrent(prefer, 8), Concurrent(prefer_async, 8)):
        result = run(judge)
        np.testing.assert_array_equal(result.x, plain.x)
        assert (result.ncmp, result.nties, result.nit) == (plain.ncmp, plain.nties, plain.nit)


@pytest.mark.parametrize("seed", range(3))
def test_the_order_in_which_answers_arrive_does_not_matter(seed):
    np.testing.assert_array_equal(run(late(seed), budget=80).x, run(prefer, budget=80).x)


def test_session_run_takes_async_judges_too():
    result = Session("scobo", START, 0).run(prefer_async, 120)
    np.testing.assert_array_equal(result.x, Session("scobo", START, 0).run(prefer, 120).x)


def test_inside_an_event_loop_the_judge_runs_in_that_loop():
    async def main():
        here = asyncio.get_running_loop()
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        async def judge(x, y):
            assert asyncio.get_running_loop() is here
            return prefer(x, y)

        ticking = asyncio.create_task(tick())
        result = await minimize_async(judge, START, budget=60, rng=0, method="scobo")
        ticking.cancel()
        assert ticks > 10
        return result

    np.testing.assert_array_equal(asyncio.run(main()).x, run(prefer, budget=60).x)


def test_minimize_works_where_a_loop_is_running_already():
    """As in a notebook."""

    async def main():
        return run(prefer_async)

    np.testing.assert_array_equal(asyncio.run(main()).x, run(prefer).x)


def test_rows_of_a_batch_are_asked_at_once_but_never_more_than_workers():
    lock, now, most = threading.Lock(), 0, 0

    def judge(x, y):
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.005)
        with lock:
            now -= 1
        return prefer(x, y)

    pairs = [Pair(START, START * k) for k in range(20)]
    replies = list(Concurrent(judge, 4).stream(pairs, never))
    assert sorted(reply.row for reply in replies) == list(range(20))
    assert most == 4


def test_faults_are_retried_and_do_not_change_the_run():
    judge = Concurrent(Faulty(), 8, timeout=0.05, retries=5, backoff=0.001)
    result = run(judge, budget=60)
    np.testing.assert_array_equal(result.x, run(prefer, budget=60).x)
    assert judge.failures > 10
    assert result.calls == judge.calls == 60 + judge.failures


def test_a_question_that_keeps_failing_raises_or_ties():
    def away(x, y):
        raise ConnectionError("away")

    with pytest.raises(ConnectionError, match="away") as caught:
        run(Concurrent(away, retries=1, backoff=0.0))
    assert caught.value.result.ncmp == 0
    result = run(Concurrent(away, retries=0, failed="tie"), budget=20)
    assert result.nties == result.ncmp == 20


def test_a_hanging_judge_is_named():
    def hangs(x, y):
        time.sleep(1.0)

    with pytest.raises(TimeoutError, match=r"did not answer within 0\.01 s"):
        run(Concurrent(hangs, timeout=0.01, retries=0))


def test_what_was_answered_before_a_failure_is_kept_and_the_session_goes_on():
    judge = Counting(fail_at={10})
    session = Session("scobo", START, 0)
    concurrent = Concurrent(judge, 4, retries=0)
    with pytest.raises(ConnectionError):
        session.run(concurrent, 60)
    assert session.spent >= 9
    result = session.run(concurrent, 60)
    assert judge.calls == 61
    np.testing.assert_array_equal(result.x, run(prefer, budget=60, shuffle=False).x)


@pytest.mark.parametrize("limit", [{"max_calls": 30}, {"cost": 0.5, "max_cost": 15}])
def test_limits_end_the_run_in_good_order_and_are_never_exceeded(limit):
    judge = Counting()
    result = run(Concurrent(judge, 8, **limit))
    assert judge.calls == result.ncmp == 30
    assert (result.status, result.success) == (11, False)
    assert "limit" in result.message


def test_a_verdict_says_its_own_cost():
    result = run(Concurrent(lambda x, y: Verdict(prefer(x, y), cost=0.25), cost=1.0), budget=20)
    assert result.cost == pytest.approx(5.0)


def test_the_rate_is_kept():
    started = time.perf_counter()
    run(Concurrent(prefer, 8, rate=200.0), budget=20)
    assert time.perf_counter() - started >= 0.09


def test_a_wrapper_inside_concurrent_is_refused_with_the_right_order():
    with pytest.raises(TypeError, match=r"write Shuffled\(Concurrent\(prefer\)\)"):
        Concurrent(Shuffled(prefer))


def test_time_limit():
    def slow(x, y):
        time.sleep(0.01)
        return prefer(x, y)

    result = run(slow, time_limit=0.1)
    assert result.status == 10
    assert 2 <= result.ncmp < 60


def test_result_improves():
    assert badness(run(Concurrent(prefer)).x) < 0.2 * badness(START)
