"""Is what `preference-gp` says of its certainty true? Simulated people of five kinds, after 10, 20, 40 and 80 answers.

    OPENBLAS_NUM_THREADS=1 python benchmarks/calibration.py --people 24 --first 7000 --out calibration.jsonl
    python benchmarks/calibration.py --people 0 --out calibration.jsonl --into docs/results/people.md

Functions of the literature (`Standard`) and utilities by seed (`Person`, 2 to 5 parameters) with answers right on 85 %
of typical pairs; `Person` in 4 parameters of which one is an integer and one a category; `Person` with 15 % of the
answers tossed; and tossed answers only. Whoever tosses has no favourite: intervals are judged by that of a person who
was not asked. What is in the file already is not run again.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from steelyard import Session
from steelyard.algorithms.preference_gp import PreferenceGP
from steelyard.bench.markdown import fill, folded, markdown_table
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
AS_GOOD = 1e-4
"""A point with at most this regret is as good as the best."""


@dataclass(frozen=True)
class Stated:
    """What one simulated person was told after some answers, and what is true."""

    kind: str
    seed: int
    answers: int
    beats_start: float
    better_than_start: bool
    beats_runner_up: float
    better_than_runner_up: bool
    covered: float
    missing: float
    truly_missing: float
    chance: bool


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


def simulate(kind: str, seed: int) -> list[Stated]:
    """One person's answers, and what is stated at the checkpoints."""
    method, bad, best = person(kind, seed)
    rng, d = np.random.default_rng([seed, 70]), best.shape[1]
    box = rng.random((2, 2000, d))
    values = bad(box[0])
    scale = logistic_scale(np.abs(values - bad(box[1])), 0.85)
    start = np.full(d, 0.5)
    session = Session(method, start, rng=seed, bounds=[(0.0, 1.0)] * d)
    told = []
    while session.queries < CHECKPOINTS[-1]:
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
            told.append(
                Stated(
                    kind,
                    seed,
                    session.queries,
                    said.beats_start,
                    bool(here <= first),
                    said.beats_runner_up,
                    bool(here <= rival),
                    float(inside.mean(axis=1).max()),
                    said.missing,
                    float(here) / max(typical, 1e-9),
                    said.no_better_than_chance,
                )
            )
    return told


def tables(told: list[Stated]) -> dict[str, str]:
    """A row for each kind of people; of those who toss only what is said to them."""
    head = ["people", "number", "answers", "better than the start: stated", "true", "than the rival: stated", "true"]
    head += ["90 % intervals cover", "missing: stated", "true", "told chance"]
    rows = []
    for kind, answers in product(KINDS, CHECKPOINTS):
        some = [each for each in told if (each.kind, each.answers) == (kind, answers)]
        if not some:
            continue

        def percent(name: str, some: list[Stated] = some) -> str:
            return f"{100.0 * float(np.mean([getattr(each, name) for each in some])):.0f} %"

        def number(name: str, some: list[Stated] = some) -> str:
            return f"{float(np.mean([getattr(each, name) for each in some])):.2f}"

        has_favourite = kind != "all tossed"
        rows.append(
            [
                *(kind, str(len(some)), str(answers), percent("beats_start")),
                percent("better_than_start") if has_favourite else "",
                percent("beats_runner_up"),
                percent("better_than_runner_up") if has_favourite else "",
                percent("covered"),
                number("missing"),
                number("truly_missing") if has_favourite else "",
                percent("chance"),
            ]
        )
    return {"table": markdown_table(head, folded(rows, 2))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=24, help="of each kind")
    parser.add_argument("--first", type=int, default=7000, help="the first seed")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--out", type=Path, default=Path("calibration.jsonl"))
    parser.add_argument("--into", type=Path, help="a page with the mark <!-- bench: calibration/table -->")
    given = parser.parse_args()
    lines = given.out.read_text().splitlines() if given.out.exists() else []
    told = [Stated(**json.loads(line)) for line in lines]
    done = {(each.kind, each.seed) for each in told}
    with given.out.open("a") as file:
        for seed, kind in product(range(given.first, given.first + given.people), given.kinds):
            if (kind, seed) not in done:
                for each in simulate(kind, seed):
                    told.append(each)
                    print(json.dumps(asdict(each)), file=file, flush=True)
    blocks = tables(told)
    print(blocks["table"])
    if given.into is not None:
        fill(given.into, {name: lambda text=text: text for name, text in blocks.items()}, "calibration")


if __name__ == "__main__":
    main()
