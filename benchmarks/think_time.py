"""How long `preference-gp` thinks a question, with 20 to 300 answers: run by hand, on one core.

OPENBLAS_NUM_THREADS=1 python benchmarks/think_time.py
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from steelyard import Oracle, Session
from steelyard.algorithms.preference_gp import PreferenceGP
from steelyard.bench.people.answerers import answerer
from steelyard.bench.people.utilities import utility


def main(most: int = 300) -> None:
    print("CPU milliseconds a question over the last ten answers, and of one look at the certainty")
    print(f"{'d':>2} {'answers':>8} {'median':>8} {'worst':>8} {'certainty':>10}")
    for d in (3, 8):
        oracle = answerer("85", utility(0, d), seed=0)
        session = Session(PreferenceGP(), np.full(d, 0.5), seed=0, bounds=[(0.0, 1.0)] * d)
        measure(d, session, oracle, most)


def measure(d: int, session: Session, oracle: Oracle, most: int) -> None:
    taken: list[float] = []
    while session.queries < most:
        question = session.ask()
        answers = oracle.compare(question.a, question.b)
        taken.append(_milliseconds(lambda given=answers: session.tell(given)))
        number = session.queries
        if number in (20, 40, 80, 150, 300):
            last = taken[-10:]
            look = _milliseconds(lambda: session.certainty)
            print(f"{d:>2} {number:>8} {np.median(last):>8.1f} {max(last):>8.1f} {look:>10.1f}", flush=True)


def _milliseconds(call: Callable[[], object]) -> float:
    began = time.process_time()
    call()
    return 1e3 * (time.process_time() - began)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
