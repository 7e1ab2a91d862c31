"""What is special about a study in a file."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from steelyard.studies.database import StoreUnavailable
from steelyard.studies.events import Event
from steelyard.studies.sqlite import SQLiteDatabase
from steelyard.studies.store import Store, open_store


def test_all_its_files_are_private_and_synced(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        database = SQLiteDatabase(tmp_path / "x.db")
        store = Store(database)
        store.add_rater("Ada", 0, shared=False)
        files = list(tmp_path.glob("x.db*"))
    finally:
        os.umask(before)
    assert len(files) == 3
    assert all(path.stat().st_mode & 0o077 == 0 for path in files)
    assert database._writer.execute("pragma synchronous").fetchone() == (2,)
    assert database._writer.execute("pragma journal_mode").fetchone() == ("wal",)
    store.close()


def test_many_answers_at_once_share_commits(tmp_path: Path) -> None:
    store = open_store(tmp_path / "x.db")
    rater = store.add_rater("Ada", 0, shared=False)
    commits: list[str] = []
    database = store.database
    assert isinstance(database, SQLiteDatabase)
    database._writer.set_trace_callback(lambda sql: commits.append(sql) if sql == "commit" else None)
    begin = threading.Barrier(40)

    def write(number: int) -> int:
        begin.wait()
        return store.append(Event(rater.run, rater.id, "answer", f"{number}-0", 1)).id

    with ThreadPoolExecutor(40) as pool:
        ids = sorted(pool.map(write, range(40)))
    assert [event.id for event in store.events(rater.run)] == ids
    assert len(commits) < 40
    store.close()


def test_a_full_disk_is_said_to_be_one(tmp_path: Path) -> None:
    store = open_store(tmp_path / "x.db")
    rater = store.add_rater("Ada", 0, shared=False)
    database = store.database
    assert isinstance(database, SQLiteDatabase)
    pages = database._writer.execute("pragma page_count").fetchone()[0]
    database._writer.execute(f"pragma max_page_count={pages}")
    with pytest.raises(StoreUnavailable, match="the disk is full"):
        for number in range(200):
            store.append(Event(rater.run, rater.id, "answer", f"{number}-0", 1, points="x" * 4000))
    kept = len(store.events(rater.run))
    database._writer.execute("pragma max_page_count=100000")
    store.append(Event(rater.run, rater.id, "answer", "more", 1))
    assert len(store.events(rater.run)) == kept + 1
    store.close()


def test_a_backup_holds_everything_while_others_write(tmp_path: Path) -> None:
    store = open_store(tmp_path / "x.db")
    rater = store.add_rater("Ada", 0, shared=False)
    store.append(Event(rater.run, rater.id, "answer", "0-0", 1))
    assert isinstance(store.database, SQLiteDatabase)
    store.database.backup(tmp_path / "copy.db")
    copy = open_store(tmp_path / "copy.db")
    assert copy.events(rater.run) == store.events(rater.run)
    assert (tmp_path / "copy.db").stat().st_mode & 0o077 == 0
    copy.close()
    store.close()


def test_nobody_waits_for_a_database_that_is_closed(tmp_path: Path) -> None:
    store = open_store(tmp_path / "x.db")
    store.close()
    with pytest.raises(StoreUnavailable, match="is closed"):
        store.act("failure", detail="{}")
