"""Pairs, the best of four, or a ranking of four: regret of `preference-gp` per question and per unit of effort.

    OPENBLAS_NUM_THREADS=1 python benchmarks/effort.py --people 12 --first 9000 --into notes/2026-11-18-result-pages.md

A pair is taken to cost a person 1 unit of effort, the best of four 1.7, a ranking of four 2.5. People are right on 85 %
of typical pairs; one look at each thing has Gumbel noise, so that pairs are logistic and rankings those of Plackett and
Luce. Half of the people are functions of the literature (`Standard`), half are `Person` in three parameters.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from steelyard import Session
from steelyard.algorithms.preference_gp import PreferenceGP
from steelyard.bench.markdown import fill, markdown_table
from steelyard.bench.oracle_spec import logistic_scale
from steelyard.problems import get

FORMS = {"pairs": (1.0, {}), "best of 4": (1.7, {"choose": 4}), "ranking of 4": (2.5, {"choose": 4, "ranking": True})}
QUESTIONS = (5, 10, 15)
EFFORTS = (10, 20, 40)


def ranks_of(felt: np.ndarray, ranking: bool) -> list[int]:
    """The rank of each thing by how much it is liked, 0 the best; all others equal if only the best is named."""
    if not ranking:
        return [int(rank) for rank in np.arange(len(felt)) != felt.argmax()]
    return [int(rank) for rank in np.argsort(np.argsort(-felt))]


def run(name: str, form: str, seed: int) -> tuple[list[float], list[float]]:
    """Regret after some numbers of questions, and after some efforts."""
    person = get(name)
    cost, options = FORMS[form]
    pairs = np.random.default_rng([person.n, 22]).random((2, 2000, person.n))
    scale = logistic_scale(np.abs(person.values(pairs[0]) - person.values(pairs[1])), 0.85)
    session = Session(PreferenceGP(**options), person.x0, rng=seed, bounds=[(0.0, 1.0)] * person.n)
    rng, asked = np.random.default_rng([seed, 60]), 0
    by_question, by_effort = [], []
    while len(by_effort) < len(EFFORTS):
        question = session.ask()
        points = question.points if options else np.concatenate([question.a, question.b])
        felt = -person.values(points) / scale + rng.gumbel(size=len(points))
        session.tell(ranks_of(felt, "ranking" in options) if options else [1 if felt[0] > felt[1] else -1])
        asked += 1
        regret = float(person.f(session.x))
        if asked in QUESTIONS:
            by_question.append(regret)
        if asked * cost >= EFFORTS[len(by_effort)] - 0.5 * cost:
            by_effort.append(regret)
    return by_question, by_effort


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=12)
    parser.add_argument("--first", type=int, default=9000)
    parser.add_argument("--into", type=Path, help="a page with the mark <!-- bench: effort/table -->")
    arguments = parser.parse_args()
    seeds = range(arguments.first, arguments.first + (arguments.people + 1) // 2)
    people = [name for seed in seeds for name in (f"Standard?seed={seed}", f"Person?d=3&seed={seed}&edge={seed % 2}")]
    head = [f"{len(people)} people", *(f"{q} questions" for q in QUESTIONS), *(f"effort {e}" for e in EFFORTS)]
    logs, rows = {}, []
    for form in FORMS:
        regrets = [np.concatenate(run(name, form, seed)) for seed, name in enumerate(people)]
        logs[form] = np.log(np.maximum(regrets, 1e-3))
        rows.append([form, *(f"{value:.3f}" for value in np.exp(logs[form].mean(axis=0)))])
        print(rows[-1], flush=True)
    for form in list(FORMS)[1:]:
        apart = logs[form] - logs["pairs"]
        error = apart.std(axis=0, ddof=1) / np.sqrt(len(apart))
        ends = zip(apart.mean(axis=0), error, strict=True)
        rows.append(
            [
                f"{form}, ratio to pairs",
                *(f"{np.exp(m):.2f} [{np.exp(m - 1.64 * e):.2f}, {np.exp(m + 1.64 * e):.2f}]" for m, e in ends),
            ]
        )
    text = markdown_table(head, rows)
    print(text)
    if arguments.into is not None:
        fill(arguments.into, {"table": lambda: text}, "effort")


if __name__ == "__main__":
    main()
