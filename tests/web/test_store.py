"""The store: the same promises in SQLite and in PostgreSQL."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from steelyard.studies.events import Event, Lease, Rater
from steelyard.studies.store import Behind, DuplicateEvent, Store, open_store

from .conftest import BOTH_STORES

pytestmark = BOTH_STORES
Opener = Callable[[], Store]


@pytest.fixture
def open_again(place: Callable[[str], str]) -> Iterator[Opener]:
    """Opens the same database once more, as another process would."""
    stores: list[Store] = []

    def open_one() -> Store:
        stores.append(open_store(place("store.db")))
        return stores[-1]

    yield open_one
    for store in stores:
        store.close()


@pytest.fixture
def store(open_again: Opener) -> Store:
    return open_again()


@pytest.fixture
def rater(store: Store) -> Rater:
    return store.add_rater("Ada", 7, shared=False)


def answer(rater: Rater, number: int, value: int = 1) -> Event:
    return Event(rater.run, rater.id, "answer", f"{number}-0-0-00000000", value)


def test_an_event_is_taken_once_and_read_as_written(store: Store, rater: Rater, open_again: Opener) -> None:
    event = Event(rater.run, rater.id, "answer", "0-0-0-x", -1, True, False, '{"a": [0.1]}', 12.5)
    stored = store.append(event)
    with pytest.raises(DuplicateEvent):
        open_again().append(event)
    assert open_again().events(rater.run) == [stored]
    assert (stored.flipped, stored.skipped, stored.at) == (True, False, 12.5)
    assert store.events(rater.run, after=stored.id) == []


def test_an_event_after_another_one_than_the_last_is_refused(store: Store, rater: Rater, open_again: Opener) -> None:
    first = store.append(answer(rater, 0), after=0)
    with pytest.raises(Behind):
        open_again().append(answer(rater, 1), after=0)
    second = open_again().append(answer(rater, 1), after=first.id)
    assert [event.id for event in store.events(rater.run)] == [first.id, second.id]


@pytest.mark.parametrize("what", ["events", "acts"])
def test_nothing_is_seen_behind_a_larger_number(store: Store, open_again: Opener, what: str) -> None:
    """Whoever has read up to a number misses nothing that comes later."""
    people = [store.add_rater(name, 0, shared=True) for name in "ABCDEF"]
    stop = threading.Event()
    seen: list[int] = []

    def read(own: Store, after: int) -> list[int]:
        some = own.acts(after) if what == "acts" else own.events(people[0].run, after)
        return [one.id for one in some]

    def watch(own: Store) -> None:
        over = False
        while not over:
            over = stop.is_set()
            seen.extend(read(own, seen[-1] if seen else 0))

    watcher = threading.Thread(target=watch, args=(open_again(),))
    watcher.start()

    def write(one: tuple[Store, Rater]) -> None:
        own, person = one
        for number in range(20):
            if what == "acts":
                own.act("rename", person.id, str(number))
            else:
                own.append(answer(person, number))

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(write, [(open_again(), person) for person in people]))
    stop.set()
    watcher.join()
    assert seen == read(store, 0)
    assert len(seen) == 120


def test_people_who_come_at_once_get_different_seeds_and_one_shared_run(store: Store, open_again: Opener) -> None:
    stores = [open_again() for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        own = list(pool.map(lambda one: one.add_rater("x", 100, False), stores))
    assert sorted(store.seed_of(rater.run) for rater in own) == [100, 101, 102, 103]
    with ThreadPoolExecutor(4) as pool:
        assert len({rater.run for rater in pool.map(lambda one: one.add_rater("y", 100, True), stores)}) == 1


def test_a_question_is_handed_out_once(store: Store, open_again: Opener) -> None:
    people = [store.add_rater(name, 0, shared=True) for name in "ABCDEF"]

    def first_free(leases: list[Lease]) -> str | None:
        taken = {lease.question for lease in leases}
        return next((question for question in ("p", "q", "r", "s") if question not in taken), None)

    def take(one: tuple[Store, Rater]) -> str | None:
        return one[0].hand_out(one[1].run, one[1].id, 60.0, first_free)

    with ThreadPoolExecutor(6) as pool:
        given = list(pool.map(take, [(open_again(), person) for person in people]))
    assert sorted(filter(None, given)) == ["p", "q", "r", "s"]
    seen: list[Lease] = []
    store.hand_out(people[0].run, people[0].id, -1.0, lambda leases: seen.extend(leases))
    assert len(seen) == 6  # who waits is known as well
    store.hand_out(people[0].run, people[0].id, 60.0, lambda leases: seen.extend(leases))
    assert len(seen) == 11  # what has run out is not


def test_the_first_thought_stands_and_old_ones_are_forgotten(store: Store, rater: Rater, open_again: Opener) -> None:
    assert store.thought(rater.run, "a") is None
    assert store.keep_thought(rater.run, "a", 0, b"one\0", keep=2) == b"one\0"
    assert open_again().keep_thought(rater.run, "a", 0, b"two", keep=2) == b"one\0"
    store.keep_thought(rater.run, "b", 2, b"b", keep=2)
    assert store.thoughts(rater.run) == ["b", "a"]
    store.keep_thought(rater.run, "c", 3, b"c", keep=2)
    assert store.thoughts(rater.run) == ["c", "b"]
    assert open_again().thought(rater.run, "c") == b"c"


def test_a_failed_write_changes_nothing(store: Store, rater: Rater) -> None:
    def work(execute: Callable[..., object]) -> None:
        execute("insert into meta values (?, ?)", "half", "done")
        raise ZeroDivisionError

    for durable in (True, False):
        with pytest.raises(ZeroDivisionError):
            store.database.write(work, durable=durable)
    assert store.meta("half", "not there") == "not there"


def test_tokens_are_stored_hashed(store: Store, rater: Rater, open_again: Opener) -> None:
    token = store.add_token("rater", rater.id)
    assert (open_again().token(token) or ())[:2] == ("rater", rater.id)
    assert open_again().token(token + "x") is None
    assert token not in str(store.database.read("select * from tokens"))
    assert store.secret() == open_again().secret()


def test_acts_are_kept_in_order(store: Store, rater: Rater, open_again: Opener) -> None:
    store.act("pause")
    last = store.act("rename", rater.id, "Grace")
    acts = open_again().acts()
    assert [(act.kind, act.rater, act.detail) for act in acts] == [("pause", None, ""), ("rename", rater.id, "Grace")]
    assert store.acts(last.id) == []


def test_the_log_of_all_runs(store: Store, rater: Rater) -> None:
    other = store.add_rater("Ben", 7, shared=False)
    first = store.append(answer(rater, 0))
    second = store.append(answer(other, 0))
    assert store.all_events() == [first, second]
    assert store.all_events(first.id) == [second]
