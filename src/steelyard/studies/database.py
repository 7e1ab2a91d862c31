"""What the store wants of a database: a few lines of SQL that SQLite and PostgreSQL both understand.

SQL is written once, with `?` for values and `{id}`, `{integer}`, `{real}`, `{blob}` for the types in the schema.
"""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
Row = tuple[Any, ...]
Execute = Callable[..., list[Row]]
"""execute(sql, *values): the rows that a statement gives, within a transaction."""


class StoreUnavailable(Exception):
    """The database cannot be reached or written to now; the message says why, in words for the organiser.

    Nothing was acknowledged; the request may be sent again.
    """


class Database(Protocol):
    """A connection to where a study is kept. Methods may be called from any thread."""

    name: str
    """Where it is, without passwords."""
    for_update: str
    """What to add to a `select` so that its rows stay locked until the transaction ends."""
    lock_run: str
    """What to execute, with the number of a run, so that others who do the same wait until the transaction ends; may be
    empty, where a transaction that writes keeps out all others."""
    append: str
    """A query that appends an event as `Store.append` does, all in one: its values are those of the event, and before
    them the number of the run's last event or None. It gives the event's number, 0 if the event is known, -1 if it is
    not the run's last event's number that was given. Empty, where a transaction is as cheap."""
    after_numbers: str
    """What to execute for a {table} into which rows with numbers of their own were written; may be empty."""

    def create(self, schema: str) -> None:
        """Make the tables that are missing."""

    def read(self, sql: str, *values: object) -> list[Row]:
        """The rows of a `select`; what was committed before the call is seen."""

    def write(self, work: Callable[[Execute], T], *, durable: bool = True, single: bool = False) -> T:
        """Run `work(execute)` in one transaction and return what it returns, after the commit.

        If `work` raises, nothing is changed. It may be run again when the connection was lost. With `durable=False` a
        power cut may take back the last seconds, for what can be worked out anew. `single` says that the work is one
        statement, which is a transaction by itself.
        """

    def problem(self) -> str:
        """Why nothing can be written now, in words; empty if all is well. Answers at once."""

    def close(self) -> None: ...
