"""How many comparisons CQN needs, beside other methods: solved counts, paired ratios, noise, start scales, thinking.

    python benchmarks/cqn.py solved                      # CQN on all groups
    python benchmarks/cqn.py solved --methods stp,preset=paper gld,preset=paper --groups paper rotated
    python benchmarks/cqn.py noise | scales | thinking
    python benchmarks/cqn.py ratios cqn powell --groups rotated

A run is judged at its recommendations (methods that see values: at their best point so far, an evaluation counted as a
query). f5: f <= .05 f0; g5: |g| <= .05 |g0|; r3, r6: f - f* <= 1e-3, 1e-6 (f0 - f*), where f* is the best value that
BFGS and L-BFGS-B find from x0 with exact gradients. Results are kept in results/cqn-bench by method, version of
the sources, problem and noise; what is there is not run again.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from multiprocessing import Pool

import foreign
import kept
import numpy as np
import scipy.optimize

from steelyard import FunctionOracle, Session, problems
from steelyard.oracles import NoisyOracle, Oracle
from steelyard.problems import Problem
from steelyard.registry import make_algorithm

LEVELS = {"f5": 5e-2, "g5": 5e-2, "r3": 1e-3, "r6": 1e-6}
BUDGETS = (1_000, 10_000, 100_000)
TOYS = ["SparseQuadratic", "MaxK", "NonSparseQuadratic"]
NOISY = ["QING", "LUKSAN17LS", "ERRINROS", "HILBERTB", "TRIGON1"]
SLOW = {"MANCINO"}  # 40 times the time of any other; run with --slow
UNBOUNDED = {"INDEF", "n10FOLDTRLS", "FLETCHBV"}


def groups(slow: bool) -> dict[str, list[str]]:
    """The names of the problems of each group."""
    paper = [p.name for p in problems.suite("paper22") if slow or p.name not in SLOW]
    wide = [n for n in problems.names() if n not in {*paper, *TOYS, *SLOW, *UNBOUNDED}]
    turnable = [*paper, "SparseQuadratic", "MaxK"]  # a rotated sphere is the sphere
    return {
        "paper": paper,
        "toy": TOYS,
        "rotated": [f"{name}~rotated={seed}" for seed in (1, 2, 3) for name in turnable],
        "turned": [f"{name}~turned={seed}" for seed in (1, 2, 3) for name in turnable],
        "shifted": [f"{name}~shifted={seed},0.3" for seed in (1, 2) for name in paper],
        "wide": wide,
        "wide-rotated": [f"{name}~rotated=1" for name in wide],
    }


# --- one run


@dataclass
class Judge:
    """At how many queries each criterion of `until` was first met."""

    problem: Problem
    f_star: float
    until: tuple[str, ...] = tuple(LEVELS)

    def __post_init__(self) -> None:
        p = self.problem
        f0 = p.f(p.x0)
        self.hits: dict[str, int] = {}
        self.f = f0
        self.done = False
        self._x: np.ndarray | None = None
        self._g0 = float(np.linalg.norm(p.gradient(p.x0)))
        values = {"f5": 0.05 * f0} | {c: self.f_star + LEVELS[c] * (f0 - self.f_star) for c in ("r3", "r6")}
        self._values = {criterion: value for criterion, value in values.items() if criterion in self.until}
        lowest = self.f_star if p.f_best is None else min(self.f_star, p.f_best)
        self._wanted = set(self.until) - ({"f5"} if lowest > 0.05 * f0 else set())

    def look(self, x: np.ndarray, queries: int) -> None:
        """Note what is met at x; `done` once nothing is left to wait for."""
        if x is self._x or self.done:
            return
        self._x = x
        self.f = self.problem.f(x)
        for criterion, value in self._values.items():
            if criterion not in self.hits and self.f <= value:
                self.hits[criterion] = queries
        if "g5" in self._wanted - self.hits.keys() and self._flat(x):
            self.hits["g5"] = queries
        self.done = self._wanted <= self.hits.keys()

    def _flat(self, x: np.ndarray) -> bool:
        return bool(np.linalg.norm(self.problem.gradient(x)) <= LEVELS["g5"] * self._g0)


def run(method: str, name: str, budget: int, p: float, seed: int, until: tuple[str, ...]) -> dict[str, object]:
    """One method on one problem, answered right with probability p, until all criteria are met or the budget is used.

    `ended` says that a larger budget would give the same run.
    """
    problem = problems.get(name)
    judge = Judge(problem, reference(name), until)
    start = time.process_time()
    with np.errstate(all="ignore"):
        if method in foreign.WITH_VALUES:
            message, ended = _run_with_values(method, problem, budget, judge)
        else:
            oracle = FunctionOracle(problem, cache=4096)
            answers = NoisyOracle(oracle, p, 1000 + seed) if p < 1.0 else oracle
            message, ended = _run_with_comparisons(method, problem, seed, answers, budget, judge)
    return {
        "method": method, "problem": name, "n": problem.n, "hits": judge.hits, "f": judge.f, "f_star": judge.f_star,
        "message": message, "ended": ended or judge.done, "seconds": time.process_time() - start,
    }  # fmt: skip


def _run_with_comparisons(
    method: str, problem: Problem, seed: int, oracle: Oracle, budget: int, judge: Judge
) -> tuple[str, bool]:
    session = Session(foreign.algorithm(method), problem.x0, seed, log=False)
    session.watch(lambda queries, x: judge.look(x, queries))
    while (question := session.question) is not None and not judge.done:
        if session.queries + len(question) > budget:
            return "the budget is used", False
        session.feed(oracle.compare(question.a, question.b))
    return session.reason or "all is met", True


def _run_with_values(method: str, problem: Problem, budget: int, judge: Judge) -> tuple[str, bool]:
    other, best, evaluations = foreign.WITH_VALUES[method], np.inf, 0

    def f(x: np.ndarray) -> float:
        nonlocal best, evaluations
        evaluations += 1
        value = float(problem.f(x))
        if value < best:
            best = value
            judge.look(x.copy(), evaluations)
        if evaluations >= budget or judge.done:
            raise StopIteration
        return value

    try:
        return other.run(f, problem.x0, budget + 1, **other.settings), True
    except StopIteration:
        return "stopped", False


def reference(name: str) -> float:
    """f*: the best value that gradient methods find from x0, kept for the next time."""
    name = name.split("~rotated")[0]  # a rotation about x0 changes nothing for them
    path = kept.FOLDER / "f_star" / f"{name}.json"
    if not path.exists():
        p = problems.get(name)
        found = [p.f(p.x0)] if p.f_best is None or p.family != "toy" else [p.f_best]
        for method, options in (
            ("L-BFGS-B", {"maxiter": 20_000, "maxfun": 30_000, "ftol": 0.0, "gtol": 1e-10}),
            ("BFGS", {"maxiter": 3000, "gtol": 1e-9}),
        ):
            with np.errstate(all="ignore"):
                found.append(scipy.optimize.minimize(p.f, p.x0, jac=p.gradient, method=method, options=options).fun)
        kept.write(path, float(np.nanmin(found)))
    return float(json.loads(path.read_text()))


# --- many runs


def run_all(
    jobs: Iterable[kept.Job], budget: int, processes: int, until: kept.Until = tuple(LEVELS), stale: bool = False
) -> list[kept.Run]:
    """All (method, problem, p, seed), from what is kept where possible."""
    jobs = list(jobs)
    missing = [job for job in jobs if kept.find(job, budget, until, stale) is None]
    if missing:
        with Pool(processes) as pool:
            for _ in pool.imap_unordered(partial(_run_and_keep, budget, until), missing, chunksize=1):
                pass
    return [kept.find(job, budget, until, stale) for job in jobs]


def _run_and_keep(budget: int, until: kept.Until, job: kept.Job) -> None:
    method, name, p, seed = job
    kept.keep(job, budget, until, run(method, name, budget, p, seed, until))


# --- the tables


def counts(results: list[dict], criterion: str) -> str:
    return "/".join(str(sum(r["hits"].get(criterion, np.inf) <= b for r in results)) for b in BUDGETS)


def show_solved(methods: list[str], chosen: list[str], arguments: argparse.Namespace) -> None:
    for group in chosen:
        names = groups(arguments.slow)[group]
        print(f"\n{group} ({len(names)}), solved at 1e3/1e4/1e5\n| method | f5 | g5 | r3 | r6 |\n|---|---|---|---|---|")
        for method in methods:
            jobs = [(method, name, 1.0, 0) for name in names]
            results = run_all(jobs, arguments.budget, arguments.processes)
            print(f"| {method} | " + " | ".join(counts(results, c) for c in LEVELS) + " |", flush=True)


def ratios(first: list[dict], second: list[dict], criterion: str, budget: int) -> list[float]:
    """Queries of the first over queries of the second; an unsolved run counts twice the budget."""
    pairs = [(a["hits"].get(criterion), b["hits"].get(criterion)) for a, b in zip(first, second, strict=True)]
    return [(a or 2 * budget) / (b or 2 * budget) for a, b in pairs if a or b]


def show_ratios(methods: list[str], chosen: list[str], arguments: argparse.Namespace) -> None:
    first, *others = methods
    print(f"queries of {first} / queries of the other: median (geometric mean) over problems that one of them solves")
    for group in chosen:
        names = groups(arguments.slow)[group]
        solve = partial(run_all, budget=arguments.budget, processes=arguments.processes)
        ours = solve([(first, name, 1.0, 0) for name in names])
        print(f"\n{group}\n| other method | " + " | ".join(LEVELS) + " |\n|---|---|---|---|---|")
        for method in others:
            theirs = solve([(method, name, 1.0, 0) for name in names])
            cells = []
            for criterion in LEVELS:
                q = ratios(ours, theirs, criterion, arguments.budget)
                cells.append(f"{np.median(q):.3g} ({np.exp(np.mean(np.log(q))):.3g})" if q else "-")
            print(f"| {method} | " + " | ".join(cells) + " |", flush=True)


def show_noise(methods: list[str], arguments: argparse.Namespace) -> None:
    for p in (0.9, 0.7):
        print(f"\nqueries to f5 / r3 / r6 at p = {p} (unknown to the method), median of 3 seeds")
        print("| problem | " + " | ".join(methods) + " |\n" + "|---" * (len(methods) + 1) + "|")
        for name in [*TOYS, *NOISY]:
            cells = []
            for method in methods:
                results = run_all([(method, name, p, s) for s in (0, 1, 2)], arguments.budget, arguments.processes)
                median = {c: np.median([r["hits"].get(c, np.inf) for r in results]) for c in ("f5", "r3", "r6")}
                false = sum(str(r["message"]).startswith("converged") and "r6" not in r["hits"] for r in results)
                cells.append(
                    " / ".join(_number(q) for q in median.values()) + (f" ({false} false stops)" * (false > 0))
                )
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def show_scales(arguments: argparse.Namespace) -> None:
    print("\nqueries to r3 / r6, the start scale wrong by a factor\n| problem | 1e-3 | 1 | 1e3 |\n|---|---|---|---|")
    for name in [*TOYS, *NOISY, "CHNROSNB~rotated=1", "LUKSAN16LS~rotated=1"]:
        cells = []
        for factor in (1e-3, 1.0, 1e3):
            x0 = problems.get(name).x0
            scale = factor * (float(np.linalg.norm(x0)) / float(np.sqrt(x0.size)) or 1.0)
            result = run_all([(f"cqn,scale={scale!r}", name, 1.0, 0)], arguments.budget, 1)[0]
            cells.append(" / ".join(_number(result["hits"].get(c, np.inf)) for c in ("r3", "r6")))
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


class Timed(FunctionOracle):
    """Adds up the CPU time in which it answers."""

    seconds = 0.0

    def compare(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        start = time.thread_time()
        answers = super().compare(a, b)
        self.seconds += time.thread_time() - start
        return answers


def show_thinking() -> None:
    """CPU microseconds a query beyond answering it: the least of 15 runs."""
    print("\n| n | thinking, us a query | answering, us a query |\n|---|---|---|")
    for n in (10, 100, 400):
        problem = problems.get(f"FLETCHCR?N={n}")
        costs = []
        for _ in range(15):
            oracle, start = Timed(problem, cache=4096), time.thread_time()
            queries = Session(make_algorithm("cqn"), problem.x0, 0, log=False).run(oracle, 20_000).ncmp
            whole = time.thread_time() - start
            costs.append(((whole - oracle.seconds) / queries * 1e6, oracle.seconds / queries * 1e6))
        thinking, answering = min(costs)
        print(f"| {n} | {thinking:.2f} | {answering:.2f} |", flush=True)


def _number(queries: float) -> str:
    return "-" if queries == np.inf else f"{int(queries)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["solved", "ratios", "noise", "scales", "thinking"])
    parser.add_argument("methods", nargs="*", default=[])
    parser.add_argument("--groups", nargs="+", default=list(groups(False)), choices=list(groups(False)))
    parser.add_argument("--budget", type=int, default=100_000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--slow", action="store_true", help="MANCINO too")
    arguments = parser.parse_args()
    methods = arguments.methods or ["cqn"]
    show: dict[str, Callable[[], None]] = {
        "solved": lambda: show_solved(methods, arguments.groups, arguments),
        "ratios": lambda: show_ratios(methods, arguments.groups, arguments),
        "noise": lambda: show_noise(methods, arguments),
        "scales": lambda: show_scales(arguments),
        "thinking": show_thinking,
    }
    show[arguments.what]()


if __name__ == "__main__":
    main()
