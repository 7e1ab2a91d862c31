"""How long `preference-gp` thinks a question, with 20 to 300 answers: run by hand, on one core.

OPENBLAS_NUM_THREADS=1 python benchmarks/think_time.py
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from steelyard import Oracle, Session
from steelyard.algorithms.preference_gp import PreferenceGP
from steelyard.bench.people.answerers import answerer
from steelyard.bench.people.utilities import utility


def main() -> None:
    print("CPU milliseconds a question over the last ten answers, and of one look at the certainty")
    print(f"{'d':>2} {'answers':>8} {'median':>8} {'worst':>8} {'certainty':>10}")
    for d in (3, 8):
        oracle = answerer("85", utility(0, d), seed=0)
        measure(d, PreferenceGP(), oracle, (20, 40, 80))
        # The first 290 of 300 answers are about random pairs, which saves most of the time.
        a, b = np.random.default_rng(0).random((2, 290, d))
        signs = oracle.compare(a, b).tolist()
        measure(d, PreferenceGP(earlier=tuple(zip(a.tolist(), b.tolist(), signs, strict=True))), oracle, (300,))


def measure(d: int, method: PreferenceGP, oracle: Oracle, numbers: tuple[int, ...]) -> None:
    session = Session(method, np.full(d, 0.5), seed=0, bounds=[(0.0, 1.0)] * d)
    taken: list[float] = []
    while (number := session.queries + len(method.earlier)) < numbers[-1]:
        question = session.ask()
        answers = oracle.compare(question.a, question.b)
        taken.append(_milliseconds(lambda given=answers: session.tell(given)))
        number += 1
        if number in numbers:
            last = taken[-10:]
            look = _milliseconds(lambda: session.certainty)
            print(f"{d:>2} {number:>8} {np.median(last):>8.1f} {max(last):>8.1f} {look:>10.1f}", flush=True)


def _milliseconds(call: Callable[[], object]) -> float:
    began = time.process_time()
    call()
    return 1e3 * (time.process_time() - began)


if __name__ == "__main__":
    main()
