"""How long `preference-gp` thinks about a question, with up to 300 answers: run by hand, on one core.

    OPENBLAS_NUM_THREADS=1 python benchmarks/think_time.py --dims 3 5 8 12 20 --people 4 --into docs/results/people.md

Restoring is the time from 300 stored answers, and nothing else, to the next question.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from steelyard import Oracle, Session
from steelyard.algorithms.preference_gp import PreferenceGP
from steelyard.bench.gap_tables import judge_name
from steelyard.bench.markdown import fill, folded, markdown_table
from steelyard.bench.oracle_spec import canonical_oracle, make_oracle
from steelyard.problems import get

WINDOWS = [(0, 20), (20, 40), (40, 60), (60, 80), (290, 300)]
FIRST = 30_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dims", type=int, nargs="+", default=[3, 5, 8])
    parser.add_argument("--people", type=int, default=4)
    parser.add_argument("--judges", nargs="+", default=["typical,right=.85", "exact"])
    parser.add_argument("--into", type=Path, help="a page with the mark <!-- bench: think/table -->")
    arguments = parser.parse_args()
    began = os.getloadavg()[0]
    head = ["parameters", "of a judge", "answers", "median", "99 %", "worst", "one look at the certainty", "restored"]
    rows: list[list[str]] = []
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
            rows += shown(d, kind, taken, looks)
            rows[-1][-1] = f"{np.max(restored):.0f}"
            print(*rows[-len(WINDOWS) :], sep="\n", flush=True)
    utilities = "1 utility" if arguments.people == 1 else f"{arguments.people} utilities"
    words = (
        f"Milliseconds of processor time per question, {utilities} per row; the load of the machine was "
        f"{began:.1f} at the beginning and {os.getloadavg()[0]:.1f} at the end, on {os.cpu_count()} processors."
    )
    text = f"{words}\n\n{markdown_table(head, folded(rows, 2))}"
    print(text)
    if arguments.into is not None:
        fill(arguments.into, {"table": lambda: text}, "think")


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


def shown(d: int, kind: str, taken: dict[int, list[float]], looks: dict[int, float]) -> list[list[str]]:
    """A row for each window of numbers of answers; the last column is left empty."""
    rows = []
    for begin, end in WINDOWS:
        times = [one for number, many in taken.items() if begin < number <= end for one in many]
        shares = (f"{share:.0f}" for share in (*np.percentile(times, [50, 99, 100]), looks[end]))
        rows.append([str(d), judge_name(canonical_oracle(kind)), f"{begin + 1}-{end}", *shares, ""])
    return rows


def milliseconds(call: Callable[[], object]) -> float:
    began = time.process_time()
    call()
    return 1e3 * (time.process_time() - began)


if __name__ == "__main__":
    main()
