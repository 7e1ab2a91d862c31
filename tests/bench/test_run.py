import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from steelyard.bench import Plan, load, run
from steelyard.bench.executors import Processes
from steelyard.bench.records import VARYING, load_plan, owned, runs_folder

PLAN = Plan(["ROSENBR", "QING?N=10"], ["stp,preset=paper", "own_methods:Walk"], budget=500, seeds=3)


def contents(out):
    """All records, without what may differ."""
    results = load(out)
    columns = {name: column for name, column in results.columns.items() if name not in VARYING}
    rows = sorted(zip(*(map(str, column) for column in columns.values()), strict=True))
    order = np.argsort(results["key"].astype(str))
    return rows, [results.take([i]).traces["trace_f"].tolist() for i in order]


def test_a_finished_benchmark_is_not_run_again_and_a_larger_one_adds_to_it(tmp_path):
    summary = run(PLAN, tmp_path, jobs=0)
    assert (summary.planned, summary.already_done, summary.finished, summary.failed) == (12, 0, 12, ())
    stamps = {path.name: path.stat().st_mtime_ns for path in runs_folder(tmp_path).iterdir()}
    assert run(PLAN, tmp_path, jobs=0).finished == 0
    larger = Plan(PLAN.problems, PLAN.algorithms, 500, 4)
    assert run(larger, tmp_path, jobs=0).finished == 4
    assert stamps.items() <= {path.name: path.stat().st_mtime_ns for path in runs_folder(tmp_path).iterdir()}.items()
    assert Plan.load(tmp_path / "plan.toml") == PLAN and Plan.load(tmp_path / "plan-2.toml") == larger


def test_processes_give_the_same_results_as_none(tmp_path):
    run(PLAN, tmp_path / "here", jobs=0)
    run(PLAN, tmp_path / "there", jobs=2)
    assert contents(tmp_path / "here") == contents(tmp_path / "there")


def test_failing_runs_are_recorded_and_only_retried_if_wanted(tmp_path):
    plan = Plan(["ROSENBR"], ["own_methods:Breaks", "stp"], budget=50, seeds=6)
    summary = run(plan, tmp_path, jobs=0)
    assert summary.finished == 12 and 0 < len(summary.failed) < 6 and "ZeroDivisionError: seven" in summary.failed[0]
    failed = load(tmp_path).where(status="failed")
    assert len(failed) == len(summary.failed) and set(failed["algorithm"]) == {"own_methods:Breaks"}
    assert run(plan, tmp_path, jobs=0).finished == 0
    assert run(plan, tmp_path, jobs=0, retry_failed=True).finished == len(failed)


def test_a_cell_that_cannot_run_at_all_is_recorded(tmp_path, monkeypatch):
    def refuse(cell):
        raise MemoryError("too large")

    monkeypatch.setattr("steelyard.bench.executors.run_cell", refuse)
    summary = run(PLAN, tmp_path, jobs=0)
    assert len(summary.failed) == 12 and "MemoryError: too large" in summary.failed[0]
    assert np.isinf(load(tmp_path).times("f05", ["ROSENBR"], ["own_methods:Walk"])).all()


def test_a_worker_that_dies_is_replaced_and_its_cell_tried_again(tmp_path):
    (tmp_path / "suicidal.py").write_text(
        "import os\nfrom dataclasses import dataclass\nfrom own_methods import Walk\n"
        "@dataclass(frozen=True)\nclass Once(Walk):\n"
        f"    flag: str = {str(tmp_path / 'died')!r}\n"
        "    def run(self, x, rng):\n"
        "        if not os.path.exists(self.flag):\n"
        "            open(self.flag, 'w').close()\n"
        "            os.kill(os.getpid(), 9)\n"
        "        yield from Walk.run(self, x, rng)\n"
    )
    sys.path.insert(0, str(tmp_path))
    try:
        plan = Plan(["ROSENBR"], ["suicidal:Once", "stp"], budget=50, seeds=2)
        summary = run(plan, tmp_path / "out", executor=Processes(2))
    finally:
        sys.path.remove(str(tmp_path))
    assert (tmp_path / "died").exists() and summary.finished == 4 and not summary.failed


def test_a_corrupt_record_is_named_set_aside_and_done_again(tmp_path):
    run(PLAN, tmp_path, jobs=0)
    before = contents(tmp_path)
    victim = sorted(runs_folder(tmp_path).glob("*.parquet"))[3]
    victim.write_bytes(victim.read_bytes()[:100])
    with pytest.warns(UserWarning, match=victim.name):
        assert run(PLAN, tmp_path, jobs=0).finished == 1
    assert victim.with_suffix(".corrupt").exists() and contents(tmp_path) == before


def test_a_second_driver_is_told_who_has_the_folder(tmp_path):
    with owned(tmp_path), pytest.raises(RuntimeError, match=f'in use by another benchmark.*"process": {os.getpid()}'):
        run(PLAN, tmp_path, jobs=0)
    run(PLAN, tmp_path, jobs=0)


