"""Types declared or not: `preference-gp` tunes three models of scikit-learn, with integers, logarithms and categories.

    OPENBLAS_NUM_THREADS=1 python benchmarks/mixed.py --seeds 6 --questions 30 --into docs/results/people.md

The judge compares two settings by their cross-validated error, right on 85 % of typical pairs. With types declared the
method is told levels and categories; without, it walks in the unit box as if all were continuous, and settings are
rounded before they are tried. Regret: 0 is the best of 400 random settings and all settings tried, 1 their median.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.decomposition import PCA
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from steelyard import Parameter, Session, Space
from steelyard.algorithms.preference_gp import PreferenceGP
from steelyard.bench.markdown import fill, markdown_table
from steelyard.bench.oracle_spec import logistic_scale
from steelyard.typing import Array

Make = Callable[[Mapping[str, Any]], Any]
CHECKPOINTS = (10, 20, 30, 40)
RANDOM = 400


def tasks() -> dict[str, tuple[Space, Make, tuple[Any, Any]]]:
    """The space of each task, the model of some values, and the data."""
    digits = load_digits(return_X_y=True)
    return {
        "SVC, wine": (
            Space(
                (
                    Parameter("C", 1e-2, 1e3, scale="log"),
                    Parameter("gamma", 1e-4, 10.0, scale="log"),
                    Parameter("degree", 1, 5, integer=True),
                    Parameter("kernel", categories=("sigmoid", "rbf", "poly")),
                )
            ),
            lambda v: make_pipeline(StandardScaler(), SVC(**v)),
            load_wine(return_X_y=True),
        ),
        "neighbours, digits": (
            Space(
                (
                    Parameter("n_neighbors", 1, 40, integer=True, scale="log"),
                    Parameter("components", 2, 40, integer=True),
                    Parameter("metric", categories=("chebyshev", "euclidean", "cosine", "manhattan")),
                    Parameter("weights", categories=("uniform", "distance")),
                )
            ),
            lambda v: make_pipeline(
                PCA(v["components"], random_state=0),
                KNeighborsClassifier(v["n_neighbors"], weights=v["weights"], metric=v["metric"]),
            ),
            (digits[0][:450], digits[1][:450]),
        ),
        "tree, cancer": (
            Space(
                (
                    Parameter("max_depth", 1, 12, integer=True),
                    Parameter("min_samples_leaf", 1, 80, integer=True, scale="log"),
                    Parameter("ccp_alpha", 1e-5, 1e-1, scale="log"),
                    Parameter("criterion", categories=("gini", "entropy", "log_loss")),
                    Parameter("splitter", categories=("best", "random")),
                )
            ),
            lambda v: DecisionTreeClassifier(random_state=0, **v),
            load_breast_cancer(return_X_y=True),
        ),
    }


def error_of(space: Space, make: Make, data: tuple[Any, Any]) -> Callable[[Array], float]:
    """The cross-validated error at a point of the unit box."""

    @cache
    def of_values(values: tuple[Any, ...]) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = make(dict(zip(space.names, values, strict=True)))
            return 1.0 - float(cross_val_score(model, *data, cv=3).mean())

    return lambda t: of_values(tuple(space.values(np.asarray(t)).values()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--questions", type=int, default=30)
    parser.add_argument("--into", type=Path, help="a page with the mark <!-- bench: mixed/table -->")
    arguments = parser.parse_args()
    marks = [mark for mark in CHECKPOINTS if mark <= arguments.questions]
    head = [
        "task",
        "types",
        "start",
        *(f"{mark} questions" for mark in marks),
        "worse than the start",
        "told to beat it",
    ]
    lines: list[list[str]] = []
    for name, (space, make, data) in tasks().items():
        error = error_of(space, make, data)
        drawn = np.array([error(t) for t in np.random.default_rng(0).random((RANDOM, len(space)))])
        gaps = np.abs(np.subtract(*np.random.default_rng(1).choice(drawn, (2, 2000))))
        scale = logistic_scale(gaps, 0.85)
        rows: dict[str, list[list[float]]] = {"declared": [], "continuous": []}
        stated: dict[str, list[float]] = {types: [] for types in rows}
        for seed in range(arguments.first, arguments.first + arguments.seeds):
            for types, found in rows.items():
                method = PreferenceGP()
                if types == "declared":
                    method = PreferenceGP(levels=space.levels, categorical=space.categorical)
                session = Session(method, space.start, rng=seed, bounds=space.bounds)
                rng, row = np.random.default_rng([seed, 50]), []
                while session.queries < marks[-1]:
                    question = session.ask()
                    lead = (error(question.b[0]) - error(question.a[0])) / scale
                    session.tell([1 if rng.random() < 1.0 / (1.0 + np.exp(-lead)) else -1])
                    if session.queries in marks:
                        row.append(error(session.x))
                found.append(row)
                assert session.certainty is not None
                stated[types].append(session.certainty.beats_start)
        best = min(drawn.min(), *(value for found in rows.values() for row in found for value in row))
        unit = float(np.median(drawn)) - best
        start = error(space.start)
        for types, found in rows.items():
            table = (np.array(found) - best) / unit
            worse = int((np.array(found)[:, -1] > start + 1e-12).sum())
            cells = [f"{value:.3f}" for value in ((start - best) / unit, *table.mean(axis=0))]
            lines.append([name, types, *cells, f"{worse} of {len(found)}", f"{np.mean(stated[types]):.2f}"])
            print(lines[-1], flush=True)
    text = markdown_table(head, lines)
    print(text)
    if arguments.into is not None:
        fill(arguments.into, {"table": lambda: text}, "mixed")


if __name__ == "__main__":
    main()
