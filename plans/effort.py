"""Pairs, the best of four, or a ranking of four: regret of `preference-gp` per question and per unit of effort.

    steelyard bench --plan plans/effort.py --seeds 6 --into PAGE

A pair is taken to cost a person 1 unit of effort, the best of four 1.7, a ranking of four 2.5. People are right on 85 %
of typical pairs; one look at each thing has Gumbel noise, so that pairs are logistic and rankings those of Plackett and
Luce. Half of the people are functions of the literature (`Standard`), half are `Person` in three parameters.
"""

from __future__ import annotations

import numpy as np

from steelyard import Session
from steelyard.algorithms.preference_gp import PreferenceGP
from steelyard.bench.markdown import markdown_table
from steelyard.bench.measurement import Case, MeasuredRow, Measurement, grouped
from steelyard.bench.oracle_spec import logistic_scale
from steelyard.problems import get

FORMS = {"pairs": (1.0, {}), "best of 4": (1.7, {"choose": 4}), "ranking of 4": (2.5, {"choose": 4, "ranking": True})}
PEOPLE = {"function": "Standard?seed={0}", "utility": "Person?d=3&seed={0}&edge={1}"}
QUESTIONS = (5, 10, 15)
EFFORTS = (10, 20, 40)


def ranks_of(felt: np.ndarray, ranking: bool) -> list[int]:
    """The rank of each thing by how much it is liked, 0 the best; all others equal if only the best is named."""
    if not ranking:
        return [int(rank) for rank in np.arange(len(felt)) != felt.argmax()]
    return [int(rank) for rank in np.argsort(np.argsort(-felt))]


def asked(case: Case) -> list[MeasuredRow]:
    """Regret after some numbers of questions, and after some efforts."""
    person = get(PEOPLE[case.problem].format(case.seed, case.seed % 2))
    cost, options = FORMS[case.algorithm]
    pairs = np.random.default_rng([person.n, 22]).random((2, 2000, person.n))
    scale = logistic_scale(np.abs(person.values(pairs[0]) - person.values(pairs[1])), 0.85)
    session = Session(PreferenceGP(**options), person.x0, rng=case.seed, bounds=[(0.0, 1.0)] * person.n)
    rng, questions = np.random.default_rng([case.seed, 60]), 0
    by_question, by_effort = [], []
    while len(by_effort) < len(EFFORTS):
        question = session.ask()
        points = question.points if options else np.concatenate([question.a, question.b])
        felt = -person.values(points) / scale + rng.gumbel(size=len(points))
        session.tell(ranks_of(felt, "ranking" in options) if options else [1 if felt[0] > felt[1] else -1])
        questions += 1
        regret = float(person.f(session.x))
        if questions in QUESTIONS:
            by_question.append(regret)
        if questions * cost >= EFFORTS[len(by_effort)] - 0.5 * cost:
            by_effort.append(regret)
    return [{"regret": by_question + by_effort}]


def tables(runs: list[MeasuredRow]) -> dict[str, str]:
    """A row for each form of question: geometric means, and the ratio to pairs with its 90 % interval."""
    found = grouped(runs, "algorithm").items()
    logs = {form: np.log(np.maximum([run["regret"] for run in some], 1e-3)) for (form,), some in found}
    rows = [[form, *(f"{value:.3f}" for value in np.exp(each.mean(axis=0)))] for form, each in logs.items()]
    for form in list(logs)[1:]:
        apart = logs[form] - logs["pairs"]
        error = apart.std(axis=0, ddof=1) / np.sqrt(len(apart))
        ends = zip(apart.mean(axis=0), error, strict=True)
        ratios = (f"{np.exp(m):.2f} [{np.exp(m - 1.64 * e):.2f}, {np.exp(m + 1.64 * e):.2f}]" for m, e in ends)
        rows.append([f"{form}, ratio to pairs", *ratios])
    people = len(logs["pairs"])
    head = [f"{people} people", *(f"{q} questions" for q in QUESTIONS), *(f"effort {e}" for e in EFFORTS)]
    return {"table": markdown_table(head, rows)}


PLAN = Measurement(
    measure=asked, tables=tables, problems=list(PEOPLE), algorithms=list(FORMS), seeds=6, first_seed=9000
)
