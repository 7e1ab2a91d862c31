"""How long `preference-gp` thinks a question, with up to 300 answers: run by hand, on one core.

OPENBLAS_NUM_THREADS=1 python benchmarks/think_time.py --dims 3 5 8 12 20 --people 4

Restoring is the time from 300 stored answers, and nothing else, to the next question.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable

import numpy as np

from steelyard import Oracle, Session
from steelyard.algorithms.preference_gp import PreferenceGP
from steelyard.bench.oracle_spec import make_oracle
from steelyard.problems import get

WINDOWS = [(0, 20), (20, 40), (40, 60), (60, 80), (290, 300)]
FIRST = 30_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dims", type=int, nargs="+", default=[3, 5, 8])
    parser.add_argument("--people", type=int, default=4)
    parser.add_argument("--judges", nargs="+", default=["typical,right=.85", "exact"])
    arguments = parser.parse_args()
    load = os.getloadavg()[0]
    print(
        f"CPU milliseconds per question, and of one look at the certainty at the end; {arguments.people} utilities each"
    )
    print(f"load of the machine {load:.1f} on {os.cpu_count()} processors")
    print(f"{'d':>2} {'answers':>17} {'of':>9} {'median':>8} {'99 %':>7} {'worst':>8} {'certainty':>10}")
    for d in arguments.dims:
        for kind in arguments.judges:
            restored: list[float] = []
            taken: dict[int, list[float]] = {}
            looks: dict[int, float] = {}
            for seed in range(FIRST, FIRST + arguments.people):
                person = get(f"Person?d={d}&seed={seed}&edge={seed // 6 % 2}")
                oracle, _ = make_oracle(kind, person, np.random.SeedSequence(seed), person)
                run(d, PreferenceGP(), oracle, 80, taken, looks)
                # The first 290 of 300 answers are about random pairs, which saves most of the time.
                a, b = np.random.default_rng(seed).random((2, 290, d))
                earlier = tuple(zip(a.tolist(), b.tolist(), oracle.compare(a, b).tolist(), strict=True))
                restored.append(run(d, PreferenceGP(earlier=earlier), oracle, 300, taken, looks))
            show(d, kind, taken, looks)
            print(f"{d:>2} {kind:>17} restored from 290 answers in {np.max(restored):.0f} ms at worst", flush=True)


def run(
    d: int, method: PreferenceGP, oracle: Oracle, last: int, taken: dict[int, list[float]], looks: dict[int, float]
) -> float:
    """Adds the time of each thought to `taken`, by the number of answers, and looks at the certainty now and then; the
    time to the first question is returned."""
    began = time.process_time()
    session = Session(method, np.full(d, 0.5), rng=0, bounds=[(0.0, 1.0)] * d)
    session.ask()
    first = 1e3 * (time.process_time() - began)
    while (number := session.queries + len(method.earlier)) < last:
        question = session.ask()
        answers = oracle.compare(question.a, question.b)
        taken.setdefault(number + 1, []).append(milliseconds(lambda given=answers: session.tell(given)))
        if any(number + 1 == end for _, end in WINDOWS):
            looks[number + 1] = max(looks.get(number + 1, 0.0), milliseconds(lambda: session.certainty))
    return first


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
