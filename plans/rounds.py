"""How often one waits for a judge: rounds to a given accuracy with 1, 4, 16 and 64 questions in flight, every method.

    steelyard bench --plan plans/rounds.py --into docs/results/kit.md

A round is a wait for up to k answers at once: a batch of m questions takes m / k of them, rounded up. With one in
flight methods run as they are by default, and a round is a comparison; with more, `parallel=k` asks for batches of that
size. Counted until the recommendation is as good as wanted: a part of f(x0) - f*. Medians over problems and seeds; a
run that does not get there, or does not with one in flight, counts as infinitely long.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from steelyard import FunctionOracle, NoisyOracle, Session
from steelyard.algorithms.speculative import with_parallel
from steelyard.bench.markdown import markdown_table
from steelyard.bench.measurement import Case, MeasuredRow, Measurement, grouped
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
PART, PART_FOR_PEOPLE = 1e-2, 0.05
"""Of f(x0) - f*, that may be left."""
MOST_FOR_PEOPLE = 200


def counted(case: Case) -> Iterator[MeasuredRow]:
    """Rounds and comparisons of a run with each number of questions in flight."""
    people = case.algorithm == "preference-gp"
    once = case.seed == FIRST_SEED or case.algorithm in MAIN
    if not once or people != (case.problem in FOR_PEOPLE) or (case.oracle != "exact" and case.algorithm != "auto"):
        return
    part, most = (PART_FOR_PEOPLE, MOST_FOR_PEOPLE) if people else (PART, case.budget)
    p = get(case.problem.format(n=N, seed=case.seed))
    goal = p.f_best + part * (p.f(p.x0) - p.f_best)
    bounds = None if p.bounds is None else [*zip(*p.bounds, strict=True)]
    alone = True
    for k in IN_FLIGHT:
        oracle = FunctionOracle(p.f)
        judge = oracle if case.oracle == "exact" else NoisyOracle(oracle, 0.9, rng=case.seed)
        method = with_parallel(make_algorithm(case.algorithm), None if k == 1 else k)
        session, rounds = Session(method, p.x0, case.seed, bounds=bounds), 0
        while alone and (question := session.question) is not None and rounds < most and p.f(session.x) > goal:
            rounds += -(-len(question) // k)
            session.feed(judge.compare(question.a, question.b))
        done = p.f(session.x) <= goal
        alone = alone and (done or k > 1)
        yield {"k": k, "rounds": rounds if done else np.inf, "comparisons": session.spent if done else np.inf}


def number(value: float) -> str:
    return f"{value:,.0f}" if np.isfinite(value) else "–"


def tables(runs: list[MeasuredRow]) -> dict[str, str]:
    """A row for each method: medians, and how many times fewer rounds than with one in flight."""
    lines = []
    for (method, judge), some in sorted(grouped(runs, "algorithm", "oracle").items(), key=lambda item: item[0][1]):
        of_k = grouped(some, "k")
        rounds, comparisons = (
            [float(np.median([run[what] for run in of_k[k,]])) for k in IN_FLIGHT] for what in ("rounds", "comparisons")
        )
        times = (f" ({rounds[0] / each:.1f}x)" if np.isfinite(each) else "" for each in rounds[1:])
        cells = [number(each) + more for each, more in zip(rounds, ["", *times], strict=True)]
        lines.append([method if judge == "exact" else f"{method}, {judge}", *cells, *map(number, comparisons)])
    head = ["method", *(f"rounds, {k}" for k in IN_FLIGHT), *(f"comparisons, {k}" for k in IN_FLIGHT)]
    return {"table": markdown_table(head, lines)}


PLAN = Measurement(
    measure=counted,
    tables=tables,
    problems=PROBLEMS + FOR_PEOPLE,
    algorithms=list(algorithm_names()),
    oracle=JUDGES,
    seeds=3,
    first_seed=FIRST_SEED,
    budget=3000,
)
