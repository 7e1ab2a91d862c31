"""Several raters with `preference-gp`: is a careless one found out, and does the twentieth need fewer questions?

    steelyard bench --plan plans/raters.py --problem reliability --seeds 12 --first-seed 100 --into PAGE
    steelyard bench --plan plans/raters.py --problem tastes --seeds 12 --first-seed 100 --into PAGE

Reliability: four people with the same taste (right on 95, 90 and 80 % of typical pairs, and one who answers at random)
give 15 answers each to random pairs. Tastes: people of two groups, each with a favourite of their own near that of the
group; the first is asked without knowing anybody, the twentieth with what the 19 before said about 12 pairs each. How
many questions the twentieth needs is read from the geometric means over the studies (regrets of at least .001).
"""

from __future__ import annotations

import numpy as np

from steelyard import Session
from steelyard.algorithms.preference_gp import PreferenceGP
from steelyard.bench.markdown import markdown_table
from steelyard.bench.measurement import Case, MeasuredRow, Measurement, grouped
from steelyard.bench.oracle_spec import logistic_scale
from steelyard.typing import Array

RIGHT = {"95 %": 0.95, "90 %": 0.9, "80 %": 0.8, "random": 0.5}
CHECKPOINTS = (0, 5, 10, 20)
LEAST = 1e-3
D = 3
EACH, PEOPLE, EACH_BEFORE = 15, 20, 12
"""Answers of each rater whose reliability is wanted; people of two tastes, and the answers of each but the last."""


def bad(x: Array, favourite: Array, root: Array) -> Array:
    """How bad somebody finds the rows of x: a rotated bowl, 1 for a typical point."""
    return np.asarray(np.square((x - favourite) @ root).sum(axis=-1))


def bowl(d: int, rng: np.random.Generator) -> Array:
    rotation, _ = np.linalg.qr(rng.standard_normal((d, d)))
    return np.asarray(rotation * np.sqrt(rng.uniform(1.0, 6.0, d)))


def answers(a: Array, b: Array, favourite: Array, root: Array, right: float, rng: np.random.Generator) -> list[int]:
    """+1 where the answer is that a is better; right on this part of typical pairs."""
    if right <= 0.5:
        return [int(sign) for sign in rng.choice([-1, 1], len(a))]
    pairs = rng.random((2, 2000, a.shape[1]))
    scale = logistic_scale(np.abs(np.subtract(*(bad(x, favourite, root) for x in pairs))), right)
    lead = (bad(b, favourite, root) - bad(a, favourite, root)) / scale
    return [1 if u < 1.0 / (1.0 + np.exp(-z)) else -1 for u, z in zip(rng.random(len(a)), lead, strict=True)]


def study(case: Case) -> list[MeasuredRow]:
    return [{"noise": noise(case.seed)}] if case.problem == "reliability" else [{"regret": regrets(case.seed)}]


def noise(seed: int) -> list[float]:
    """A study of four raters: the noise that is learnt of each."""
    rng = np.random.default_rng([seed, 40])
    favourite, root = rng.uniform(0.15, 0.85, D), bowl(D, rng)
    earlier = []
    for name, right in RIGHT.items():
        a, b = rng.random((2, EACH, D))
        signs = answers(a, b, favourite, root, right, rng)
        earlier += list(zip(a.tolist(), b.tolist(), signs, [name] * EACH, strict=True))
    order = rng.permutation(len(earlier))
    session = Session(
        PreferenceGP(earlier=tuple(earlier[i] for i in order)), np.full(D, 0.5), rng=seed, bounds=[(0.0, 1.0)] * D
    )
    return [session.certainty.noise[name] for name in RIGHT]


