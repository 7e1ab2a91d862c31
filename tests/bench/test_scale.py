"""Records at scale: storage, joining, merging, and the order of cells."""

import errno
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from steelyard.bench import Plan, load, run
from steelyard.bench.merge import merge
from steelyard.bench.plan import Cell
from steelyard.bench.records import Done, done, join, runs_folder, table_of, write_joined
from steelyard.bench.schedule import longest_first
from steelyard.bench.storage import Local, Remote

PLAN = Plan(["ROSENBR", "QING?N=10"], ["stp,preset=paper", "gld"], budget=200, seeds=2)


def traces(out):
    results = load(out)
    return {key: results.take([i]).traces["trace_f"].tolist() for i, key in enumerate(results["key"])}


@pytest.mark.parametrize("make", [lambda path: Local(path / "deep"), lambda path: Remote(f"file://{path}/deep")])
def test_storage_writes_lists_renames_and_removes(tmp_path, make):
    place = make(tmp_path)
    assert place.names() == []
    place.write("b.txt", b"two")
    place.write("a.txt", b"one")
    place.write("a.txt", b"three")
    assert place.names() == ["a.txt", "b.txt"] and place.read("a.txt") == b"three"
    place.rename("a.txt", "c.txt")
    place.remove("b.txt")
    assert place.names() == ["c.txt"]


def test_results_on_a_storage_url_are_those_of_a_folder(tmp_path):
    url = f"memory://{tmp_path.name}"
    run(PLAN, tmp_path, jobs=0)
    run(PLAN, url, jobs=0)
    assert traces(url) == traces(tmp_path)
    assert run(PLAN, url, jobs=0).finished == 0


def test_a_full_disk_is_said_clearly_and_leaves_no_half_file(tmp_path, monkeypatch):
    def full(self, data):
        Path.open(self, "wb").write(data[: len(data) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="the disk is full: make room and run again"):
        run(PLAN, tmp_path, jobs=0)
    monkeypatch.undo()
    assert not list(tmp_path.rglob("*.tmp")) and not list(runs_folder(tmp_path).glob("*.parquet"))
    assert run(PLAN, tmp_path, jobs=0).finished == 8


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_said_clearly(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(OSError, match="no permission to write there: choose another output folder"):
        run(PLAN, tmp_path / "out", jobs=0)


def test_joined_files_hold_the_same_results_and_nothing_is_done_again(tmp_path):
    run(PLAN, tmp_path, jobs=0)
    before = traces(tmp_path)
    assert join(tmp_path, most=5) == 8
    assert [path.name.startswith("joined-") for path in runs_folder(tmp_path).iterdir()] == [True]
    assert traces(tmp_path) == before
    assert run(PLAN, tmp_path, jobs=0).finished == 0
    assert join(tmp_path, most=5) == 0


def test_killed_between_joining_and_removing_each_run_counts_once(tmp_path):
    run(PLAN, tmp_path, jobs=0)
    before = traces(tmp_path)
    write_joined(tmp_path, table_of(tmp_path))  # and then the driver dies
    assert len(done(tmp_path)) == 16 and traces(tmp_path) == before and len(load(tmp_path)) == 8


def test_merge_joins_folders_and_counts_a_run_once(tmp_path):
    a, b, c = (tmp_path / name for name in "abc")
    run(PLAN, a, jobs=0)
    run(Plan(["ROSENBR"], ["gld"], 200, 3), b, jobs=0)
    assert merge([a, b], c) == (9, 9)
    assert traces(c) == {**traces(a), **traces(b)}
    assert merge([a, b], c) == (9, 0)
    assert len(list(c.glob("plan*.toml"))) == 2
    assert run(PLAN, c, jobs=0).finished == 0


def test_merge_refuses_conflicting_runs_with_a_list_and_writes_nothing(tmp_path):
    a, b, c = (tmp_path / name for name in "abc")
    run(PLAN, a, jobs=0)
    table = table_of(a)
    wrong = table.set_column(table.column_names.index("f_final"), "f_final", pa.array(np.arange(8.0)))
    write_joined(b, wrong.slice(0, 2))
    with pytest.raises(ValueError, match=r"2 runs have different results.*\n.*seed \d: differs in f_final"):
        merge([a, b], c)
    assert not list(runs_folder(c).glob("*.parquet"))
    with pytest.raises(ValueError, match="no results in"):
        merge([tmp_path / "nothing"], tmp_path / "fresh")
    assert not (tmp_path / "fresh").exists()


def test_long_cells_come_first_by_past_records_or_by_size():
    cells = [Cell(problem, "stp", "exact", 1000, (0,)) for problem in ("ROSENBR", "QING", "WATSON")]
    assert [cell.problem for cell in longest_first(cells, [])] == ["QING", "WATSON", "ROSENBR"]
    past = [Done("k", "budget", "ROSENBR", "stp", 100, 5.0), Done("l", "budget", "QING", "stp", 100, 0.001)]
    assert longest_first(cells, past)[0].problem == "ROSENBR"
