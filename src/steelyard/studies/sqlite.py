"""SQLite: write-ahead log, synced at every durable commit.

All durable writes that wait at a moment share one commit, so that many people cost few syncs. Reading and what need not
be durable have connections of their own and do not wait for the disk.
"""

import os
import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from steelyard.errors import BadValue
from steelyard.studies.database import Execute, Row, StoreUnavailable
from steelyard.studies.turns import away

T = TypeVar("T")

BUSY_SECONDS = 30.0
MOST_TOGETHER = 64
"""How many writes share a commit at most."""

_TYPES = {"id": "integer primary key autoincrement", "integer": "integer", "real": "real", "blob": "blob"}


class SQLiteDatabase:
    """The file of one study; several processes may use it at once."""

    for_update = lock_run = append = after_numbers = ""  # a writing transaction locks the whole file

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.name = str(path)
        try:
            # Made private first: SQLite gives its other files (-wal, -shm) the rights of this one.
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
            self.path.chmod(0o600)
            self._writer = self._connect("full")
            self._soft = self._connect("normal")
            self._reader = self._connect("normal")
        except (sqlite3.Error, OSError) as error:
            raise BadValue(f"data must be a steelyard database, got {str(path)!r} ({error})") from error
        self._problem, self._closed = "", False
        self._closing, self._soft_lock, self._read_lock = (threading.Lock() for _ in range(3))
        self._waiting: queue.SimpleQueue[tuple[Callable[[Execute], Any], Future[Any]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._commit_together, name="commit", daemon=True)
        self._thread.start()

    def _connect(self, synchronous: str) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, check_same_thread=False, isolation_level=None, timeout=BUSY_SECONDS)
        db.execute("pragma journal_mode=wal")
        db.execute(f"pragma synchronous={synchronous}")
        db.execute("pragma foreign_keys=on")
        return db

    def create(self, schema: str) -> None:
        try:
            self._soft.executescript(schema.format(**_TYPES))
        except sqlite3.Error as error:
            raise BadValue(f"data must be a steelyard database, got {self.name!r} ({error})") from error

    def read(self, sql: str, *values: object) -> list[Row]:
        try:
            with self._read_lock:
                return self._reader.execute(sql, values).fetchall()
        except sqlite3.OperationalError as error:
            raise _unavailable(error) from error

    def write(self, work: Callable[[Execute], T], *, durable: bool = True, single: bool = False) -> T:
        if durable:
            done: Future[T] = Future()
            with self._closing:
                if self._closed:  # as when a view that was given up reports at last; nobody would commit it
                    raise StoreUnavailable("the database is closed")
                self._waiting.put((work, done))
            with away():
                return done.result()
        with away(), self._soft_lock:
            try:
                self._soft.execute("begin immediate")
                result = work(_executor(self._soft))
                self._soft.execute("commit")
            except BaseException as error:
                _roll_back(self._soft)
                raise _unavailable(error) if isinstance(error, sqlite3.OperationalError) else error from None
        return result

    def problem(self) -> str:
        return self._problem

    def close(self) -> None:
        """Waits for the writes under way."""
        with self._closing:
            self._closed = True
            self._waiting.put(None)
        self._thread.join()
        with self._soft_lock, self._read_lock:
            for db in (self._soft, self._reader, self._writer):
                db.close()

    def backup(self, path: str | Path) -> None:
        """A copy as of now, by SQLite's own means: safe while others read and write."""
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        target = sqlite3.connect(path)
        try:
            with self._read_lock:
                self._reader.backup(target)
        finally:
            target.close()

    # --- group commit

    def _commit_together(self) -> None:
        while (first := self._waiting.get()) is not None:
            together, last = [first], False
            while len(together) < MOST_TOGETHER:
                try:
                    more = self._waiting.get_nowait()
                except queue.Empty:
                    break
                if more is None:
                    last = True
                    break
                together.append(more)
            self._commit(together)
            if last:
                return

    def _commit(self, together: list[tuple[Callable[[Execute], Any], Future[Any]]]) -> None:
        db = self._writer
        done: list[tuple[Future[Any], Any]] = []
        try:
            db.execute("begin immediate")
            for work, future in together:
                db.execute("savepoint one")
                try:
                    done.append((future, work(_executor(db))))
                except sqlite3.OperationalError:  # the disk's fault, so everybody's
                    raise
                except Exception as error:
                    db.execute("rollback to one")
                    future.set_exception(error)
                db.execute("release one")
            db.execute("commit")
        except BaseException as error:
            _roll_back(db)
            said = _unavailable(error) if isinstance(error, sqlite3.OperationalError) else error
            self._problem = str(said)
            for _, future in together:
                if not future.done():
                    future.set_exception(said)
            return
        self._problem = ""
        for future, result in done:
            future.set_result(result)


def _executor(db: sqlite3.Connection) -> Execute:
    def execute(sql: str, *values: object) -> list[Row]:
        return db.execute(sql, values).fetchall()

    return execute


def _roll_back(db: sqlite3.Connection) -> None:
    if db.in_transaction:
        db.execute("rollback")


def _unavailable(error: BaseException) -> StoreUnavailable:
    text = str(error)
    if "full" in text:
        return StoreUnavailable("the disk is full: no answer can be kept until there is room")
    return StoreUnavailable(f"the database cannot be used now ({text})")