def regrets(seed: int) -> dict[str, list[float]]:
    """A study of two tastes: regret of the first and of the twentieth after each answer."""
    rng = np.random.default_rng([seed, 41])
    groups, root = rng.uniform(0.1, 0.9, (2, D)), bowl(D, rng)
    group = np.append(rng.integers(0, 2, PEOPLE - 1), seed % 2)
    favourites = np.clip(groups[group] + rng.normal(0.0, 0.06, (PEOPLE, D)), 0.0, 1.0)
    earlier = []
    for person, favourite in enumerate(favourites[:-1]):
        a, b = rng.random((2, EACH_BEFORE, D))
        signs = answers(a, b, favourite, root, 0.85, rng)
        earlier += list(zip(a.tolist(), b.tolist(), signs, [f"p{person}"] * EACH_BEFORE, strict=True))
    known = tuple(earlier)
    methods = {
        "first": PreferenceGP(),
        "twentieth": PreferenceGP(earlier=known, tastes=3, rater="me"),
        "twentieth, one taste assumed": PreferenceGP(earlier=known),
    }
    median = float(np.median(bad(rng.random((4096, D)), favourites[-1], root)))
    found = {}
    for name, method in methods.items():
        session = Session(method, np.full(D, 0.5), rng=seed, bounds=[(0.0, 1.0)] * D)
        found[name] = [float(bad(session.x, favourites[-1], root)) / median]
        said = np.random.default_rng([seed, 42])
        while session.queries < CHECKPOINTS[-1]:
            question = session.ask()
            session.tell(answers(question.a, question.b, favourites[-1], root, 0.85, said), raters="me")
            found[name].append(float(bad(session.x, favourites[-1], root)) / median)
    return found


def tables(studies: list[MeasuredRow]) -> dict[str, str]:
    return {name: TABLES[name](some) for (name,), some in grouped(studies, "problem").items()}


def reliability(studies: list[MeasuredRow]) -> str:
    """What is learnt of each rater, and who comes out as the least reliable."""
    table, count = np.array([each["noise"] for each in studies]).T, len(studies)
    rows = [
        [name, *(f"{q:.2f}" for q in np.quantile(row, [0.25, 0.5, 0.75]))]
        for name, row in zip(RIGHT, table, strict=True)
    ]
    last, most = (int(np.sum(end(axis=0) == 3)) for end in (table.argmax, table.argmin))
    sentence = (
        f"{count} studies, {EACH} answers of each of four raters, {D} parameters. Who answers at random comes out as "
        f"the least reliable in {last} of {count} and as the most reliable in {most}; who is right on 95 % before who "
        f"is right on 80 % in {np.sum(table[0] < table[2])}."
    )
    return f"{markdown_table(['right', 'noise, lower quartile', 'median', 'upper quartile'], rows)}\n{sentence}\n"


def tastes(studies: list[MeasuredRow]) -> str:
    """Regret of the first and of the twentieth, and how many questions the latter needs."""
    regret = {name: [each["regret"][name] for each in studies] for name in studies[0]["regret"]}
    means = {name: np.exp(np.log(np.maximum(rows, LEAST)).mean(axis=0)) for name, rows in regret.items()}
    rows = [[name, *(f"{mean[count]:.3f}" for count in CHECKPOINTS)] for name, mean in means.items()]
    table = markdown_table([f"{len(studies)} studies", *(f"{count} answers" for count in CHECKPOINTS)], rows)
    words = [f"what the first has after {q}, {_needed(means['twentieth'], means['first'][q])}" for q in CHECKPOINTS[1:]]
    before = f"{PEOPLE} people of two groups, {EACH_BEFORE} answers of each before."
    return f"{table}\n{before} Answers that the twentieth needs for {'; '.join(words)}.\n"


def _needed(means: Array, wanted: float) -> str:
    """After how many answers the mean is as low as wanted, and stays so."""
    above = np.flatnonzero(means > wanted)
    needed = int(above[-1]) + 1 if above.size else 0
    return str(needed) if needed < len(means) else f"more than {len(means) - 1}"


TABLES = {"reliability": reliability, "tastes": tastes}
PLAN = Measurement(measure=study, tables=tables, problems=list(TABLES), seeds=12, first_seed=100)
