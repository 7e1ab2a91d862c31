"""Thinking in processes: the same thoughts, nobody waits for the others', and a death costs little."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError

import numpy as np
import pytest

from steelyard.dialogue import Past
from steelyard.studies.open_study import OpenStudy
from steelyard.studies.position import Position
from steelyard.studies.thinking import ATTEMPTS, Found, ThinkingPool, ThinkingTask, ThoughtFailed, think

from .conftest import make_study

Opener = Callable[..., OpenStudy]
NOTHING = Past(np.empty((0, 2)), np.empty((0, 2)), np.empty(0, dtype=np.int8))


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThinkingPool]:
    made = ThinkingPool(make_study(tmp_path_factory.mktemp("study"), method="preference-gp", options={}))
    yield made
    made.close()


def test_a_process_thinks_what_we_would_think(pool: ThinkingPool) -> None:
    task = ThinkingTask("questions", 7, NOTHING)
    thought, ours = pool.submit(task).result(60.0), think(pool.study, task)
    assert isinstance(thought, Found)
    assert isinstance(ours, Found)
    np.testing.assert_array_equal(thought.a, ours.a)
    np.testing.assert_array_equal(thought.memory["thetas"], ours.memory["thetas"])
    more = pool.submit(ThinkingTask("questions", 7, NOTHING, wanted=3)).result(60.0)
    assert isinstance(more, Found)
    assert len(more.a) == 3


def test_a_process_that_is_killed_is_replaced_and_its_thought_begun_again(pool: ThinkingPool) -> None:
    pool.submit(ThinkingTask("questions", 7, NOTHING)).result(60.0)
    restarts = pool.counts.restarts
    waiting = [pool.submit(ThinkingTask("questions", seed, NOTHING)) for seed in range(4)]
    for pid in pool.pids:
        os.kill(pid, signal.SIGKILL)
    assert all(isinstance(future.result(60.0), Found) for future in waiting)
    assert pool.counts.restarts > restarts


def test_a_thought_that_fails_says_why(pool: ThinkingPool) -> None:
    wrong = Past(np.zeros((1, 3)), np.zeros((1, 3)), np.ones(1, dtype=np.int8))  # the study has two parameters
    with pytest.raises(ThoughtFailed, match="Error"):
        pool.submit(ThinkingTask("questions", 7, wrong)).result(60.0)
    assert ATTEMPTS > 1


def test_what_nobody_wants_any_more_is_not_thought(pool: ThinkingPool) -> None:
    with pytest.raises(CancelledError):
        pool.submit(ThinkingTask("questions", 7, NOTHING), wanted=lambda: False).result(60.0)


def test_a_position_can_be_written_and_read() -> None:
    rng = np.random.default_rng(0)
    memory = {"heard": np.array(3), "sites": rng.random((2, 0, 2)), "a": np.asfortranarray(rng.random((3, 2)))}
    position = Position(
        3, rng.random((2, 4)), rng.random((2, 4)), ((3, 0, "ab"), (1, 1, "cd")), rng.random(4), "done", True, memory
    )
    again = Position.unpack(position.pack())
    assert (again.decided, again.places, again.reason, again.models) == (3, position.places, "done", True)
    for name, array in memory.items():
        np.testing.assert_array_equal(again.memory[name], array)
        assert again.memory[name].shape == array.shape
    np.testing.assert_array_equal(again.b, position.b)


def test_a_study_thinks_ahead_in_processes(open_small: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steelyard.studies.thinking.LOWEST_PRIORITY", 0)  # others may want the processors for long
    opened = open_small(ahead=True, method="preference-gp", options={})
    rater, _ = opened.add_rater("Ada")
    for _ in range(2):
        asked = opened.runs.question(rater)
        assert asked is not None
        live = opened.runs.live(rater.run)
        until = time.monotonic() + 60.0
        while len(live.ahead) < 2 or live.state.certain_at < len(live.state.decisions):
            assert time.monotonic() < until
            time.sleep(0.01)
        assert opened.runs.answer(rater, asked.id, "left")
        assert live.state.certainty is not None
    plain = open_small("plain.db", method="preference-gp", options={})
    other, _ = plain.add_rater("Ada")
    for _ in range(2):
        asked = plain.runs.question(other)
        assert asked is not None
        plain.runs.answer(other, asked.id, "left")
    np.testing.assert_array_equal(plain.run_state(other).best, opened.run_state(rater).best)
