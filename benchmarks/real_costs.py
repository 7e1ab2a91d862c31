"""What a comparison of each real task costs, and a measurement of its hidden quality, in seconds of this machine.

    python benchmarks/real_costs.py --into docs/results/real.md

A comparison is the mean of the same four, by a judge who remembers nothing of them; a measurement is of one point, each
time another. Both are the least of three, since other work on the machine can only make them longer.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from steelyard.bench.markdown import fill, markdown_table
from steelyard.problems import get
from steelyard.real.tasks import TASKS, missing

REPEATS, PAIRS = 3, 4


def seconds(act: Callable[[int], object], parts: int = 1) -> str:
    """How long a part of `act(k)` takes, the least for k from 1; the first call, which prepares, does not count."""
    act(0)
    taken = []
    for k in range(1, REPEATS + 1):
        begun = time.perf_counter()
        act(k)
        taken.append((time.perf_counter() - begun) / parts)
    return f"{min(taken):.2g}" if min(taken) >= 0.001 else "<0.001"


def row(name: str) -> list[str]:
    task = get(TASKS[name].instances[0].format(seed=0))
    low, high = task.bounds
    a, b, measured = low + (high - low) * np.random.default_rng(0).random((3, PAIRS, task.n))
    asked = seconds(lambda k: task.judge(np.random.default_rng(0)).compare(a, b), PAIRS)
    return [name, str(task.n), asked, seconds(lambda k: task.f(measured[k]))]


def table() -> str:
    rows = []
    for name in TASKS:
        if reason := missing(name):
            print(reason)
        else:
            rows.append(row(name))
    return markdown_table(["task", "variables", "a comparison", "a measurement"], rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--into", type=Path)
    given = parser.parse_args()
    text = table()
    print(text)
    if given.into:
        fill(given.into, {"costs": lambda: text}, "real-costs")
