"""Records on disk: one Parquet file for each finished run, written whole or not at all.

A folder of results holds `plan.toml` and `runs/*.parquet`. A file's name is the run's key; a reader takes any number of
rows from a file, and files are joined when they become many, because opening a file costs more than reading a thousand
rows. A file that cannot be read is set aside as `*.corrupt` and named; its runs then count as not done.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import socket
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from steelyard.bench.cell import Record
from steelyard.bench.criteria import CRITERIA
from steelyard.bench.plan import RECORD_FORMAT, Plan
from steelyard.bench.storage import Storage, explained, is_url, storage
from steelyard.errors import BadValue
from steelyard.extras import need
from steelyard.system import lock

if TYPE_CHECKING:
    from steelyard.bench.results import Results

JOINED = "joined-"
JOIN_AT = 1000
TRACE = ("trace_queries", "trace_evaluations", "trace_f", "trace_g")
VARYING = ("seconds", "versions", "machine")
"""The columns that may differ between two records of the same run."""


@cache
def schema() -> Any:
    """The columns of a record and their types. An unsolved criterion is infinity."""
    pa = need("pyarrow", "bench")
    text, whole, real = pa.string(), pa.int64(), pa.float64()
    columns = (
        ("key", text), ("format", whole), ("problem", text), ("n", whole),
        ("algorithm", text), ("settings", text), ("oracle", text), ("budget", whole), ("seed", whole),
        ("status", text), ("reason", text),
        ("queries", whole), ("steps", whole), ("ties", whole), ("evaluations", whole),
        ("f0", real), ("g0", real), ("f_best", real), ("f_final", real), ("g_final", real),
        *((f"to_{name}", real) for name in CRITERIA),
        ("trace_queries", pa.list_(whole)), ("trace_evaluations", pa.list_(whole)),
        ("trace_f", pa.list_(real)), ("trace_g", pa.list_(real)),
        ("seconds", real), ("versions", text), ("machine", text),
    )  # fmt: skip
    return pa.schema(columns)


def runs_folder(out: str | Path) -> Path:
    return Path(out) / "runs"


def write(out: str | Path, records: Sequence[Record]) -> None:
    """Commit each record: after a crash its file is there and whole, or not there."""
    pa = need("pyarrow", "bench")
    runs = storage(out, "runs")
    for record in records:
        runs.write(f"{record['key']}.parquet", _as_parquet(pa.Table.from_pylist([record], schema=schema())))


def join(out: str | Path, most: int = JOIN_AT) -> int:
    """Join the files of single runs into one if there are more than `most`; how many were joined.

    The joined file is complete before any single one is removed: killed in between, some runs are there twice, which
    readers do not mind.
    """
    pa, runs = need("pyarrow", "bench"), storage(out, "runs")
    single = [name for name in runs.names() if name.endswith(".parquet") and not name.startswith(JOINED)]
    if len(single) <= most:
        return 0
    tables = [table for name in single if (table := _read(runs, name, schema().names)) is not None]
    write_joined(out, pa.concat_tables(tables).sort_by("key"))
    for name in single:
        runs.remove(name)
    return len(single)


def write_joined(out: str | Path, table: Any) -> None:
    """Commit a table of many records as one file."""
    digest = hashlib.sha256("".join(table.column("key").to_pylist()).encode()).hexdigest()[:16]
    storage(out, "runs").write(f"{JOINED}{digest}.parquet", _as_parquet(table))


def _as_parquet(table: Any) -> bytes:
    buffer = io.BytesIO()
    many = table.num_rows > 1
    need("pyarrow.parquet", "bench").write_table(
        table, buffer, compression="zstd", use_dictionary=many, write_statistics=False
    )
    return buffer.getvalue()


def plans(out: str | Path) -> list[str]:
    """The plans that the results in a folder were made by."""
    folder = storage(out)
    names = (name for name in folder.names() if name.startswith("plan") and name.endswith(".toml"))
    return [folder.read(name).decode() for name in names]


def save_plans(out: str | Path, texts: Iterable[str]) -> None:
    """Save plans with the results; one that is there already is not written twice."""
    known = plans(out)
    for text in texts:
        if text not in known:
            name = "plan.toml" if not known else f"plan-{len(known) + 1}.toml"
            storage(out).write(name, text.encode())
            known.append(text)


class Done(NamedTuple):
    """What a driver wants to know of a run that is there already."""

    key: str
    status: str
    problem: str
    algorithm: str
    queries: int
    seconds: float


def done(out: str | Path) -> list[Done]:
    """The runs whose records are there and whole."""
    runs: list[Done] = []
    for table in _tables(out, ["format", *Done._fields]):
        runs.extend(map(Done._make, zip(*(table.column(name).to_pylist() for name in Done._fields), strict=True)))
    return runs


def load(out: str | Path | Sequence[str | Path], traces: bool = True) -> Results:
    """All results of one folder, or of several, whatever made them. Without traces it reads far less."""
    from steelyard.bench.results import Results

    folders = [out] if isinstance(out, str | Path) else list(out)
    return Results.from_table(need("pyarrow", "bench").concat_tables([table_of(folder, traces) for folder in folders]))


def load_plan(plan: Plan | Sequence[Plan], out: str | Path, traces: bool = True) -> Results:
    """The results of a plan (or several), and only those that today's sources give: each problem and method as the plan
    calls it.

    A problem that differs from seed to seed is one problem here, `{seed}` in its name.
    """
    from steelyard.bench.results import Results

    plans = [plan] if isinstance(plan, Plan) else plan
    named = {}
    for each in plans:
        templates = each.template_of()
        for cell in each.cells():
            # The plan's budget: a capped method has not solved more by having been stopped.
            called = (templates[cell.problem], cell.algorithm, each.budget)
            named.update({cell.key(seed): called for seed in cell.seeds})
    results = Results.from_table(table_of(out, traces, missing_ok=True))
    results = results.take(np.array([key in named for key in results["key"]], dtype=bool))
    if len(results) and any(each.f_best == "found" for each in plans):
        results = results.against(results.found())
    problem, algorithm, budget = np.array([named[key] for key in results["key"]], dtype=object).reshape(-1, 3).T
    names = {"problem": problem, "algorithm": algorithm, "budget": budget.astype(np.int64)}
    return replace(results, columns={**results.columns, **names})


def table_of(out: str | Path, traces: bool = True, *, missing_ok: bool = False) -> Any:
    """All records of a folder as one Arrow table."""
    columns = [name for name in schema().names if traces or name not in TRACE]
    tables = list(_tables(out, columns))
    if not tables and not missing_ok:
        raise BadValue(f"no results in {out}: `steelyard bench --out` makes such a folder")
    pa = need("pyarrow", "bench")
    return pa.concat_tables(tables) if tables else pa.schema([schema().field(name) for name in columns]).empty_table()


def _tables(out: str | Path, columns: list[str]) -> Iterator[Any]:
    """The tables of all files of the current format; unreadable files are set aside."""
    runs = storage(out, "runs")
    for name in runs.names():
        if name.endswith(".parquet"):
            table = _read(runs, name, columns)
            if table is not None and table.num_rows and table.column("format")[0].as_py() == RECORD_FORMAT:
                yield table


def _read(runs: Storage, name: str, columns: list[str]) -> Any:
    """The table of one file; None, and the file set aside, if it is no record, whatever is wrong with it."""
    try:
        return need("pyarrow.parquet", "bench").ParquetFile(runs.source(name)).read(columns=columns)
    except Exception as error:
        set_aside(runs, name, error)
        return None


def set_aside(runs: Storage, name: str, error: Exception) -> None:
    """Rename a corrupt record, so that its run is done again and nobody trips over it twice."""
    aside = name.removesuffix(".parquet") + ".corrupt"
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    try:
        runs.rename(name, aside)
        warnings.warn(f"{name} is corrupt and was set aside as {aside}: {reason}", stacklevel=5)
    except OSError:
        warnings.warn(f"{name} is corrupt and cannot be set aside: {reason}", stacklevel=5)


@contextlib.contextmanager
def owned(out: str | Path) -> Iterator[None]:
    """Hold the output folder: a second driver learns who has it. A killed driver no longer holds it.

    A remote storage has no locks: there two drivers do some runs twice, and each run counts once.
    """
    if is_url(out):
        yield
        return
    folder = runs_folder(out)
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        file = (Path(out) / "owner.lock").open("a+", encoding="utf-8")
    with file:
        if not lock(file):
            file.seek(0)
            raise RuntimeError(f"{out} is in use by another benchmark: {file.read().strip() or 'unknown'}")
        file.truncate(0)
        file.write(json.dumps({"process": os.getpid(), "machine": socket.gethostname()}))
        file.flush()
        for left_over in folder.glob("*.tmp"):  # of a driver that was killed
            left_over.unlink(missing_ok=True)
        yield
