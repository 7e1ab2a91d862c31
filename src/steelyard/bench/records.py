"""Records on disk: one Parquet file for each finished run, written whole or not at all.

A folder of results holds `plan.toml` and `runs/*.parquet`. A file's name is the run's key; a reader takes any number of
rows from a file, so files may be joined. A file that cannot be read is set aside as `*.corrupt` and named; its run
then counts as not done.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.bench.cell import Record
from steelyard.bench.criteria import CRITERIA
from steelyard.bench.extras import need
from steelyard.bench.plan import RECORD_FORMAT

if TYPE_CHECKING:
    from steelyard.bench.results import Results

TRACE = ("trace_queries", "trace_f", "trace_g")
VARYING = ("seconds", "versions", "machine")
"""The columns that may differ between two records of the same run."""


@cache
def schema() -> Any:
    """The columns of a record and their types. An unsolved criterion is infinity."""
    pa = need("pyarrow", "bench")
    text, whole, real = pa.string(), pa.int64(), pa.float64()
    columns = {
        **dict.fromkeys(["key"], text),
        **dict.fromkeys(["format"], whole),
        **dict.fromkeys(["problem"], text),
        **dict.fromkeys(["n"], whole),
        **dict.fromkeys(["algorithm", "settings", "oracle"], text),
        **dict.fromkeys(["budget", "seed"], whole),
        **dict.fromkeys(["status", "reason"], text),
        **dict.fromkeys(["queries", "steps", "ties", "evaluations"], whole),
        **dict.fromkeys(["f0", "g0", "f_best", "f_final", "g_final"], real),
        **dict.fromkeys([f"to_{name}" for name in CRITERIA], real),
        "trace_queries": pa.list_(whole),
        "trace_f": pa.list_(real),
        "trace_g": pa.list_(real),
        "seconds": real,
        **dict.fromkeys(["versions", "machine"], text),
    }
    return pa.schema(list(columns.items()))


def runs_folder(out: str | Path) -> Path:
    return Path(out) / "runs"


def write(out: str | Path, records: Sequence[Record]) -> None:
    """Commit each record: after a crash its file is there and whole, or not there."""
    pa, parquet = need("pyarrow", "bench"), need("pyarrow.parquet", "bench")
    folder = runs_folder(out)
    for record in records:
        table = pa.Table.from_pylist([record], schema=schema())
        final = folder / f"{record['key']}.parquet"
        unfinished = final.with_suffix(f".{os.getpid()}.tmp")
        try:
            parquet.write_table(table, unfinished, compression="zstd", use_dictionary=False, write_statistics=False)
            unfinished.replace(final)
        except BaseException:
            unfinished.unlink(missing_ok=True)  # a full disk leaves no half file behind
            raise


def done(out: str | Path, *, failed: bool = True) -> set[str]:
    """The keys of the runs whose records are there and whole; without `failed`, only of those that did not fail."""
    keys: set[str] = set()
    for table in _tables(out, ["key", "format", "status"]):
        rows = zip(table.column("key").to_pylist(), table.column("status").to_pylist(), strict=True)
        keys.update(key for key, status in rows if failed or status != "failed")
    return keys


def load(out: str | Path | Sequence[str | Path], traces: bool = True) -> Results:
    """All results of one folder, or of several. Without traces it reads far less."""
    from steelyard.bench.results import Results

    pa = need("pyarrow", "bench")
    folders = [out] if isinstance(out, str | Path) else list(out)
    columns = [name for name in schema().names if traces or name not in TRACE]
    tables = [table for folder in folders for table in _tables(folder, columns)]
    if not tables:
        raise ValueError(f"no results in {', '.join(map(str, folders))}: `steelyard bench --out` makes such a folder")
    return Results.from_table(pa.concat_tables(tables))


def _tables(out: str | Path, columns: list[str]) -> Iterator[Any]:
    """The tables of all files of the current format; unreadable files are set aside."""
    parquet = need("pyarrow.parquet", "bench")
    for path in sorted(runs_folder(out).glob("*.parquet")):
        try:
            table = parquet.ParquetFile(path).read(columns=columns)
        except Exception as error:  # whatever is wrong with it, it is no record
            set_aside(path, error)
            continue
        if table.num_rows and table.column("format")[0].as_py() == RECORD_FORMAT:
            yield table


def set_aside(path: Path, error: Exception) -> None:
    """Rename a corrupt record, so that its run is done again and nobody trips over it twice."""
    aside = path.with_suffix(".corrupt")
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    try:
        path.replace(aside)
        warnings.warn(f"{path.name} is corrupt and was set aside as {aside.name}: {reason}", stacklevel=4)
    except OSError:
        warnings.warn(f"{path.name} is corrupt and cannot be set aside: {reason}", stacklevel=4)


@contextlib.contextmanager
def owned(out: str | Path) -> Iterator[None]:
    """Hold the output folder: a second driver on it is told who has it. A killed driver holds nothing any more."""
    import fcntl

    folder = runs_folder(out)
    folder.mkdir(parents=True, exist_ok=True)
    path = Path(out) / "owner.lock"
    with path.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.seek(0)
            raise RuntimeError(f"{out} is in use by another benchmark: {file.read().strip() or 'unknown'}") from None
        file.truncate(0)
        file.write(json.dumps({"process": os.getpid(), "machine": socket.gethostname()}))
        file.flush()
        for left_over in folder.glob("*.tmp"):  # of a driver that was killed
            left_over.unlink(missing_ok=True)
        yield
