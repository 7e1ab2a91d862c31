"""The answer log: nothing is ever changed in it, only added; and next to it what servers share while people answer.

An event counts once: its key (run, rater, kind, question) is unique, so a request that is sent again is recognised even
by another process. Within a run events are numbered in the order of their commits, so that "everything after number k"
leaves nothing out. Tokens are kept as SHA-256 only; they are random, so no salt is needed.
"""

import hashlib
import secrets
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from steelyard.errors import BadValue
from steelyard.studies.database import Database, Execute
from steelyard.studies.events import Act, ActKind, Event, Lease, Rater, Role
from steelyard.studies.postgres import PostgresDatabase
from steelyard.studies.sqlite import SQLiteDatabase

Key = TypeVar("Key")
Known = TypeVar("Known")

MOST_REMEMBERED = 20_000
"""How many links and how many people are known without asking the database."""

THE_ACTS = 0
"""What is locked, in place of a run, to number acts."""

_SCHEMA = """
create table if not exists meta (name text primary key, value text not null);
create table if not exists runs (id {id}, seed {integer} not null, created {real} not null);
create table if not exists raters (
    id {id}, name text not null, run {integer} not null references runs, created {real} not null);
create table if not exists tokens (
    hash text primary key, role text not null, rater {integer} references raters, created {real} not null);
create table if not exists events (
    id {id}, run {integer} not null references runs, rater {integer} not null,
    kind text not null, question text not null, value {integer} not null, flipped {integer} not null,
    skipped {integer} not null, points text not null, at {real} not null,
    unique (run, rater, kind, question));
create index if not exists events_of_run on events (run, id);
create table if not exists acts (
    id {id}, kind text not null, rater {integer} references raters, detail text not null, at {real} not null);
create table if not exists leases (
    run {integer} not null, question text not null, rater {integer} not null, until {real} not null,
    primary key (run, question, rater));
create table if not exists thoughts (
    run {integer} not null, name text not null, decided {integer} not null, body {blob} not null, at {real} not null,
    primary key (run, name));
"""

LASTING_TABLES = ("meta", "runs", "raters", "tokens", "events", "acts")
"""The tables that are the study; all others can be worked out anew."""

_WHOSE = """
select tokens.role, tokens.rater, tokens.created, raters.name, raters.run, raters.created, runs.seed
from tokens left join raters on raters.id = tokens.rater left join runs on runs.id = raters.run where hash = ?
"""
_COLUMNS = "run, rater, kind, question, value, flipped, skipped, points, at"  # the fields of Event, but its number


class DuplicateEvent(Exception):
    """The event is in the log already."""


class Behind(Exception):
    """The log of the run has gone on since: catch up, and see whether the event still makes sense."""


