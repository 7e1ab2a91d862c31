"""Join result folders of several machines into one; the same run with two different results is refused."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from steelyard.bench.records import VARYING, owned, plans, save_plans, schema, table_of, write_joined
from steelyard.errors import BadValue
from steelyard.extras import need

SHOWN = 10


def merge(folders: Sequence[str | Path], out: str | Path) -> tuple[int, int]:
    """Join `folders` into `out` (which may have results already): how many runs there are, and how many were new.

    A run that is in several places counts once if they agree in all but times, versions and machine. If they do not,
    nothing is written and the error lists the runs.
    """
    pa, compute = need("pyarrow", "bench"), need("pyarrow.compute", "bench")
    if not folders:
        raise BadValue("folders must be at least one folder of results, got none")
    tables = [table_of(folder) for folder in folders]  # before anything is made at `out`
    with owned(out):
        old = table_of(out, missing_ok=True)
        whole = pa.concat_tables([old, *tables])
        # Which rows are first of their key, and whether later ones say the same: in columns, not run by run.
        numbered = whole.append_column("row", pa.array(range(whole.num_rows), pa.int64()))
        first = numbered.group_by("key").aggregate([("row", "min")])
        _refuse_conflicts(numbered, first)
        kept = numbered.filter(compute.is_in(numbered["row"], value_set=first["row_min"].combine_chunks()))
        fresh = kept.filter(compute.greater_equal(kept["row"], old.num_rows)).drop_columns(["row"])
        if fresh.num_rows:
            write_joined(out, fresh.sort_by("key"))
        for folder in folders:
            save_plans(out, plans(folder))
        return kept.num_rows, fresh.num_rows


def _refuse_conflicts(numbered: Any, first: Any) -> None:
    compute = need("pyarrow.compute", "bench")
    compared = [name for name in schema().names if name not in (*VARYING, "key")]
    repeated = numbered.filter(
        compute.invert(compute.is_in(numbered["row"], value_set=first["row_min"].combine_chunks()))
    )
    if not repeated.num_rows:
        return
    place = dict(zip(first["key"].to_pylist(), first["row_min"].to_pylist(), strict=True))
    originals = numbered.take([place[key] for key in repeated["key"].to_pylist()])
    # Only runs that are there twice are looked at one by one, and those are few.
    conflicts = [
        f"{a['algorithm']} on {a['problem']}, {a['oracle']}, budget {a['budget']}, seed {a['seed']}: differs in "
        + ", ".join(name for name in compared if not _same(a[name], b[name]))
        for a, b in zip(originals.to_pylist(), repeated.to_pylist(), strict=True)
        if any(not _same(a[name], b[name]) for name in compared)
    ]
    if conflicts:
        more = f"\n  and {len(conflicts) - SHOWN} more" if len(conflicts) > SHOWN else ""
        shown = "\n  ".join(conflicts[:SHOWN])
        raise BadValue(f"{len(conflicts)} runs have different results in different folders:\n  {shown}{more}")


def _same(a: Any, b: Any) -> bool:
    return a == b or repr(a) == repr(b)  # NaN, alone or in a trace, is the same as NaN
