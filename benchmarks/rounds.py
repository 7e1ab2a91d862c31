"""How often one waits for a judge: rounds to a given accuracy with 1, 4, 16 and 64 questions in flight, every method.

    python benchmarks/rounds.py --keep rounds.jsonl --into docs/results/kit.md

A round is a wait for up to k answers at once: a batch of m questions takes m / k of them, rounded up. With one in
flight methods run as they are by default, and a round is a comparison; with more, `parallel=k` asks for batches of that
size. Counted until the recommendation is as good as wanted: a part of f(x0) - f*. Medians over problems and seeds; a
run that does not get there counts as infinitely long, and a method that does not alone is not run with more. What
`--keep` holds already is not run again.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from steelyard import FunctionOracle, NoisyOracle, Session
from steelyard.algorithms.speculative import with_parallel
from steelyard.bench.markdown import fill, markdown_table
from steelyard.problems import get
from steelyard.registry import algorithm_names, make_algorithm

IN_FLIGHT = (1, 4, 16, 64)
N = 20
PROBLEMS = (
    "QING?N={n}~rotated={seed}",
    "BROYDN3DLS?N={n}~rotated={seed}",
    "Ellipsoid?n={n}&condition=100~rotated={seed}",
)
FOR_PEOPLE = ("BoxedEllipsoid?n=3&condition=10&active=0&seed={seed}",)
"""What preference-gp is for: few variables in a box."""
FIRST_SEED = 10
"""Methods were tuned on seeds below."""
MAIN = ("auto", "preference-gp")
"""The default, and the method for people, which has one problem: run with several seeds."""
JUDGES = ("exact", "right 90 %")
Counted = dict[str, float]


def count(method: str, k: int, problem: str, seed: int, judge: str, part: float, most: int) -> Counted:
    """Rounds and comparisons of one run; infinite if it is not as good as wanted after `most` rounds."""
    p = get(problem.format(n=N, seed=seed))
    oracle = FunctionOracle(p.f)
    asked = oracle if judge == "exact" else NoisyOracle(oracle, 0.9, rng=seed)
    bounds = None if p.bounds is None else [*zip(*p.bounds, strict=True)]
    session = Session(with_parallel(make_algorithm(method), None if k == 1 else k), p.x0, seed, bounds=bounds)
    goal = p.f_best + part * (p.f(p.x0) - p.f_best)
    rounds = 0
    while (question := session.question) is not None and rounds < most and p.f(session.recommend()) > goal:
        rounds += -(-len(question) // k)
        session.feed(asked.compare(question.a, question.b))
    done = p.f(session.recommend()) <= goal
    return {"rounds": rounds if done else np.inf, "comparisons": session.spent if done else np.inf}


def cells(given: argparse.Namespace) -> Iterator[tuple[str, str, int]]:
    for judge in given.judge or JUDGES:
        for method in given.method or (algorithm_names() if judge == "exact" else ("auto",)):
            for k in given.in_flight or IN_FLIGHT:
                yield judge, method, k


def measured(given: argparse.Namespace, judge: str, method: str, k: int, kept: dict[str, Counted]) -> Counted:
    people = method == "preference-gp"
    part, most = (given.part_for_people, 200) if people else (given.part, given.most)
    runs = []
    for problem in FOR_PEOPLE if people else PROBLEMS:
        for seed in range(FIRST_SEED, FIRST_SEED + (given.seeds if method in MAIN else 1)):
            key = json.dumps([judge, method, k, problem, seed, part, most])
            if key not in kept:
                kept[key] = count(method, k, problem, seed, judge, part, most)
                if given.keep is not None:
                    with given.keep.open("a") as file:
                        print(json.dumps([key, kept[key]]), file=file)
            runs.append(kept[key])
    return {name: float(np.median([run[name] for run in runs])) for name in ("rounds", "comparisons")}


def _number(value: float) -> str:
    return f"{value:,.0f}" if np.isfinite(value) else "–"


def rows(given: argparse.Namespace, judge: str, found: dict[tuple[str, str, int], Counted]) -> list[list[str]]:
    lines = []
    for method in dict.fromkeys(method for which, method, _ in found if which == judge):
        line = [method if judge == "exact" else f"{method}, {judge}"]
        for k in given.in_flight or IN_FLIGHT:
            got, alone = found[judge, method, k], found.get((judge, method, 1))
            line.append(_number(got["rounds"]))
            if k > 1 and alone is not None and np.isfinite(got["rounds"]) and np.isfinite(alone["rounds"]):
                line[-1] += f" ({alone['rounds'] / got['rounds']:.1f}x)"
        lines.append([*line, *(_number(found[judge, method, k]["comparisons"]) for k in given.in_flight or IN_FLIGHT)])
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--method", action="append", help="one or several; all by default")
    parser.add_argument("--judge", action="append", choices=JUDGES)
    parser.add_argument("--in-flight", type=int, action="append")
    parser.add_argument("--seeds", type=int, default=3, help="of the default; one of the others")
    parser.add_argument("--part", type=float, default=1e-2, help="of f(x0) - f* that may be left")
    parser.add_argument("--part-for-people", type=float, default=0.05)
    parser.add_argument("--most", type=int, default=3000, help="rounds after which a run is given up")
    parser.add_argument("--keep", type=Path, help="a file for what was counted")
    parser.add_argument("--into", type=Path, help="a page with the mark <!-- bench: rounds/table -->")
    given = parser.parse_args()
    kept: dict[str, Counted] = {}
    if given.keep is not None and given.keep.exists():
        kept = dict(json.loads(line) for line in given.keep.read_text().splitlines())
    found = {}
    for judge, method, k in cells(given):
        hopeless = k > 1 and not np.isfinite(found.get((judge, method, 1), {"rounds": 0.0})["rounds"])
        found[judge, method, k] = found[judge, method, 1] if hopeless else measured(given, judge, method, k, kept)
        print(judge, method, k, found[judge, method, k], flush=True)
    flights = given.in_flight or IN_FLIGHT
    head = ["method", *(f"rounds, {k}" for k in flights), *(f"comparisons, {k}" for k in flights)]
    table = markdown_table(head, [row for judge in JUDGES for row in rows(given, judge, found)])
    if given.into is not None:
        fill(given.into, {"table": lambda: table}, "rounds")
    else:
        print(table)


if __name__ == "__main__":
    main()
