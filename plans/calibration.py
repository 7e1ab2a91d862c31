"""Is what `preference-gp` says of its certainty true? Simulated people of five kinds, after 10, 20, 40 and 80 answers.

    steelyard bench --plan plans/calibration.py --seeds 24 --first-seed 7000 --into docs/results/people.md

Functions of the literature (`Standard`) and utilities by seed (`Person`, 2 to 5 parameters) with answers right on 85 %
of typical pairs; `Person` in 4 parameters of which one is an integer and one a category; `Person` with 15 % of the
answers tossed; and tossed answers only. Whoever tosses has no favourite: intervals are judged by that of a person who
was not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
from scipy.optimize import minimize

from steelyard import Session
from steelyard.algorithms.preference_gp import PreferenceGP
from steelyard.bench.markdown import folded, markdown_table
from steelyard.bench.measurement import Case, MeasuredRow, Measurement, grouped
from steelyard.bench.oracle_spec import logistic_scale
from steelyard.problems import get
from steelyard.typing import Array

CHECKPOINTS = (10, 20, 40, 80)
KINDS = ("functions", "utilities", "mixed types", "15 % tossed", "all tossed")
LAPSES = {"15 % tossed": 0.15, "all tossed": 1.0}
INTEGERS = tuple(np.linspace(0.0, 1.0, 8).tolist())
CATEGORIES = (0.0, 0.5, 1.0)
MIXED = PreferenceGP(levels=((), INTEGERS, CATEGORIES, ()), categorical=(False, False, True, False))
PERMUTED = np.array([1.0, 0.0, 0.5])
"""Where the categories are in what the person likes: not in the order in which they are told."""
LOOKS = 4000
TRUE = ("better_than_start", "better_than_runner_up", "truly_missing")
COLUMNS = ("beats_start", TRUE[0], "beats_runner_up", TRUE[1], "covered", "missing", TRUE[2], "chance")
AS_GOOD = 1e-4
"""A point with at most this regret is as good as the best."""


def person(kind: str, seed: int) -> tuple[PreferenceGP, Callable[[Array], Array], Array]:
    """The method, how bad the person finds rows of points, and the best points (rows)."""
    if kind == "functions":
        found = get(f"Standard?seed={seed}")
        return (
            PreferenceGP(),
            found.values,
            best_points(found.values, np.random.default_rng(seed).random((60, found.n))),
        )
    if kind != "mixed types":
        found = get(f"Person?d={2 + seed % 4}&seed={seed}&edge={seed // 6 % 2}")
        looks = np.random.default_rng(seed).random((LOOKS, found.n))
        looks = looks[np.argsort(found.values(looks))[:20]]
        return PreferenceGP(), found.values, best_points(found.values, looks)
    found = get(f"Person?d=4&seed={seed}&edge={seed // 6 % 2}")

    def bad(x: Array) -> Array:
        x = x.copy()
        x[:, 1] = np.round(7.0 * x[:, 1]) / 7.0
        x[:, 2] = PERMUTED[np.round(2.0 * x[:, 2]).astype(int)]
        return found.values(x)

    rng, best, least = np.random.default_rng(seed), np.empty((0, 4)), np.inf
    for whole, category in product(INTEGERS, CATEGORIES):
        looks = rng.random((200, 4))
        looks[:, 1], looks[:, 2] = whole, category
        start = looks[bad(looks).argmin()]
        end = start.copy()
        end[[0, 3]] = minimize(
            lambda free, at=start: bad(np.array([[free[0], at[1], at[2], free[1]]]))[0],
            start[[0, 3]],
            method="Nelder-Mead",
            bounds=[(0.0, 1.0)] * 2,
        ).x
        if (value := float(bad(end[None])[0])) < least:
            best, least = end[None], value
    return MIXED, lambda x: bad(x) - least, best


def best_points(bad: Callable[[Array], Array], starts: Array) -> Array:
    """All points as good as the best that searches from the starts find; the best one at least."""
    box = [(0.0, 1.0)] * starts.shape[1]
    found = [minimize(lambda x: bad(x[None])[0], start, method="L-BFGS-B", bounds=box).x for start in starts]
    again = [minimize(lambda x: bad(x[None])[0], x, method="Nelder-Mead", bounds=box).x for x in found[:3]]
    ends = np.clip(np.array(found + again), 0.0, 1.0)
    values = bad(ends)
    return np.asarray(ends[values <= max(float(values.min()), AS_GOOD)])


def stated(case: Case) -> Iterator[MeasuredRow]:
    """One person's answers; what is said at the checkpoints, and what is true."""
    kind, seed = case.problem, case.seed
    method, bad, best = person(kind, seed)
    rng, d = np.random.default_rng([seed, 70]), best.shape[1]
    box = rng.random((2, 2000, d))
    values = bad(box[0])
    scale = logistic_scale(np.abs(values - bad(box[1])), 0.85)
    start = np.full(d, 0.5)
    session = Session(method, start, rng=seed, bounds=[(0.0, 1.0)] * d)
    while session.queries < case.budget:
        question = session.ask()
        tossed = rng.random() < LAPSES.get(kind, 0.0)
        lead = 0.0 if tossed else float(bad(question.b)[0] - bad(question.a)[0]) / scale
        session.tell([1 if rng.random() < 1.0 / (1.0 + np.exp(-lead)) else -1])
        if session.queries in CHECKPOINTS:
            said = session.certainty
            assert said is not None
            here, first, rival = bad(np.stack([session.x, start, said.runner_up]))
            inside = (said.low - 1e-6 <= best) & (best <= said.high + 1e-6)
            typical = float(np.median(values))  # 0 is the best: the part of what can be gained, as people are told
            yield {
                "answers": session.queries,
                "beats_start": said.beats_start,
                "better_than_start": here <= first,
                "beats_runner_up": said.beats_runner_up,
                "better_than_runner_up": here <= rival,
                "covered": inside.mean(axis=1).max(),
                "missing": said.missing,
                "truly_missing": here / max(typical, 1e-9),
                "chance": said.no_better_than_chance,
            }


def mean(name: str, told: list[MeasuredRow]) -> str:
    value = float(np.mean([each[name] for each in told]))
    return f"{value:.2f}" if "missing" in name else f"{100.0 * value:.0f} %"


def tables(told: list[MeasuredRow]) -> dict[str, str]:
    """A row for each kind of people; of those who toss only what is said to them."""
    head = ["people", "number", "answers", "better than the start: stated", "true", "than the rival: stated", "true"]
    head += ["90 % intervals cover", "missing: stated", "true", "told chance"]
    found, rows = grouped(told, "problem", "answers"), []
    for kind, answers in product(KINDS, CHECKPOINTS):
        if some := found.get((kind, answers)):
            unknown = TRUE if kind == "all tossed" else ()
            cells = ("" if name in unknown else mean(name, some) for name in COLUMNS)
            rows.append([kind, str(len(some)), str(answers), *cells])
    return {"table": markdown_table(head, folded(rows, 2))}


PLAN = Measurement(measure=stated, tables=tables, problems=KINDS, seeds=24, first_seed=7000, budget=CHECKPOINTS[-1])
