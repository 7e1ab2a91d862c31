"""What the benchmarks of studies measured, one JSON object per line; and the tables of docs/results/studies.md from it.

    python benchmarks/load_server.py ... --out benchmarks/studies.jsonl
    python benchmarks/study_rows.py benchmarks/studies.jsonl docs/results/studies.md

A table stands between `<!-- bench: studies/KIND -->` and `<!-- end -->`. A later row of the same kind with the same
settings replaces an earlier one, so that the page shows what was measured last.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from steelyard.bench.markdown import commit, fill, markdown_table

Row = dict[str, Any]


def keep(out: Path | None, kind: str, settings: Row, measured: Row) -> None:
    """Append what was measured, with the load of the machine and our priority; nothing without a file."""
    if out is not None:
        machine = {"load": round(os.getloadavg()[0], 1), "nice": os.getpriority(os.PRIO_PROCESS, 0)}
        row = {"kind": kind, "settings": settings, **measured, **machine, "commit": commit(Path(__file__).parent)}
        with out.open("a") as file:
            print(json.dumps({**row, "at": time.strftime("%Y-%m-%d")}), file=file)


def seconds(value: float | None) -> str:
    """A time as people read it."""
    if value is None:
        return "–"
    return f"{1e3 * value:.0f} ms" if value < 0.995 else f"{value:.1f} s"


def load(row: Row) -> str:
    """The load average, and by how much our priority was above that of other work."""
    raised = -row.get("nice", 0)
    return f"{row['load']}, priority +{raised}" if raised > 0 else str(row["load"])


STORES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}

Column = tuple[str, Callable[[Row], object]]
LOAD: list[Column] = [
    ("people", lambda r: f"{r['raters']:,}" + (", one shared run" if r["shared"] else "")),
    ("method", lambda r: f"`{r['method']}`"),
    ("store, workers", lambda r: f"{STORES[r['store']]}, {r['workers']}"),
    ("seconds", lambda r: f"{r['seconds']:g}"),
    ("answers", lambda r: f"{r['answers']:,}"),
    ("median", lambda r: seconds(r["median"])),
    ("95 %", lambda r: seconds(r["p95"])),
    ("99 %", lambda r: seconds(r["p99"])),
    ("worst", lambda r: seconds(r["worst"])),
    ("processor time per answer", lambda r: f"{1e3 * r['cpu']:.1f} ms" if r["cpu"] else "–"),
    ("memory per run", lambda r: f"{r['kilobytes']:.0f} kB" if r["kilobytes"] else "–"),
    ("people late", lambda r: seconds(r.get("late"))),
    ("load", load),
    ("commit", lambda r: r["commit"]),
]
COST: list[Column] = [
    ("people, each with a run", lambda r: f"{r['people']:,}"),
    ("answers each", lambda r: r["answers"]),
    ("method", lambda r: f"`{r['method']}`"),
    ("store", lambda r: STORES[r["store"]]),
    ("processor time per answer", lambda r: f"{1e3 * r['cpu']:.2f} ms"),
    ("calls of the database per answer", lambda r: f"{r['asked']:.1f}"),
    ("load", load),
    ("commit", lambda r: r["commit"]),
]
RESTART: list[Column] = [
    ("runs", lambda r: r["runs"]),
    ("answers each", lambda r: r["answers"]),
    ("thoughts", lambda r: "lost" if r["forget"] else "kept"),
    ("store, workers", lambda r: f"{STORES[r['store']]}, {r['workers']}"),
    ("started", lambda r: f"{r['restarts']} times"),
    ("first page, median", lambda r: seconds(r["median"])),
    ("worst", lambda r: seconds(r["worst"])),
    ("style sheet, median", lambda r: seconds(r["style_median"])),
    ("99 %", lambda r: seconds(r["style_p99"])),
    ("worst ", lambda r: seconds(r["style_worst"])),
    ("load", load),
    ("commit", lambda r: r["commit"]),
]
KILLS: list[Column] = [
    ("store, method", lambda r: f"{STORES[r['store']]}, `{r['method']}`"),
    ("people", lambda r: r["clickers"]),
    ("killed in turn", lambda r: ", ".join(r["victims"])),
    ("kills", lambda r: r["kills"]),
    ("acknowledged", lambda r: f"{r['acknowledged']:,}"),
    ("lost", lambda r: r["lost"]),
    ("doubled", lambda r: r["duplicated"]),
    ("altered", lambda r: r["altered"]),
    (
        "waits that met a kill, median and worst",
        lambda r: "; ".join(f"{k} {seconds(m)}, {seconds(w)}" for k, (m, w) in r["waits"].items()),
    ),
    ("load", load),
    ("commit", lambda r: r["commit"]),
]
TABLES = {"load": LOAD, "cost": COST, "restart": RESTART, "kills": KILLS}


def table(kind: str, rows: list[Row]) -> str:
    columns = TABLES[kind]
    shown = [[str(show({**row["settings"], **row})) for _, show in columns] for row in rows if row["kind"] == kind]
    return markdown_table([name.strip() for name, _ in columns], shown)


def latest(rows: list[Row]) -> list[Row]:
    """Of the same kind and settings what was measured last."""
    return list({json.dumps([row["kind"], row["settings"]], sort_keys=True): row for row in rows}.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path)
    parser.add_argument("page", type=Path)
    given = parser.parse_args()
    rows = latest([json.loads(line) for line in given.rows.read_text().splitlines()])
    fill(given.page, {kind: lambda kind=kind: table(kind, rows) for kind in TABLES}, "studies")


if __name__ == "__main__":
    main()
