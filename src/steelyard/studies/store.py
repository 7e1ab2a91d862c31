"""The answer log on disk: SQLite, write-ahead log, synced at every commit. Nothing is ever changed in it, only added.

An event counts once: its key (run, rater, kind, question) is unique, so a request that is sent again is recognised
even by another process. Tokens are kept as SHA-256 only; they are random, so no salt is needed.
"""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
import threading
import time
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any, Literal

Kind = Literal["answer", "undo", "finish", "more", "check"]
Role = Literal["rater", "organiser", "join"]

_SCHEMA = """
create table if not exists meta (name text primary key, value text not null) without rowid;
create table if not exists runs (id integer primary key, seed integer not null, created real not null);
create table if not exists raters (
    id integer primary key, name text not null, run integer not null references runs, created real not null);
create table if not exists tokens (
    hash text primary key, role text not null, rater integer references raters, created real not null) without rowid;
create table if not exists events (
    id integer primary key autoincrement, run integer not null references runs, rater integer not null,
    kind text not null, question text not null, value integer not null, flipped integer not null,
    skipped integer not null, points text not null, at real not null,
    unique (run, rater, kind, question));
create index if not exists events_of_run on events (run, id);
"""

_COLUMNS = "run, rater, kind, question, value, flipped, skipped, points, at"  # the fields of Event, but its number


@dataclass(frozen=True)
class Event:
    """Something that a rater did. `value` is the answer with the method's own first point first (+1: it is better);
    `flipped` says that this point was shown on the right; `points` are the two in the unit box, as JSON, so that the
    log can be read without replaying the method."""

    run: int
    rater: int
    kind: Kind
    question: str
    value: int = 0
    flipped: bool = False
    skipped: bool = False
    points: str = ""
    at: float = 0.0
    id: int = 0


@dataclass(frozen=True)
class Rater:
    """A person with a link, and the run they answer in."""

    id: int
    name: str
    run: int
    created: float


class DuplicateEvent(Exception):
    """The event is in the log already."""


class Store:
    """The database of one study. Methods may be called from any thread; each writing one returns after its commit."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        try:
            self._db = sqlite3.connect(self.path, check_same_thread=False, isolation_level=None, timeout=30.0)
            self._db.execute("pragma journal_mode=wal")
            self._db.execute("pragma synchronous=full")
            self._db.execute("pragma foreign_keys=on")
            self._db.executescript(_SCHEMA)
        except sqlite3.Error as error:
            raise ValueError(f"data must be a database of this program, got {str(path)!r} ({error})") from error
        self.path.chmod(0o600)  # answers are personal

    def close(self) -> None:
        with self._lock:
            self._db.close()

    # --- the study

    def bind(self, identity: str) -> None:
        """Tie the database to a study; refuse one that would read its log otherwise than it was written."""
        if self.meta("identity", identity) != identity:
            raise ValueError(
                f"{self.path.name} holds answers to other parameters, method, seed or raters: these must not change "
                "once people have answered; choose another database with --data"
            )

    def meta(self, name: str, default: str) -> str:
        """A named text, set to `default` the first time."""
        with self._lock:
            self._db.execute("insert or ignore into meta values (?, ?)", (name, default))
            row = self._db.execute("select value from meta where name = ?", (name,)).fetchone()
        return str(row[0])

    def secret(self) -> bytes:
        """A random key of this database, for what must not be guessed but need not be stored."""
        return bytes.fromhex(self.meta("secret", secrets.token_hex(32)))

    # --- runs, raters, tokens

    def add_rater(self, name: str, seed: int, shared: bool) -> Rater:
        """A new rater with a run of their own, or in the one shared run."""
        now = time.time()
        with self._lock, self._db:
            self._db.execute("begin immediate")
            first = self._db.execute("select min(id) from runs").fetchone()[0] if shared else None
            if first is None:
                count = self._db.execute("select count(*) from runs").fetchone()[0]
                first = self._db.execute(
                    "insert into runs (seed, created) values (?, ?)", (seed + count, now)
                ).lastrowid
            made = self._db.execute("insert into raters (name, run, created) values (?, ?, ?)", (name, first, now))
        return Rater(int(made.lastrowid or 0), name, int(first or 0), now)

    def raters(self) -> list[Rater]:
        return [Rater(*row) for row in self._all("select id, name, run, created from raters order by id")]

    def rater(self, rater: int) -> Rater:
        return Rater(*self._all("select id, name, run, created from raters where id = ?", rater)[0])

    def seed_of(self, run: int) -> int:
        return int(self._all("select seed from runs where id = ?", run)[0][0])

    def add_token(self, role: Role, rater: int | None = None, token: str | None = None) -> str:
        """A fresh unguessable token (256 bits), returned once and stored hashed."""
        token = token or secrets.token_urlsafe(32)
        with self._lock:
            self._db.execute(
                "insert or ignore into tokens values (?, ?, ?, ?)", (_hash(token), role, rater, time.time())
            )
        return token

    def token_role(self, token: str) -> tuple[Role, int | None] | None:
        """What a token is for and whose it is, or None. Looked up by its hash, so that timing tells nothing."""
        rows = self._all("select role, rater from tokens where hash = ?", _hash(token))
        return (rows[0][0], rows[0][1]) if rows else None

    def has_token(self, role: Role) -> bool:
        return bool(self._all("select 1 from tokens where role = ? limit 1", role))

    # --- events

    def append(self, event: Event) -> Event:
        """Commit an event to disk and return it with its number."""
        event = replace(event, at=event.at or time.time())
        try:
            with self._lock:
                made = self._db.execute(
                    f"insert into events ({_COLUMNS}) values (?,?,?,?,?,?,?,?,?)", astuple(event)[:-1]
                )
        except sqlite3.IntegrityError as error:
            raise DuplicateEvent(event.question) from error
        return replace(event, id=int(made.lastrowid or 0))

    def events(self, run: int, after: int = 0) -> list[Event]:
        """The log of a run, from the first event with a number above `after`."""
        rows = self._all(f"select {_COLUMNS}, id from events where run = ? and id > ? order by id", run, after)
        return [replace(Event(*row), flipped=bool(row[5]), skipped=bool(row[6])) for row in rows]

    def _all(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._db.execute(sql, values).fetchall()


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
