"""Kill a benchmark 20 times at random moments, resume it each time, and compare with an undisturbed one.

    python benchmarks/kill_bench.py            # about five minutes
    python benchmarks/kill_bench.py --kills 3

The driver is killed by SIGKILL together with nothing else: its workers must notice by themselves. In the end all runs
must be there exactly once, with the same numbers to the last bit, and no process and no half-written file be left.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from steelyard.bench import Plan, Results, load, run
from steelyard.bench.records import VARYING, runs_folder

PLAN = Plan(
    ["suite:paper22"], ["stp,preset=paper", "gld,preset=published", "cma-es,preset=paper"], budget=1000, seeds=2
)


def contents(out: Path) -> dict[str, tuple[object, ...]]:
    """Every record by its key, without what may differ from run to run."""
    results: Results = load(out)
    names = [name for name in results.columns if name not in VARYING]
    found = {}
    for i, key in enumerate(results["key"]):
        trace = slice(results.offsets[i], results.offsets[i + 1])
        traces = tuple(column[trace].tobytes() for column in results.traces.values())
        found[str(key)] = (*(np.asarray(results[name][i]).tolist() for name in names), *traces)
    return found


def there(out: Path) -> int:
    return len(list(runs_folder(out).glob("*.parquet")))


def wait_for_more(process: subprocess.Popen[bytes], out: Path) -> None:
    """Until the benchmark has finished at least one more run."""
    before = there(out)
    while process.poll() is None and there(out) == before:
        time.sleep(0.005)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        whole, killed = Path(folder) / "whole", Path(folder) / "killed"
        began = time.monotonic()
        run(PLAN, whole)
        undisturbed = time.monotonic() - began
        plan = Path(folder) / "plan.toml"
        plan.write_text(PLAN.to_toml(), encoding="utf-8")
        command = [sys.executable, "-m", "steelyard", "bench", "--plan", str(plan), "--out", str(killed), "--no-report"]
        planned, kills = len(contents(whole)), 0
        while kills < options.kills:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if chance.random() < 0.8:  # else perhaps before it has even started
                wait_for_more(process, killed)
            time.sleep(chance.uniform(0.0, undisturbed / options.kills))
            if process.poll() is not None:
                break  # it was faster than its murderer
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
            print(f"killed {kills} times, {there(killed)} of {planned} runs are there", flush=True)
        summary = run(PLAN, killed)
        print(f"resumed: {summary.already_done} runs were there, {summary.finished} were left")
        same = contents(whole) == contents(killed)
        left_over = [path.name for path in runs_folder(killed).iterdir() if path.suffix != ".parquet"]
        verdict = "identical" if same else "DIFFERENT"
        print(f"after {kills} kills the {planned} records are {verdict}; left over: {left_over}")
        raise SystemExit(0 if same and not left_over else 1)


if __name__ == "__main__":
    main()
