"""Types declared or not: `preference-gp` tunes three models of scikit-learn, with integers, logarithms and categories.

    steelyard bench --plan plans/mixed.py --seeds 6 --into docs/results/people.md

The judge compares two settings by their cross-validated error, right on 85 % of typical pairs. With types declared the
method is told levels and categories; without, it walks in the unit box as if all were continuous, and settings are
rounded before they are tried. Regret: 0 is the best of 400 random settings and all settings tried, 1 their median.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import cache
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
from steelyard.bench.markdown import markdown_table
from steelyard.bench.measurement import Case, MeasuredRow, Measurement, grouped
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


@cache
def landscape(task: str) -> tuple[Space, Callable[[Array], float], Array]:
    """The space of a task, the cross-validated error at a point of the unit box, and that of random points."""
    space, make, data = tasks()[task]

    @cache
    def of_values(values: tuple[Any, ...]) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = make(dict(zip(space.names, values, strict=True)))
            return 1.0 - float(cross_val_score(model, *data, cv=3).mean())

    def error(t: Array) -> float:
        return of_values(tuple(space.values(np.asarray(t)).values()))

    return space, error, np.array([error(t) for t in np.random.default_rng(0).random((RANDOM, len(space)))])


def tuned(case: Case) -> list[MeasuredRow]:
    """The errors after some questions, and what is said of the last; what they are to be compared with."""
    space, error, drawn = landscape(case.problem)
    gaps = np.abs(np.subtract(*np.random.default_rng(1).choice(drawn, (2, 2000))))
    scale = logistic_scale(gaps, 0.85)
    declared = case.algorithm == "declared"
    method = PreferenceGP(levels=space.levels, categorical=space.categorical) if declared else PreferenceGP()
    session = Session(method, space.start, rng=case.seed, bounds=space.bounds)
    rng, errors = np.random.default_rng([case.seed, 50]), {}
    while session.queries < case.budget:
        question = session.ask()
        lead = (error(question.b[0]) - error(question.a[0])) / scale
        session.tell([1 if rng.random() < 1.0 / (1.0 + np.exp(-lead)) else -1])
        if session.queries in CHECKPOINTS:
            errors[str(session.queries)] = error(session.x)
    assert session.certainty is not None
    stated = session.certainty.beats_start
    known = {"start": error(space.start), "least": drawn.min(), "median": np.median(drawn)}
    return [{"errors": errors, "stated": stated, **known}]


def tables(runs: list[MeasuredRow]) -> dict[str, str]:
    """A row for each task, with types and without."""
    marks = list(runs[0]["errors"])
    head = [
        "task",
        "types",
        "start",
        *(f"{mark} questions" for mark in marks),
        "worse than the start",
        "told to beat it",
    ]
    lines = []
    for (task,), of_task in grouped(runs, "problem").items():
        best = min(min(run["least"], *run["errors"].values()) for run in of_task)
        start, unit = of_task[0]["start"], of_task[0]["median"] - best
        for (types,), some in grouped(of_task, "algorithm").items():
            errors = np.array([list(run["errors"].values()) for run in some])
            worse = int((errors[:, -1] > start + 1e-12).sum())
            cells = [f"{value:.3f}" for value in (np.array([start, *errors.mean(axis=0)]) - best) / unit]
            told = np.mean([run["stated"] for run in some])
            lines.append([task, types, *cells, f"{worse} of {len(some)}", f"{told:.2f}"])
    return {"table": markdown_table(head, lines)}


PLAN = Measurement(
    measure=tuned, tables=tables, problems=list(tasks()), algorithms=("declared", "continuous"), seeds=4, budget=30
)
