"""Few threads compute at a moment, whoever waits lets others, and an answer asks little of the database."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from steelyard.studies.open_study import OpenStudy
from steelyard.studies.store import Store
from steelyard.studies.turns import PatientLock, Turns, away
from steelyard.web.in_turn import OneByOne
from steelyard.web.server import open_file

from .conftest import BOTH_STORES, client_of, headers, make_study
from .postgres_server import PostgresServer

Opener = Callable[..., OpenStudy]
PATIENCE = 30.0


def test_no_more_threads_have_a_turn_than_there_are() -> None:
    turns, inside, most = Turns(2), 0, 0
    count = threading.Lock()
    both = threading.Barrier(2)  # only two at once get past it, and eight do in the end

    def work() -> None:
        nonlocal inside, most
        with count:
            inside += 1
            most = max(most, inside)
        both.wait(PATIENCE)
        with count:
            inside -= 1

    for future in [turns.call(work) for _ in range(8)]:
        future.result(PATIENCE)
    assert most == 2


def test_what_waits_for_a_turn_has_no_thread() -> None:
    turns, go = Turns(1), threading.Event()
    threads: set[int] = set()

    def work() -> None:
        threads.add(threading.get_ident())
        go.wait(PATIENCE)

    before = threading.active_count()
    futures = [turns.call(work) for _ in range(50)]
    assert threading.active_count() <= before + 1
    go.set()
    for future in futures:
        future.result(PATIENCE)
    assert len(threads) == 1


def test_errors_reach_whoever_asked_and_end_no_thread() -> None:
    turns = Turns(1)
    with pytest.raises(ZeroDivisionError):
        turns.call(lambda: 1 / 0).result(PATIENCE)
    assert turns.call(lambda: "still there").result(PATIENCE) == "still there"


def test_whoever_waits_gives_the_turn_away() -> None:
    turns, thought = Turns(1), threading.Event()

    def waits() -> bool:
        with away():
            return thought.wait(PATIENCE)

    waiting = turns.call(waits)
    turns.call(thought.set).result(PATIENCE)
    assert waiting.result(PATIENCE)


def test_whoever_comes_back_is_served_before_new_work() -> None:
    turns, order = Turns(1), list[str]()
    back, go = threading.Event(), threading.Event()

    def first() -> None:
        with away():
            back.wait(PATIENCE)
        order.append("came back")

    def second() -> None:
        back.set()  # the first wants its turn again
        while not turns._back and not go.is_set():
            go.wait(0.001)
        order.append("second")

    def third() -> None:
        order.append("third")

    for future in [turns.call(first), turns.call(second), turns.call(third)]:
        future.result(PATIENCE)
    assert order == ["second", "came back", "third"]


def test_more_wait_than_there_may_be_threads() -> None:
    turns, thought = Turns(1, most_threads=3), threading.Event()

    def waits() -> bool:
        with away():
            return thought.wait(PATIENCE)

    futures = [turns.call(waits) for _ in range(9)]
    thought.set()
    assert all(future.result(PATIENCE) for future in futures)


def test_whoever_waits_for_a_lock_does_not_keep_its_owner_waiting() -> None:
    turns, lock = Turns(1), PatientLock()
    has_lock, has_turn = threading.Event(), threading.Event()

    def owner() -> bool:
        with lock:
            with lock, away():  # taken twice; then it thinks, and comes back only with a turn
                has_lock.set()
                assert has_turn.wait(PATIENCE)
            return True

    def other() -> bool:
        assert has_lock.wait(PATIENCE)
        has_turn.set()
        with lock:
            return True

    assert all(future.result(PATIENCE) for future in [turns.call(owner), turns.call(other)])


def recorder() -> tuple[list[str], Any]:
    """An application that notes which path is asked for, and its notes."""
    begun: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        begun.append(scope["path"])

    return begun, app


def test_a_style_sheet_does_not_wait_for_a_burst_of_pages() -> None:
    begun, app = recorder()

    async def burst() -> None:
        web = OneByOne(app)
        paths = [*(f"/s/{number}" for number in range(5)), "/static/style.css"]
        await asyncio.gather(*(web({"type": "http", "path": path}, None, None) for path in paths))  # type: ignore[arg-type]

    asyncio.run(burst())
    assert begun == ["/static/style.css", *(f"/s/{number}" for number in range(5))]


def test_who_gives_up_does_not_keep_others_from_beginning() -> None:
    begun, app = recorder()

    async def leave() -> None:
        web = OneByOne(app)
        tasks = [asyncio.create_task(web({"type": "http", "path": path}, None, None)) for path in "abc"]  # type: ignore[arg-type]
        await asyncio.sleep(0)
        tasks[0].cancel()
        await asyncio.wait(tasks, timeout=PATIENCE)

    asyncio.run(leave())
    assert begun == ["b", "c"]


def test_event_loops_do_not_wait_for_each_other() -> None:
    begun, app = recorder()

    web = OneByOne(app)

    async def ask(path: str) -> None:
        await web({"type": "http", "path": path}, None, None)  # type: ignore[arg-type]

    async def ask_while_another_loop_does() -> None:
        mine = asyncio.create_task(ask("mine"))
        await asyncio.sleep(0)  # it waits to begin
        other = threading.Thread(target=lambda: asyncio.run(asyncio.wait_for(ask("other"), 5.0)))
        other.start()
        other.join()  # which holds this loop up
        await mine

    asyncio.run(ask_while_another_loop_does())
    assert begun == ["other", "mine"]


@BOTH_STORES
def test_an_answer_asks_the_database_twice(open_small: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = open_small()
    web, own = client_of(opened), headers(opened.add_rater("Ada")[1])
    state = web.get("/api/v1/question", headers=own).json()
    asked: list[str] = []
    database = type(opened.store.database)
    read, write = database.read, database.write

    def counted_read(self, sql, *values):  # type: ignore[no-untyped-def]
        asked.append(sql)
        return read(self, sql, *values)

    def counted_write(self, work, **how):  # type: ignore[no-untyped-def]
        asked.append("write")
        return write(self, work, **how)

    monkeypatch.setattr(database, "read", counted_read)
    monkeypatch.setattr(database, "write", counted_write)
    for number in range(3):
        asked.clear()
        state = web.post(
            "/api/v1/answer", json={"question": state["question"]["id"], "choice": "left"}, headers=own
        ).json()
        assert state["progress"]["answers"] == number + 1
        assert asked.count("write") == 1
        assert len(asked) <= 2, asked  # what the organiser has done, and the answer itself


@pytest.mark.parametrize("slow", ["acts", "seed_of"])
def test_nobody_waits_for_what_another_reads(open_small: Opener, monkeypatch: pytest.MonkeyPatch, slow: str) -> None:
    """What the organiser has done, and the seed of a run: each is read by every request, or by every new run."""
    opened = open_small()
    tokens = [opened.add_rater(name)[1] for name in "AB"]
    read, begun, go = getattr(Store, slow), threading.Event(), threading.Event()

    def read_slowly(self: Store, number: int = 0) -> object:
        if not begun.is_set():  # the first one's database takes its time
            begun.set()
            assert go.wait(PATIENCE)
        return read(self, number)

    monkeypatch.setattr(Store, slow, read_slowly)

    def ask(token: str) -> str:
        return str(opened.state(opened.rater(token, "here"))["status"])

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(ask, tokens[0])
        assert begun.wait(PATIENCE)
        second = pool.submit(ask, tokens[1])
        try:
            assert second.result(PATIENCE) == "asking"
        finally:
            go.set()
        assert first.result(PATIENCE) == "asking"


@BOTH_STORES
def test_who_decides_by_what_it_knows_finds_out_that_others_have_gone_on(open_small: Opener) -> None:
    one, other = open_small(), open_small()
    rater, _ = one.add_rater("Ada")
    first = one.runs.question(rater)
    assert first is not None
    assert other.runs.question(rater) is not None
    assert one.answer(rater, first.id, "left")
    second = one.runs.question(rater)
    assert second is not None
    assert not other.answer(rater, first.id, "right")  # sent again, to another process that does not know it yet
    assert other.answer(rater, second.id, "right")  # of which the other process has not heard either
    assert one.runs.undo(rater, second.id)
    assert one.run_state(rater).decisions[-1].value == other.run_state(rater).decisions[-1].value
    assert [event.kind for event in one.store.events(rater.run)] == ["answer", "answer", "undo"]


def test_nobody_hangs_while_the_database_is_away(
    own_postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = open_file(make_study(tmp_path), f"{own_postgres.url}#away", ahead=False)
    web = client_of(opened)
    people = [headers(opened.add_rater(f"rater {number}")[1]) for number in range(8)]
    assert all(web.get("/api/v1/question", headers=own).status_code == 200 for own in people)
    monkeypatch.setattr("steelyard.studies.postgres.DATABASE_AWAY", 0.5)
    own_postgres.kill()
    with ThreadPoolExecutor(8) as pool:  # more than there are turns
        codes = list(pool.map(lambda own: web.get("/api/v1/question", headers=own).status_code, people))
    assert codes == [503] * 8
    monkeypatch.setattr("steelyard.studies.postgres.DATABASE_AWAY", 60.0)
    own_postgres.start()
    assert web.get("/api/v1/question", headers=people[0]).status_code == 200
    opened.close()
