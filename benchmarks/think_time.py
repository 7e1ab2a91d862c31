"""How long `preference-gp` thinks a question, with up to 300 answers: run by hand, on one core; five minutes.

OPENBLAS_NUM_THREADS=1 python benchmarks/think_time.py
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from steelyard import Oracle, Session
from steelyard.algorithms.preference_gp import PreferenceGP
from steelyard.bench.oracle_spec import make_oracle
from steelyard.problems import get

WINDOWS = [(0, 20), (20, 40), (40, 60), (60, 80), (290, 300)]
SEEDS = range(30_000, 30_004)


def main() -> None:
    print("CPU milliseconds per question, and of one look at the certainty at the end; four utilities each")
    print(f"{'d':>2} {'answers':>17} {'of':>9} {'median':>8} {'99 %':>7} {'worst':>8} {'certainty':>10}")
    for d in (3, 5, 8):
        for kind in ("typical,right=.85", "exact"):
            taken: dict[int, list[float]] = {}
            looks: dict[int, float] = {}
            for seed in SEEDS:
                person = get(f"Person?d={d}&seed={seed}&edge={seed // 6 % 2}")
                oracle, _ = make_oracle(kind, person, np.random.SeedSequence(seed), person)
                run(d, PreferenceGP(), oracle, 80, taken, looks)
                # The first 290 of 300 answers are about random pairs, which saves most of the time.
                a, b = np.random.default_rng(seed).random((2, 290, d))
                earlier = tuple(zip(a.tolist(), b.tolist(), oracle.compare(a, b).tolist(), strict=True))
                run(d, PreferenceGP(earlier=earlier), oracle, 300, taken, looks)
            show(d, kind, taken, looks)


def run(
    d: int, method: PreferenceGP, oracle: Oracle, last: int, taken: dict[int, list[float]], looks: dict[int, float]
) -> None:
    """Adds the time of each thought to `taken`, by the number of answers, and looks at the certainty now and then."""
    session = Session(method, np.full(d, 0.5), rng=0, bounds=[(0.0, 1.0)] * d)
    while (number := session.queries + len(method.earlier)) < last:
        question = session.ask()
        answers = oracle.compare(question.a, question.b)
        taken.setdefault(number + 1, []).append(milliseconds(lambda given=answers: session.tell(given)))
        if any(number + 1 == end for _, end in WINDOWS):
            looks[number + 1] = max(looks.get(number + 1, 0.0), milliseconds(lambda: session.certainty))


def show(d: int, kind: str, taken: dict[int, list[float]], looks: dict[int, float]) -> None:
    for begin, end in WINDOWS:
        times = [one for number, many in taken.items() if begin < number <= end for one in many]
        middle, late, worst = np.percentile(times, [50, 99, 100])
        print(
            f"{d:>2} {kind:>17} {begin + 1:>4}-{end:<4} {middle:>8.0f} {late:>7.0f} {worst:>8.0f} {looks[end]:>10.0f}"
        )


def milliseconds(call: Callable[[], object]) -> float:
    began = time.process_time()
    call()
    return 1e3 * (time.process_time() - began)


if __name__ == "__main__":
    main()
