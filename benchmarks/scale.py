"""Beyond one machine: does a second worker help, how long does judging take, and what does a dimension cost?

python benchmarks/scale.py workers      # 200 uneven cells on one and on two Dask workers: the ratio
python benchmarks/scale.py judge        # read and judge 100,000 runs: seconds and memory
python benchmarks/scale.py dimension    # time a query and memory against n
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

RUNS = 100_000
SAMPLERS = ("stp", "gld", "signopt", "scobo")


def workers() -> None:
    """The wall time of the same plan on 1 and on 2 worker processes that are already there."""
    from steelyard.bench import Plan, run
    from steelyard.bench.on_dask import OnDask, local_cluster

    dimensions = np.random.default_rng(0).choice(np.arange(2, 400), size=50, replace=False).tolist()
    problems = [name.format(n) for n in dimensions for name in ("QING?N={}", "TRIGON1?N={}")]
    plan = Plan(problems, ["stp,preset=paper", "gld,preset=paper"], budget=10_000, seeds=1)
    seconds = {}
    for count in (1, 2):
        with local_cluster(count) as cluster, tempfile.TemporaryDirectory() as out:
            executor = OnDask(cluster.scheduler_address, say=lambda _: None)
            run(Plan(["ROSENBR"], ["stp"], 100, 2), out, executor=executor)  # imports, out of the measurement
            start = time.perf_counter()
            summary = run(plan, out, executor=executor)
            seconds[count] = time.perf_counter() - start
            print(f"{count} worker(s): {summary.finished} cells in {seconds[count]:.1f} s")
    print(f"two workers are {seconds[1] / seconds[2]:.2f} x as fast as one")


def judge() -> None:
    """Made-up results, read and judged in a process of its own so that its memory is its own."""
    with tempfile.TemporaryDirectory() as out:
        make_results(Path(out), RUNS)
        subprocess.run([sys.executable, __file__, "judge-here", out], check=True)


def make_results(out: Path, runs: int) -> None:
    import pyarrow as pa

    from steelyard.bench.criteria import CRITERIA
    from steelyard.bench.plan import RECORD_FORMAT
    from steelyard.bench.records import schema, write_joined

    rng = np.random.default_rng(0)
    problems, algorithms, points = [f"P{i}" for i in range(100)], [f"method-{i}" for i in range(10)], 60
    for first in range(0, runs, 10_000):
        rows = np.arange(first, min(first + 10_000, runs))
        m = len(rows)
        columns: dict[str, object] = {
            "key": [f"{i:024x}" for i in rows],
            "format": np.full(m, RECORD_FORMAT),
            "problem": [problems[i % 100] for i in rows],
            "algorithm": [algorithms[i // 100 % 10] for i in rows],
            "oracle": ["exact"] * m,
            "status": ["budget"] * m,
            "budget": np.full(m, 10_000),
            "seed": rows // 1000,
            "f0": np.ones(m),
            "f_best": np.zeros(m),
            **{f"to_{name}": np.where(rng.random(m) < 0.7, rng.integers(1, 10_000, m), np.inf) for name in CRITERIA},
            "trace_queries": list(np.sort(rng.integers(0, 10_000, (m, points)), axis=1)),
            "trace_evaluations": list(np.sort(rng.integers(0, 20_000, (m, points)), axis=1)),
            "trace_f": list(np.exp(-rng.random((m, points)).cumsum(axis=1))),
            "trace_g": list(rng.random((m, points))),
        }
        empty = {field.name: pa.nulls(m, field.type) for field in schema()}
        filled = {name: pa.array(values, schema().field(name).type) for name, values in columns.items()}
        write_joined(out, pa.table({**empty, **filled}, schema=schema()))


def judge_here(out: str) -> None:
    from steelyard.bench import load
    from steelyard.bench.criteria import CRITERIA
    from steelyard.bench.profiles import data_profile, performance_profile, solved_fraction

    start = time.perf_counter()
    results = load(out)
    read = time.perf_counter()
    problems, algorithms = results.problems, results.algorithms
    for criterion in CRITERIA:
        times = results.times(criterion, problems, algorithms)
        solved_fraction(times)
        performance_profile(times)
        data_profile(times, np.full(len(problems), 100))
    results.curves(np.logspace(1, 4, 50))
    end = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{len(results):,} runs: read in {read - start:.1f} s, judged in {end - read:.1f} s, {peak:.2f} GiB at the peak"
    )


def dimension() -> None:
    """Each (method, n) in a process of its own, so that its peak memory is its own."""
    print("| n | method | comparisons | ms per query | f alone, ms | memory beyond the start, in vectors |", flush=True)
    print("|---|---|---|---|---|---|", flush=True)
    for n, queries in ((1_000, 2_000), (10_000, 1_000), (100_000, 400), (1_000_000, 200)):
        for method in (*SAMPLERS, *(["cqn"] if n <= 10_000 else [])):
            count = queries if method != "cqn" else 6 * n
            subprocess.run([sys.executable, __file__, "dimension-here", method, str(n), str(count)], check=True)


def dimension_here(method: str, n: int, queries: int) -> None:
    from steelyard import FunctionOracle, minimize

    weights = np.linspace(1.0, 10.0, n)

    def f(x: np.ndarray) -> np.ndarray:
        return ((x * x) * weights[: x.shape[-1]]).sum(axis=-1)

    x0 = np.ones(n)
    minimize(FunctionOracle(f, vectorized=True), x0[:10], method=method, budget=50, rng=0)  # imports
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    result = minimize(FunctionOracle(f, vectorized=True), x0, method=method, budget=queries, rng=0)
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    start = time.process_time()
    for _ in range(20):
        f(x0)
    alone = (time.process_time() - start) / 20
    each, vectors = seconds / result.ncmp * 1e3, peak * 1024 / x0.nbytes
    print(f"| {n:,} | {method} | {result.ncmp:,} | {each:.3f} | {alone * 1e3:.3f} | {vectors:.0f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=["workers", "judge", "dimension", "judge-here", "dimension-here"])
    parser.add_argument("rest", nargs="*")
    arguments = parser.parse_args()
    if arguments.what == "dimension-here":
        method, n, queries = arguments.rest
        dimension_here(method, int(n), int(queries))
    elif arguments.what == "judge-here":
        judge_here(*arguments.rest)
    else:
        {"workers": workers, "judge": judge, "dimension": dimension}[arguments.what]()


if __name__ == "__main__":
    main()