def test_killed_and_resumed_it_ends_with_the_same_results(tmp_path):
    plan = Plan(["suite:toy", "QING", "WATSON"], ["stp,preset=paper", "own_methods:Walk"], budget=3000, seeds=2)
    run(plan, tmp_path / "whole", jobs=0)
    (tmp_path / "plan.toml").write_text(plan.to_toml())
    command = [sys.executable, "-m", "steelyard", "bench", "--plan", str(tmp_path / "plan.toml"), "--no-report"]
    command += ["--jobs", "1", "--out", str(tmp_path / "killed")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    runs, kills = runs_folder(tmp_path / "killed"), 0
    for enough in (1, 6):  # killed as soon as this many runs are there
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and len(list(runs.glob("*.parquet"))) < enough:
            time.sleep(0.01)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        process.wait()
    assert kills == 2 and 0 < len(list(runs.glob("*.parquet"))) < 20
    run(plan, tmp_path / "killed", jobs=0)
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")
    assert not list(runs.glob("*.tmp"))


def test_the_command_says_what_it_did(tmp_path):
    command = [
        sys.executable,
        "-m",
        "steelyard",
        "bench",
        "--problem",
        "ROSENBR",
        "--algorithm",
        "stp",
        "--budget",
        "1e2",
    ]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    options = ["--budget", "1e2", "--seeds", "2", "--out", str(tmp_path / "out"), "--jobs", "0", "--no-report"]
    done = subprocess.run(command + options, env=environment, capture_output=True, text=True, check=True)
    assert "runs: 2 finished, 0 of 2 already there" in done.stderr
    assert "solved fraction" in done.stdout
    wrong = subprocess.run([*command, "--oracle", "loud"], env=environment, capture_output=True, text=True)
    assert wrong.returncode == 2 and "oracle must be one of" in wrong.stderr and "Traceback" not in wrong.stderr


def test_the_owner_is_written_down(tmp_path):
    with owned(tmp_path):
        assert json.loads((tmp_path / "owner.lock").read_text())["process"] == os.getpid()
    assert Path(tmp_path / "owner.lock").exists()


def test_however_a_method_is_spelt_its_runs_are_found(tmp_path):
    run(Plan(["QING?N=100"], ["gld,step=.10,smallest=1e-4"], 50, 2, "noisy,p=.90"), tmp_path, jobs=0)
    same = Plan(["QING"], ["gld,preset=paper"], 50, 2, "noisy,p=0.9,jnd=0")
    assert run(same, tmp_path, jobs=0).already_done == 2
    found = load_plan(same, tmp_path)
    assert len(found) == 2 and set(found["algorithm"]) == {"gld,preset=paper"}
    assert len(load_plan(Plan(["QING"], ["gld"], 50, 2, "noisy,p=0.9"), tmp_path)) == 0


def test_workers_end_with_a_driver_that_is_killed(tmp_path):
    (tmp_path / "endless.py").write_text(
        "import os, time\nfrom dataclasses import dataclass\n"
        "@dataclass(frozen=True)\nclass Endless:\n"
        "    def run(self, x, rng):\n"
        f"        open({str(tmp_path / 'worker')!r}, 'w').write(str(os.getpid()))\n"
        "        time.sleep(600)\n"
        "        yield\n"
    )
    command = [sys.executable, "-m", "steelyard", "bench", "--problem", "ROSENBR", "--algorithm", "endless:Endless"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    driver = subprocess.Popen([*command, "--out", str(tmp_path / "out"), "--jobs", "1"], env=environment)
    pid_file = tmp_path / "worker"
    while not (pid_file.exists() and pid_file.read_text()):
        time.sleep(0.01)
    driver.kill()
    driver.wait()
    worker = int(pid_file.read_text())
    for _ in range(1000):
        if not _is_running(worker):
            return
        time.sleep(0.05)
    os.kill(worker, signal.SIGKILL)
    pytest.fail("the worker outlived its driver")


def _is_running(pid):
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_record_is_on_the_disk_before_it_has_its_name_and_the_name_is_on_it_too(tmp_path, monkeypatch):
    happened = []
    sync, replace = os.fsync, Path.replace

    def noted_sync(descriptor):
        happened.append("folder" if Path(f"/proc/self/fd/{descriptor}").resolve().is_dir() else "file")
        sync(descriptor)

    def noted_replace(path, target):
        happened.append("name")
        return replace(path, target)

    monkeypatch.setattr("steelyard.bench.storage.os.fsync", noted_sync)
    monkeypatch.setattr(Path, "replace", noted_replace)
    run(Plan(["ROSENBR"], ["stp"], 20, 1), tmp_path, jobs=0)
    assert happened == ["file", "name", "folder"] * 2  # the plan and the one run
