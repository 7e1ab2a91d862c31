"""The best item and the order of all by few recorded answers of people, replayed.

    steelyard bench --plan plans/replay.py --into docs/gallery/recorded-choices.md

Each answer is drawn from those that people gave to that question. The truth is the order by all answers. Compared: this
package's `best_of` and `rank`, a knock-out with repeats, and a round robin with a Bradley-Terry fit.
"""

from __future__ import annotations

import numpy as np
from pools import Judge, knock_out, round_robin
from scipy.stats import kendalltau

from steelyard import best_of, rank
from steelyard.bench.markdown import markdown_table
from steelyard.bench.measurement import Case, MeasuredRow, Measurement, grouped
from steelyard.pools.bradley_terry import fit
from steelyard.real.recorded import READERS, recorded
from steelyard.real.replay import ReplayedChoices, shares

HEAD = ("best_of", "knock-out", "round robin", "rank", "order by round robin")


def replayed(case: Case) -> list[MeasuredRow]:
    """Is the best item found, by three ways; and the correlation of two orders with the true one."""
    answers = recorded(case.problem)
    n, truth, seed = len(answers.items), shares(answers), case.seed
    judges = [Judge(ReplayedChoices(answers, np.random.default_rng([seed, k])), case.budget) for k in range(4)]
    chosen = (
        best_of(range(n), judges[0], budget=case.budget, rng=seed, sure=1.0).best,
        knock_out(judges[1], n, np.random.default_rng(seed)),
        round_robin(judges[2], n, np.random.default_rng(seed)),
    )
    ranked = rank(range(n), judges[3], budget=case.budget, rng=seed).strengths
    robin = fit(judges[2].counts(), n).average
    taus = (kendalltau(each, truth).statistic for each in (ranked, robin))
    return [{"items": n, **dict(zip(HEAD, [*(float(best == truth.argmax()) for best in chosen), *taus], strict=True))}]


def tables(runs: list[MeasuredRow]) -> dict[str, str]:
    rows = []
    for (name,), some in grouped(runs, "problem").items():
        means = [np.mean([run[column] for run in some]) for column in HEAD]
        rows.append([name, str(some[0]["items"]), *(f"{m:.0%}" for m in means[:3]), *(f"{m:.2f}" for m in means[3:])])
    return {"table": markdown_table(["answers of", "items", *HEAD], rows)}


PLAN = Measurement(measure=replayed, tables=tables, problems=list(READERS), seeds=100, budget=60)
