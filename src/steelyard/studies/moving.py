"""A study from one store to another: to move it from a file to PostgreSQL or back, or to keep a copy."""

from contextlib import closing
from pathlib import Path

from steelyard.errors import BadValue
from steelyard.studies.database import Execute, Row
from steelyard.studies.sqlite import SQLiteDatabase
from steelyard.studies.store import LASTING_TABLES, Store, open_store

NUMBERED = ("runs", "raters", "events", "acts")
ROWS_AT_ONCE = 1000


class Changed(ValueError):
    """Somebody answered while a study was moved."""


def copy(source: Store, target: Store) -> dict[str, int]:
    """Copy a study into an empty store; returns how many rows of each table there are.

    People may go on answering: what is committed after the beginning may be missing, but what is there is whole, since
    rows are only ever added and those that others refer to are read last.
    """
    if target.database.read("select 1 from meta limit 1"):
        raise BadValue(f"the study must be copied to a new place, but there is one already at {target.name}")
    rows = {table: source.database.read(f"select * from {table}") for table in reversed(LASTING_TABLES)}

    def work(execute: Execute) -> None:
        for table in LASTING_TABLES:
            for i in range(0, len(rows[table]), ROWS_AT_ONCE):
                _insert(execute, table, rows[table][i : i + ROWS_AT_ONCE])
            if table in NUMBERED and target.database.after_numbers:
                execute(target.database.after_numbers.format(table=table))

    target.database.write(work)
    return {table: len(rows[table]) for table in LASTING_TABLES}


def move(source: str | Path, target: str | Path) -> dict[str, int]:
    """Copy a study to another place, all of it: fails if somebody answers meanwhile. The source stays as it is."""
    with closing(open_store(source)) as old, closing(open_store(target)) as new:
        counts = copy(old, new)
        now = {table: old.database.read(f"select count(*) from {table}")[0][0] for table in LASTING_TABLES}
        if now != counts:
            new.database.write(_clear)
            raise Changed(f"somebody answered, so {old.name} was not moved: stop its servers first")
        return counts


def backup(source: str | Path, path: str | Path) -> None:
    """Keep a copy of a study as an SQLite file, also while people answer."""
    if Path(path).exists():
        raise BadValue(f"the copy must be a new file, but there is one already at {str(path)!r}")
    with closing(open_store(source)) as store:
        if isinstance(store.database, SQLiteDatabase):
            store.database.backup(path)
        else:
            with closing(open_store(path)) as kept:
                copy(store, kept)


def _insert(execute: Execute, table: str, rows: list[Row]) -> None:
    marks = ", ".join("?" * len(rows[0]))
    for row in rows:
        execute(f"insert into {table} values ({marks})", *row)


def _clear(execute: Execute) -> None:
    for table in reversed(LASTING_TABLES):
        execute(f"delete from {table}")
