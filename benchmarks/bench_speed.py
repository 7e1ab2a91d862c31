"""The whole benchmark against a bare loop of f calls: 5 methods x 22 problems x 5 seeds, all in one run.

    python benchmarks/bench_speed.py                     # 5.5 million queries
    python benchmarks/bench_speed.py --budget 1000       # a quick look
    python benchmarks/bench_speed.py --wall              # as users run it: a process a core, wall time

Everything that `steelyard bench` does is counted: methods, oracle, traces with gradients at every step, records on
disk. Against it stands a loop that evaluates as many points as there were queries, one by one, with the same f and
nothing else: once through the problem's own `f`, which checks its argument, and once through the bare kernel. The two
take turns problem by problem, in one process on one core, and CPU time is compared, so that a busy machine slows both.
`--wall` needs an idle machine: the whole plan in as many processes as there are cores, against the same loop.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before numpy is imported

import numpy as np  # noqa: E402

from steelyard.bench import Plan, load, run  # noqa: E402
from steelyard.paper.plans import METHODS  # noqa: E402
from steelyard.problems import SUITES, get  # noqa: E402

SAMPLE = 2000


def bare_seconds(name: str) -> tuple[float, float]:
    """CPU seconds of one evaluation: by `f`, and by the kernel alone."""
    problem = get(name)
    points = list(problem.x0 + 0.1 * np.random.default_rng(0).standard_normal((SAMPLE, problem.n)))
    rows = [x[None] for x in points]
    start = time.process_time()
    for x in points:
        problem.f(x)
    middle = time.process_time()
    for row in rows:
        problem.values(row)
    return (middle - start) / SAMPLE, (time.process_time() - middle) / SAMPLE


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budget", type=int, default=10_000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--problems", nargs="*", default=SUITES["paper22"]())
    parser.add_argument("--wall", action="store_true", help="wall time of the whole plan, in parallel as by default")
    options = parser.parse_args()
    if options.wall:
        in_parallel(options.problems, options.budget, options.seeds)
    else:
        problem_by_problem(options.problems, options.budget, options.seeds)


def in_parallel(names: list[str], budget: int, seeds: int) -> None:
    before = [bare_seconds(name)[0] for name in names]
    with tempfile.TemporaryDirectory() as out:
        start = time.perf_counter()
        run(Plan(names, list(METHODS.values()), budget, seeds), out)
        seconds = time.perf_counter() - start
        results = load(out, traces=False)
    after = [bare_seconds(name)[0] for name in names]
    asked = [results["queries"][results["problem"] == name].sum() for name in names]
    loop = sum(count * (a + b) / 2 for count, a, b in zip(asked, before, after, strict=True))
    print(
        f"{int(sum(asked)):,} queries in {seconds:.1f} s of wall time, the bare loop {loop:.1f} s: {seconds / loop:.2f}"
    )


def problem_by_problem(names: list[str], budget: int, seeds: int) -> None:
    totals = np.zeros(3)
    queries = 0
    print(f"{'problem':12s} {'us per query':>12s} {'us of f':>8s} {'ratio':>6s} {'to the kernel':>14s}")
    with tempfile.TemporaryDirectory() as out:
        for name in names:
            before = bare_seconds(name)
            start = time.process_time()
            run(Plan([name], list(METHODS.values()), budget, seeds), f"{out}/{name}", jobs=0)
            seconds = time.process_time() - start
            after = bare_seconds(name)
            asked = int(load(f"{out}/{name}", traces=False)["queries"].sum())
            f, kernel = ((a + b) / 2 * asked for a, b in zip(before, after, strict=True))
            totals += seconds, f, kernel
            queries += asked
            row = f"{name:12s} {seconds / asked * 1e6:12.2f} {f / asked * 1e6:8.2f}"
            print(f"{row} {seconds / f:6.2f} {seconds / kernel:14.2f}", flush=True)
    ours, f, kernel = totals
    print(f"{queries:,} queries: {ours:.1f} s, the bare loop {f:.1f} s (kernel alone {kernel:.1f} s)")
    print(f"ratio {ours / f:.2f}, to the kernel alone {ours / kernel:.2f}")


if __name__ == "__main__":
    main()
