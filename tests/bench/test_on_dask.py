"""A real cluster of separate processes: the same results as here, also when workers or the scheduler die."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from steelyard.bench import Plan, load, run
from steelyard.bench.engine import executor_on
from steelyard.bench.on_dask import OnDask, local_cluster
from steelyard.bench.records import done

pytest.importorskip("distributed", reason="the Dask executor needs the extra dask")

PLAN = Plan(["suite:toy", "QING", "WATSON"], ["stp,preset=paper", "gld", "signopt"], budget=1000, seeds=2)


def traces(out):
    results = load(out)
    return {key: results.take([i]).traces["trace_f"].tolist() for i, key in enumerate(results["key"])}


def quiet(_):
    pass


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    out = tmp_path_factory.mktemp("here")
    run(PLAN, out, jobs=0)
    return traces(out)


def test_the_same_results_as_here_with_a_worker_killed_in_the_middle(tmp_path, here):
    with local_cluster(2) as cluster:
        victims = []

        def kill_one():
            while not done(tmp_path):
                time.sleep(0.02)
            victims.append(next(iter(cluster.workers.values())).pid)
            os.kill(victims[0], signal.SIGKILL)

        killer = threading.Thread(target=kill_one, daemon=True)
        killer.start()
        summary = run(PLAN, tmp_path, executor=OnDask(cluster.scheduler_address, say=quiet))
        killer.join(10)
    assert victims and summary.finished == summary.planned == 30 and not summary.failed
    assert traces(tmp_path) == here
    assert sorted(entry.key for entry in done(tmp_path)) == sorted(here)  # every cell exactly once


def test_workers_write_to_a_storage_that_they_all_reach(tmp_path, here):
    url = f"file://{tmp_path}/shared"
    said = []
    executor = OnDask(workers=2, shared=url, say=said.append)
    assert run(PLAN, url, executor=executor).finished == 30
    assert traces(url) == here
    assert said[0].startswith("dashboard: http")


def test_a_lost_scheduler_is_said_and_what_is_finished_is_kept(tmp_path, here):
    script = (
        "from steelyard.bench.on_dask import local_cluster\n"
        "import time\n"
        "if __name__ == '__main__':\n"
        "    with local_cluster(1) as c:\n"
        "        print(c.scheduler_address, flush=True)\n"
        "        time.sleep(120)\n"
    )
    (tmp_path / "cluster.py").write_text(script)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    engine = subprocess.Popen(
        [sys.executable, str(tmp_path / "cluster.py")], stdout=subprocess.PIPE, text=True, env=environment
    )
    out = tmp_path / "out"
    try:
        address = engine.stdout.readline().strip()

        def kill_it():
            while not done(out):
                time.sleep(0.02)
            engine.kill()

        threading.Thread(target=kill_it, daemon=True).start()
        (tmp_path / "plan.toml").write_text(PLAN.to_toml(), encoding="utf-8")
        command = [sys.executable, "-m", "steelyard", "bench", "--plan", str(tmp_path / "plan.toml"), "--on", address]
        ended = subprocess.run([*command, "--out", str(out)], env=environment, capture_output=True, text=True)
    finally:
        engine.kill()
    said = [line for line in ended.stderr.splitlines() if not line.startswith("dashboard: ")]
    assert said == ["steelyard: the cluster's scheduler is lost: finished runs are kept, run again to go on"]
    assert ended.returncode == 2 and (out / "report" / "index.html").exists()
    kept = len(done(out))
    assert 0 < kept < 30
    assert run(PLAN, out, jobs=0).finished == 30 - kept
    assert traces(out) == here


def test_no_scheduler_and_nonsense_are_named(tmp_path):
    with pytest.raises(RuntimeError, match=r"no Dask scheduler answers at tcp://127.0.0.1:1"):
        run(PLAN, tmp_path, executor=OnDask("tcp://127.0.0.1:1", say=quiet, patience=2.0))
    with pytest.raises(ValueError, match=r"on must be processes, dask or a scheduler's address .* got 'slurm'"):
        executor_on("slurm", None, "out")
