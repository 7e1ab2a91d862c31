"""The table behind `steelyard estimate`, from the runs of plans/estimate.toml.

steelyard bench --plan plans/estimate.toml
python tools/estimate_table.py results/estimate

It writes src/steelyard/comparisons.json: for each number of variables, rate of errors and accuracy the comparisons
after which the gap (f - f*) / (f(x0) - f*) stayed below the accuracy in half, and in five of six, of the runs.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from steelyard.bench.plan import Plan
from steelyard.bench.records import load
from steelyard.bench.results import Results

ROOT = Path(__file__).parents[1]
PLAN = ROOT / "plans" / "estimate.toml"
TABLE = ROOT / "src" / "steelyard" / "comparisons.json"
ACCURACIES = (0.3, 0.1, 0.03, 0.01, 0.003, 0.001)
SHARES = {"half": 0.5, "most": 5 / 6}


def table(results: Results, plan: Plan, commit: str) -> dict[str, object]:
    """The table as it is shipped; None where the accuracy was not reached within the plan's budget."""
    rates = {oracle: error_rate(oracle) for oracle in plan.oracles}
    counts = {
        name: [[crossings(gaps(results, n, oracle, plan), plan.checkpoints, share) for oracle in rates] for n in plan.n]
        for name, share in SHARES.items()
    }
    return {
        "made by": "steelyard bench --plan plans/estimate.toml; python tools/estimate_table.py",
        "commit": commit,
        "method": plan.algorithms[0],
        "problems": "rotated quadratics of condition 10 and 100",
        "runs": len(plan.problems) * plan.seeds,
        "budget": plan.budget,
        "variables": list(plan.n),
        "error_rates": list(rates.values()),
        "accuracies": list(ACCURACIES),
        **counts,
    }


def error_rate(oracle: str) -> float:
    return 0.0 if oracle == "exact" else round(1.0 - float(oracle.partition("p=")[2]), 6)


def gaps(results: Results, n: int, oracle: str, plan: Plan) -> np.ndarray:
    """Gaps by run and checkpoint."""
    mine = results.where(oracle=oracle, n=n)
    assert len(mine) == len(plan.problems) * plan.seeds, (n, oracle, len(mine))
    start, best = (mine[name].astype(float) for name in ("f0", "f_best"))
    return np.array([(mine.at(count) - best) / (start - best) for count in plan.checkpoints]).T


def crossings(of_runs: np.ndarray, checkpoints: object, share: float) -> list[float | None]:
    """For each accuracy, after how many comparisons at least this share of runs is there for good."""
    rank = int(np.ceil(share * len(of_runs))) - 1
    level = np.sort(of_runs, axis=0)[rank]  # at each checkpoint the gap that this share of runs does not exceed
    level = np.log(np.maximum(np.maximum.accumulate(level[::-1])[::-1], 1e-16))  # and does not exceed later either
    at = np.log(np.array(checkpoints, dtype=float))
    found: list[float | None] = []
    for accuracy in ACCURACIES:
        below = np.flatnonzero(level <= np.log(accuracy))
        if not below.size:
            found.append(None)
            continue
        i = int(below[0])
        if i == 0:
            found.append(round(float(np.exp(at[0])), 1))
            continue
        part = (level[i - 1] - np.log(accuracy)) / (level[i - 1] - level[i])
        found.append(round(float(np.exp(at[i - 1] + part * (at[i] - at[i - 1]))), 1))
    return found


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "results/estimate")
    plan = Plan.from_toml(PLAN.read_text(encoding="utf-8"))
    commit = sys.argv[2] if len(sys.argv) > 2 else _commit()
    TABLE.write_text(json.dumps(table(load(folder), plan, commit)) + "\n", encoding="utf-8")
    print(TABLE)


def _commit() -> str:
    words = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()


if __name__ == "__main__":
    main()