class Store:
    """The log of one study in a database. Methods may be called from any thread; what is written is committed when
    they return."""

    def __init__(self, database: Database) -> None:
        self.database = database
        database.create(_SCHEMA)
        # What never changes is asked for once.
        self._tokens: dict[str, tuple[Role, int | None, float]] = {}
        self._raters: dict[int, Rater] = {}
        self._seeds: dict[int, int] = {}

    @property
    def name(self) -> str:
        """Where the answers are kept, without passwords."""
        return self.database.name

    def problem(self) -> str:
        """Why nothing can be written now, in words; empty if all is well. Answers at once."""
        return self.database.problem()

    def close(self) -> None:
        self.database.close()

    # --- the study

    def bind(self, identity: str) -> None:
        """Tie the database to a study; refuse one that would read its log otherwise than it was written."""
        if self.meta("identity", identity) != identity:
            raise BadValue(
                f"{Path(self.name).name} holds answers to other parameters, method, seed or raters: these must not "
                "change once people have answered; choose another database with --data"
            )

    def meta(self, name: str, default: str) -> str:
        """A named text, set to `default` the first time."""
        rows = self.database.read("select value from meta where name = ?", name)
        if not rows:
            self._execute("insert into meta values (?, ?) on conflict do nothing", name, default)
            rows = self.database.read("select value from meta where name = ?", name)
        return str(rows[0][0])

    def set_meta(self, name: str, value: str) -> None:
        """Change a named text."""
        self._execute(
            "insert into meta values (?, ?) on conflict (name) do update set value = excluded.value", name, value
        )

    def _execute(self, sql: str, *values: object) -> None:
        self.database.write(lambda execute: execute(sql, *values))

    def secret(self) -> bytes:
        """A random key of this database, for what must not be guessed but need not be stored."""
        return bytes.fromhex(self.meta("secret", secrets.token_hex(32)))

    # --- runs, raters, tokens

    def add_rater(self, name: str, seed: int, shared: bool) -> Rater:
        """A new rater with a run of their own, or in the one shared run."""
        now = time.time()
        self.meta("raters", "")

        def work(execute: Execute) -> Rater:
            execute(f"select value from meta where name = 'raters'{self.database.for_update}")
            run = execute("select min(id) from runs")[0][0] if shared else None
            if run is None:
                count = execute("select count(*) from runs")[0][0]
                run = execute("insert into runs (seed, created) values (?, ?) returning id", seed + count, now)[0][0]
            made = execute("insert into raters (name, run, created) values (?, ?, ?) returning id", name, run, now)
            return Rater(int(made[0][0]), name, int(run), now)

        return self.database.write(work)

    def raters(self) -> list[Rater]:
        return [Rater(*row) for row in self.database.read("select id, name, run, created from raters order by id")]

    def rater_count(self) -> int:
        """How many raters there are."""
        return int(self.database.read("select count(*) from raters")[0][0])

    def rater(self, rater: int) -> Rater:
        known = self._raters.get(rater)
        if known is None:
            rows = self.database.read("select id, name, run, created from raters where id = ?", rater)
            known = _remember(self._raters, rater, Rater(*rows[0]))
        return known

    def seed_of(self, run: int) -> int:
        known = self._seeds.get(run)
        if known is None:
            rows = self.database.read("select seed from runs where id = ?", run)
            known = _remember(self._seeds, run, int(rows[0][0]))
        return known

    def add_token(self, role: Role, rater: int | None = None, token: str | None = None) -> str:
        """A fresh unguessable token (256 bits), returned once and stored hashed."""
        token = token or secrets.token_urlsafe(32)
        values = (_hash(token), role, rater, time.time())
        self._execute("insert into tokens values (?, ?, ?, ?) on conflict do nothing", *values)
        return token

    def token(self, token: str) -> tuple[Role, int | None, float] | None:
        """What a token is for, whose it is and when it was made, or None; by its hash, so that timing reveals nothing.

        The rater and the seed of the run, which are asked for next, are read with it.
        """
        hashed = _hash(token)
        known = self._tokens.get(hashed)
        if known is None:
            rows = self.database.read(_WHOSE, hashed)
            if not rows:
                return None
            role, rater, created, name, run, since, seed = rows[0]
            known = _remember(self._tokens, hashed, (role, rater, float(created)))
            if rater is not None:
                _remember(self._raters, rater, Rater(rater, name, run, since))
                _remember(self._seeds, run, int(seed))
        return known

    def has_token(self, role: Role) -> bool:
        return bool(self.database.read("select 1 from tokens where role = ? limit 1", role))

    # --- events

    def append(self, event: Event, after: int | None = None) -> Event:
        """Commit an event to disk and return it with its number.

        With `after` it is committed only if that is the number of the run's last event; otherwise `Behind` is raised.
        """
        event = replace(event, at=event.at or time.time())
        values = [
            *(event.run, event.rater, event.kind, event.question, event.value),
            *(int(event.flipped), int(event.skipped), event.points, event.at),
        ]
        if self.database.append:
            number = self.database.write(lambda execute: execute(self.database.append, after, *values), single=True)
            return _appended(event, int(number[0][0]))

        def work(execute: Execute) -> Event:
            self._lock_run(execute, event.run)
            if after is not None:
                last = execute("select max(id) from events where run = ?", event.run)[0][0]
                if (last or 0) != after:
                    return _appended(event, -1)
            made = execute(
                f"insert into events ({_COLUMNS}) values (?,?,?,?,?,?,?,?,?) on conflict do nothing returning id",
                *values,
            )
            return _appended(event, int(made[0][0]) if made else 0)

        return self.database.write(work)

    def _lock_run(self, execute: Execute, run: int) -> None:
        if self.database.lock_run:
            execute(self.database.lock_run, run)

    def events(self, run: int, after: int = 0) -> list[Event]:
        """The log of a run, from the first event with a number above `after`."""
        return self._events("run = ? and id > ?", run, after)

    def all_events(self, after: int = 0) -> list[Event]:
        """The log of all runs, from the first event with a number above `after`.

        Only within a run are numbers given in the order of the commits: a reader that goes on from the last number may
        miss the event of another run that was numbered before it and committed after it.
        """
        return self._events("id > ?", after)

    def _events(self, which: str, *values: int) -> list[Event]:
        rows = self.database.read(f"select {_COLUMNS}, id from events where {which} order by id", *values)
        return [replace(Event(*row), flipped=bool(row[5]), skipped=bool(row[6])) for row in rows]

    # --- acts

    def act(self, kind: ActKind, rater: int | None = None, detail: str = "") -> Act:
        """Commit an act and return it with its number; acts are numbered in the order of their commits."""
        values = (kind, rater, detail, time.time())

        def work(execute: Execute) -> Act:
            self._lock_run(execute, THE_ACTS)
            made = execute("insert into acts (kind, rater, detail, at) values (?,?,?,?) returning id", *values)
            return Act(*values, int(made[0][0]))

        return self.database.write(work)

    def acts(self, after: int = 0) -> list[Act]:
        """The acts with a number above `after`."""
        rows = self.database.read("select kind, rater, detail, at, id from acts where id > ? order by id", after)
        return [Act(*row) for row in rows]

    def event_counts(self) -> dict[str, int]:
        """How many events of each kind are in the log."""
        return dict(self.database.read("select kind, count(*) from events group by kind"))

    # --- who looks at what; not durable

    def hand_out(self, run: int, rater: int, seconds: float, choose: Callable[[list[Lease]], str | None]) -> str | None:
        """Let `choose` pick a question, given all leases that hold now, and lease it to the rater; nobody else can
        choose in between. If it picks none, the rater is noted as waiting."""
        now = time.time()

        def work(execute: Execute) -> str | None:
            self._lock_run(execute, run)
            rows = execute("select question, rater, until from leases where run = ? and until > ?", run, now)
            chosen = choose([Lease(*row) for row in rows])
            execute("delete from leases where run = ? and (rater = ? or until <= ?)", run, rater, now)
            execute("insert into leases values (?, ?, ?, ?)", run, chosen or "", rater, now + seconds)
            return chosen

        return self.database.write(work, durable=False)

    # --- thoughts; not durable

    def thought(self, run: int, name: str) -> bytes | None:
        """What was thought about a run under this name, if it was."""
        rows = self.database.read("select body from thoughts where run = ? and name = ?", run, name)
        return bytes(rows[0][0]) if rows else None

    def thoughts(self, run: int) -> list[str]:
        """The names of all thoughts about a run, the latest first."""
        rows = self.database.read("select name from thoughts where run = ? order by decided desc, at desc", run)
        return [row[0] for row in rows]

    def keep_thought(self, run: int, name: str, decided: int, body: bytes, keep: int) -> bytes:
        """Keep a thought after `decided` answers and return it, or the one that another process had kept before;
        those after fewer than `decided - keep` answers are forgotten."""

        def work(execute: Execute) -> bytes:
            execute("delete from thoughts where run = ? and decided < ?", run, decided - keep)
            execute(
                "insert into thoughts values (?, ?, ?, ?, ?) on conflict do nothing",
                *(run, name, decided, body, time.time()),
            )
            return bytes(execute("select body from thoughts where run = ? and name = ?", run, name)[0][0])

        return self.database.write(work, durable=False)


def open_store(where: str | Path) -> Store:
    """The store in an SQLite file, or at a postgresql:// address; made if it is not there."""
    if is_postgres(where):
        return Store(PostgresDatabase(str(where)))
    return Store(SQLiteDatabase(where))


def is_postgres(where: object) -> bool:
    return str(where).startswith(("postgresql://", "postgres://"))


def _appended(event: Event, number: int) -> Event:
    """The event with its number; 0 stands for one that is known, -1 for a run that has gone on."""
    if number < 0:
        raise Behind
    if number == 0:
        raise DuplicateEvent(event.question)
    return replace(event, id=number)


def _remember(known: dict[Key, Known], key: Key, value: Known) -> Known:
    if len(known) >= MOST_REMEMBERED:
        known.clear()
    known[key] = value
    return value


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
