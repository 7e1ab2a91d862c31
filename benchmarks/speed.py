"""Time per query against one single-row evaluation of the same f, all in one run.

    python benchmarks/speed.py            # a minute
    python benchmarks/speed.py --large    # also n = 1,000,000

Machines are shared and noisy, so everything is a ratio taken in one run: rounds of "f alone" and "the whole run" are
interleaved and the fastest of each compared, which is what the work costs when nobody disturbs it. Query counts are
exact.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Iterator

import numpy as np

from steelyard import FunctionOracle, Session, minimize, problems
from steelyard.dialogue import Step
from steelyard.registry import make_algorithm

ROUNDS = 15
METHODS = ["stp", "gld", "signopt", "scobo"]


def cpu_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def interleaved(works: dict[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, float]:
    """The least CPU seconds of each piece of work, the pieces taken in turn."""
    least = dict.fromkeys(works, float("inf"))
    for _ in range(rounds):
        for name, work in works.items():
            least[name] = min(least[name], cpu_seconds(work))
    return least


def whole_runs(problem: problems.Problem, queries: int) -> dict[str, Callable[[], object]]:
    def whole_run(method: str) -> Callable[[], object]:
        return lambda: minimize(FunctionOracle(problem.f), problem.x0, method=method, budget=queries, rng=1)

    return {method: whole_run(method) for method in METHODS}


def per_query_against_f(name: str, queries: int) -> Iterator[str]:
    problem = problems.get(name)
    points = list(problem.x0 + 0.1 * np.random.default_rng(0).normal(size=(queries, problem.n)))
    seconds = interleaved({"f": lambda: [problem.f(x) for x in points]} | whole_runs(problem, queries))
    yield f"{name} (n = {problem.n}): one evaluation of f takes {seconds['f'] / queries * 1e6:.1f} us"
    for method in METHODS:
        yield f"    {method:10s} {seconds[method] / seconds['f']:5.2f} x f per query"


def single_comparisons(queries: int) -> dict[str, Callable[[], object]]:
    """A bare generator, and `Session` around it, with and without the answer log."""
    x0, algorithm = np.ones(100), make_algorithm("stp", {"preset": "paper"})
    answer = np.array([1], dtype=np.int8)

    class Yes:
        answers_are_plain = True  # as our own oracles say, whose answers are not checked

        def compare(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
            return answer

    def bare() -> None:
        generator, asked = algorithm.run(x0, np.random.default_rng(0)), 0
        message = next(generator)
        while asked < queries:
            if type(message) is Step:
                message = next(generator)
            else:
                asked += 1
                message = generator.send(answer)

    return {
        "bare": bare,
        "session": lambda: Session(algorithm, x0, 0, log=False).run(Yes(), queries),
        "with log": lambda: Session(algorithm, x0, 0).run(Yes(), queries),
    }


def session_overhead(queries: int) -> Iterator[str]:
    """What `Session` adds to a single comparison of a bare generator."""
    seconds = interleaved(single_comparisons(queries), rounds=10 * ROUNDS)
    for name in ("session", "with log"):
        yield f"    {name:10s} {(seconds[name] - seconds['bare']) / queries * 1e6:5.2f} us over the bare generator"


def thinking(name: str, queries: int, rounds: int = 5) -> float:
    """Microseconds of CPU per comparison that `cqn` thinks by itself, answers not counted: the least of some runs."""
    problem, method = problems.get(name), make_algorithm("cqn")

    def once() -> float:
        oracle, generator = FunctionOracle(problem), method.run(problem.x0, np.random.default_rng(0))
        asked, spent, answers = 0, 0.0, None
        while asked < queries:
            start = time.process_time()
            message = generator.send(answers)
            spent += time.process_time() - start
            answers = None
            if type(message) is not Step:
                answers, asked = oracle.compare(message.a, message.b), asked + len(message)
        return spent / asked * 1e6

    return min(once() for _ in range(rounds))


def large(n: int, queries: int) -> Iterator[str]:
    def f(x: np.ndarray) -> float:
        return float(x @ x)

    x0 = np.ones(n)
    for method in METHODS:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        seconds = cpu_seconds(lambda m=method: minimize(FunctionOracle(f), x0, method=m, budget=queries, rng=0))
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / x0.nbytes
        yield f"    {method:10s} {seconds / queries * 1e3:7.1f} ms per query, peak memory grew by {grown:.0f} vectors"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--large", action="store_true", help="also n = 1,000,000")
    parser.add_argument("--queries", type=int, default=10_000)
    arguments = parser.parse_args()
    for name in ("QING", "LUKSAN17LS", "LUKSAN11LS"):
        print(*per_query_against_f(name, arguments.queries), sep="\n")
    for name in ("QING", "QING~rotated=1", "LUKSAN15LS~rotated=1"):
        print(f"cqn on {name}, n = 100: thinks {thinking(name, arguments.queries):.1f} us per comparison")
    print("session overhead of a single comparison, n = 100", *session_overhead(arguments.queries // 5), sep="\n")
    if arguments.large:
        print("n = 1,000,000", *large(1_000_000, 200), sep="\n")


if __name__ == "__main__":
    main()
