"""Several raters with `preference-gp`: is a careless one found out, and does the twentieth need fewer questions?

    OPENBLAS_NUM_THREADS=1 python benchmarks/raters.py --reliability 12 --first 100 --into PAGE
    OPENBLAS_NUM_THREADS=1 python benchmarks/raters.py --tastes 12 --first 100 --into PAGE

Reliability: four people with the same taste (right on 95, 90 and 80 % of typical pairs, and one who answers at random)
give 15 answers each to random pairs. Tastes: people of two groups, each with a favourite of their own near that of the
group; the first is asked without knowing anybody, the twentieth with what the 19 before said about 12 pairs each. How
many questions the twentieth needs is read from the geometric means over the studies (regrets of at least .001).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from steelyard import Session
from steelyard.algorithms.preference_gp import PreferenceGP
from steelyard.bench.markdown import fill, markdown_table
from steelyard.bench.oracle_spec import logistic_scale
from steelyard.typing import Array

RIGHT = {"95 %": 0.95, "90 %": 0.9, "80 %": 0.8, "random": 0.5}
CHECKPOINTS = (0, 5, 10, 20)
LEAST = 1e-3


def bad(x: Array, favourite: Array, root: Array) -> Array:
    """How bad somebody finds the rows of x: a rotated bowl, 1 for a typical point."""
    return np.asarray(np.square((x - favourite) @ root).sum(axis=-1))


def bowl(d: int, rng: np.random.Generator) -> Array:
    rotation, _ = np.linalg.qr(rng.standard_normal((d, d)))
    return np.asarray(rotation * np.sqrt(rng.uniform(1.0, 6.0, d)))


def answers(a: Array, b: Array, favourite: Array, root: Array, right: float, rng: np.random.Generator) -> list[int]:
    """+1 where a is said to be better; right on that part of typical pairs."""
    if right <= 0.5:
        return [int(sign) for sign in rng.choice([-1, 1], len(a))]
    pairs = rng.random((2, 2000, a.shape[1]))
    scale = logistic_scale(np.abs(np.subtract(*(bad(x, favourite, root) for x in pairs))), right)
    lead = (bad(b, favourite, root) - bad(a, favourite, root)) / scale
    return [1 if u < 1.0 / (1.0 + np.exp(-z)) else -1 for u, z in zip(rng.random(len(a)), lead, strict=True)]


def reliability(count: int, first: int, each: int = 15, d: int = 3) -> str:
    """Studies of four raters: the noise that is learnt of each, and who comes out as the least reliable."""
    noise: dict[str, list[float]] = {name: [] for name in RIGHT}
    for seed in range(first, first + count):
        rng = np.random.default_rng([seed, 40])
        favourite, root = rng.uniform(0.15, 0.85, d), bowl(d, rng)
        earlier = []
        for name, right in RIGHT.items():
            a, b = rng.random((2, each, d))
            signs = answers(a, b, favourite, root, right, rng)
            earlier += list(zip(a.tolist(), b.tolist(), signs, [name] * each, strict=True))
        order = rng.permutation(len(earlier))
        session = Session(
            PreferenceGP(earlier=tuple(earlier[i] for i in order)), np.full(d, 0.5), rng=seed, bounds=[(0.0, 1.0)] * d
        )
        for name, value in session.certainty.noise.items():
            noise[name].append(value)
    table = np.array([noise[name] for name in RIGHT])
    rows = [
        [name, *(f"{q:.2f}" for q in np.quantile(row, [0.25, 0.5, 0.75]))]
        for name, row in zip(RIGHT, table, strict=True)
    ]
    last, most = (int(np.sum(end(axis=0) == 3)) for end in (table.argmax, table.argmin))
    sentence = (
        f"{count} studies, {each} answers of each of four raters, {d} parameters. Who answers at random comes out as "
        f"the least reliable in {last} of {count} and as the most reliable in {most}; who is right on 95 % before who "
        f"is right on 80 % in {np.sum(table[0] < table[2])}."
    )
    return f"{markdown_table(['right', 'noise, lower quartile', 'median', 'upper quartile'], rows)}\n{sentence}\n"


def tastes(count: int, first: int, people: int = 20, each: int = 12, d: int = 3) -> str:
    """Studies of two tastes: regret of the first and of the twentieth, and how many questions the latter needs."""
    regret: dict[str, list[list[float]]] = {"first": [], "twentieth": [], "twentieth, one taste assumed": []}
    for seed in range(first, first + count):
        rng = np.random.default_rng([seed, 41])
        groups, root = rng.uniform(0.1, 0.9, (2, d)), bowl(d, rng)
        group = np.append(rng.integers(0, 2, people - 1), seed % 2)
        favourites = np.clip(groups[group] + rng.normal(0.0, 0.06, (people, d)), 0.0, 1.0)
        earlier = []
        for person, favourite in enumerate(favourites[:-1]):
            a, b = rng.random((2, each, d))
            signs = answers(a, b, favourite, root, 0.85, rng)
            earlier += list(zip(a.tolist(), b.tolist(), signs, [f"p{person}"] * each, strict=True))
        known = tuple(earlier)
        methods = {
            "first": PreferenceGP(),
            "twentieth": PreferenceGP(earlier=known, tastes=3, rater="me"),
            "twentieth, one taste assumed": PreferenceGP(earlier=known),
        }
        median = float(np.median(bad(rng.random((4096, d)), favourites[-1], root)))
        for name, method in methods.items():
            session = Session(method, np.full(d, 0.5), rng=seed, bounds=[(0.0, 1.0)] * d)
            row = [float(bad(session.x, favourites[-1], root)) / median]
            said = np.random.default_rng([seed, 42])
            while session.queries < CHECKPOINTS[-1]:
                question = session.ask()
                session.tell(answers(question.a, question.b, favourites[-1], root, 0.85, said), raters="me")
                row.append(float(bad(session.x, favourites[-1], root)) / median)
            regret[name].append(row)
        print(
            seed,
            {name: np.round(np.array(rows[-1])[list(CHECKPOINTS)], 3).tolist() for name, rows in regret.items()},
            flush=True,
        )
    means = {name: np.exp(np.log(np.maximum(rows, LEAST)).mean(axis=0)) for name, rows in regret.items()}
    rows = [[name, *(f"{mean[count]:.3f}" for count in CHECKPOINTS)] for name, mean in means.items()]
    table = markdown_table([f"{count} studies", *(f"{count} answers" for count in CHECKPOINTS)], rows)
    words = [f"what the first has after {q}, {_needed(means['twentieth'], means['first'][q])}" for q in CHECKPOINTS[1:]]
    sentence = f"{people} people of two groups, {each} answers of each before. Answers that the twentieth needs for "
    return f"{table}\n{sentence}{'; '.join(words)}.\n"


def _needed(means: Array, wanted: float) -> str:
    """After how many answers the mean is as low as wanted, and stays so."""
    above = np.flatnonzero(means > wanted)
    needed = int(above[-1]) + 1 if above.size else 0
    return str(needed) if needed < len(means) else f"more than {len(means) - 1}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reliability", type=int, default=0, help="studies about reliability")
    parser.add_argument("--tastes", type=int, default=0, help="studies with two tastes")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--into", type=Path, help="a page with <!-- bench: reliability/table --> and tastes/table")
    given = parser.parse_args()
    for name, study, count in (("reliability", reliability, given.reliability), ("tastes", tastes, given.tastes)):
        if count:
            text = study(count, given.first)
            print(text)
            if given.into is not None:
                fill(given.into, {"table": lambda text=text: text}, name)


if __name__ == "__main__":
    main()
