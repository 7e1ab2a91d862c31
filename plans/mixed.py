"""Types declared or not: `preference-gp` tunes models of scikit-learn, with integers, logarithms and categories.

    steelyard bench --plan plans/mixed.py --seeds 4 --into docs/results/people.md

The judge compares two settings by their cross-validated error, right on 85 % of typical pairs. With types declared the
method is told levels and categories; without, it walks in the unit box as if all were continuous, and settings are
rounded before they are tried. Regret: 0 is the best of 400 random settings and all settings tried, 1 their median.
The start is the middle of every range. The first three tasks were there when the method was built.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import ElasticNet, RidgeClassifier
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, Normalizer, PolynomialFeatures, StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from steelyard import Parameter, Session, Space
from steelyard.algorithms.preference_gp import PreferenceGP
from steelyard.bench.markdown import markdown_table
from steelyard.bench.measurement import Case, MeasuredRow, Measurement, grouped
from steelyard.bench.oracle_spec import logistic_scale
from steelyard.typing import Array

Make = Callable[[Mapping[str, Any]], Any]
Task = tuple[Space, Make, tuple[Any, Any]]
CHECKPOINTS = (10, 20, 30, 40)
RANDOM = 400
AS_GOOD = 1e-12
OFTEN = ("SVC", "neighbours", "tree")
"""Kinds of models that several tasks have; each has a row of its own."""
SCALERS = {"none": FunctionTransformer, "standard": StandardScaler, "minmax": MinMaxScaler, "unit": Normalizer}


def log(name: str, low: float, high: float) -> Parameter:
    return Parameter(name, low, high, scale="log")


def whole(name: str, low: int, high: int, scale: Literal["linear", "log"] = "linear") -> Parameter:
    return Parameter(name, low, high, integer=True, scale=scale)


def one_of(name: str, *categories: Any) -> Parameter:
    return Parameter(name, categories=categories)


def support_vectors(*kernels: str) -> Space:
    return Space((log("C", 1e-2, 1e3), log("gamma", 1e-4, 10.0), whole("degree", 1, 5), one_of("kernel", *kernels)))


def scaled(v: Mapping[str, Any], *steps: Any) -> Any:
    """The steps after the scaler that v names."""
    return make_pipeline(SCALERS[v["scale"]](), *steps)


def reduced(v: Mapping[str, Any], model: Any, whiten: bool = False) -> Any:
    """A model of the principal components, as many as v says, of scaled data."""
    return scaled(v, PCA(v["components"], whiten=whiten, random_state=0), model)


@cache
def tasks() -> dict[str, Task]:
    """The space of each task, the model of some values, and the data."""
    cancer, wine = load_breast_cancer(return_X_y=True), load_wine(return_X_y=True)
    digits, diabetes = load_digits(return_X_y=True), load_diabetes(return_X_y=True)
    weights = one_of("weights", "uniform", "distance")
    leaves = (whole("max_depth", 1, 10), Parameter("max_features", 0.1, 1.0))
    few = whole("min_samples_leaf", 1, 50, "log"), whole("min_samples_leaf", 1, 100, "log")
    squared = one_of("criterion", "squared_error", "absolute_error", "friedman_mse")
    return {
        "SVC, wine": (
            support_vectors("sigmoid", "rbf", "poly"),
            lambda v: make_pipeline(StandardScaler(), SVC(**v)),
            wine,
        ),
        "neighbours, digits": (
            Space(
                (
                    whole("n_neighbors", 1, 40, "log"),
                    whole("components", 2, 40),
                    one_of("metric", "chebyshev", "euclidean", "cosine", "manhattan"),
                    weights,
                )
            ),
            lambda v: make_pipeline(
                PCA(v["components"], random_state=0),
                KNeighborsClassifier(v["n_neighbors"], weights=v["weights"], metric=v["metric"]),
            ),
            first(digits, 450),
        ),
        "tree, cancer": (
            Space(
                (
                    whole("max_depth", 1, 12),
                    whole("min_samples_leaf", 1, 80, "log"),
                    log("ccp_alpha", 1e-5, 1e-1),
                    one_of("criterion", "gini", "entropy", "log_loss"),
                    one_of("splitter", "best", "random"),
                )
            ),
            lambda v: DecisionTreeClassifier(random_state=0, **v),
            cancer,
        ),
        "SVC, cancer": (
            support_vectors("rbf", "poly", "sigmoid"),
            lambda v: make_pipeline(StandardScaler(), SVC(**v)),
            first(cancer, 250),
        ),
        "SVC, digits": (
            support_vectors("poly", "sigmoid", "rbf", "linear"),
            lambda v: make_pipeline(StandardScaler(), SVC(**v)),
            first(digits, 200),
        ),
        "SVR, diabetes": (
            Space(
                (
                    log("C", 0.1, 1e3),
                    log("epsilon", 0.1, 100.0),
                    log("gamma", 1e-3, 10.0),
                    one_of("kernel", "sigmoid", "rbf", "poly"),
                )
            ),
            lambda v: make_pipeline(StandardScaler(), SVR(max_iter=2000, **v)),
            first(diabetes, 200),
        ),
        "neighbours, wine": (
            Space(
                (
                    whole("n_neighbors", 1, 50, "log"),
                    one_of("scale", "none", "standard", "minmax", "unit"),
                    Parameter("p", 1.0, 4.0),
                    weights,
                )
            ),
            lambda v: scaled(v, KNeighborsClassifier(v["n_neighbors"], p=v["p"], weights=v["weights"])),
            wine,
        ),
        "neighbours, diabetes": (
            Space(
                (
                    whole("n_neighbors", 1, 80, "log"),
                    whole("components", 1, 10),
                    one_of("scale", "unit", "none", "standard"),
                    weights,
                )
            ),
            lambda v: reduced(v, KNeighborsRegressor(v["n_neighbors"], weights=v["weights"])),
            diabetes,
        ),
        "tree, wine": (
            Space((*leaves, few[0], one_of("criterion", "gini", "entropy"))),
            lambda v: DecisionTreeClassifier(random_state=0, **v),
            wine,
        ),
        "tree, diabetes": (
            Space((*leaves, few[1], squared)),
            lambda v: DecisionTreeRegressor(random_state=0, **v),
            diabetes,
        ),
        "ridge, digits": (
            Space(
                (
                    log("alpha", 1e-3, 1e4),
                    whole("components", 2, 60),
                    one_of("scale", "standard", "minmax", "unit", "none"),
                )
            ),
            lambda v: reduced(v, RidgeClassifier(v["alpha"])),
            first(digits, 300),
        ),
        "Bayes, cancer": (
            Space(
                (
                    log("var_smoothing", 1e-9, 1.0),
                    whole("components", 1, 30),
                    one_of("scale", "standard", "minmax", "unit", "none"),
                    one_of("whiten", False, True),
                )
            ),
            lambda v: reduced(v, GaussianNB(var_smoothing=v["var_smoothing"]), v["whiten"]),
            cancer,
        ),
        "elastic net, diabetes": (
            Space(
                (
                    log("alpha", 1e-3, 10.0),
                    Parameter("l1_ratio", 0.0, 1.0),
                    whole("degree", 1, 2),
                    one_of("scale", "none", "standard"),
                )
            ),
            lambda v: scaled(
                v,
                PolynomialFeatures(v["degree"]),
                ElasticNet(alpha=v["alpha"], l1_ratio=v["l1_ratio"], max_iter=300),
            ),
            first(diabetes, 200),
        ),
        "discriminants, digits": (
            Space(
                (
                    Parameter("shrinkage", 0.0, 1.0),
                    whole("components", 2, 60),
                    one_of("scale", "unit", "standard", "none"),
                )
            ),
            lambda v: reduced(v, LinearDiscriminantAnalysis(solver="lsqr", shrinkage=v["shrinkage"])),
            first(digits, 300),
        ),
    }


def first(data: tuple[Any, Any], rows: int) -> tuple[Any, Any]:
    return data[0][:rows], data[1][:rows]


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
    """A row for each kind of model, the mean of its tasks, with types / without; the last is of all tasks."""
    marks = list(runs[0]["errors"])
    columns = ["worse than the start", "told to beat it"]
    head = ["tasks", "start", *(f"{mark} questions" for mark in marks), *columns]
    kinds: dict[str, list[Array]] = {}
    for (task,), of_task in grouped(runs, "problem").items():
        kind = str(task).partition(",")[0]
        kinds.setdefault(kind if kind in OFTEN else "others", []).append(_of_task(of_task))
    lines = [[f"{kind} ({len(some)})", *_cells(np.mean(some, axis=0))] for kind, some in kinds.items()]
    every = [each for some in kinds.values() for each in some]
    return {"table": markdown_table(head, [*lines, [f"all ({len(every)})", *_cells(np.mean(every, axis=0))]])}


def _of_task(runs: list[MeasuredRow]) -> Array:
    """For each way to treat types: the start, regrets, and the two shares."""
    best = min(min(run["least"], *run["errors"].values()) for run in runs)
    start, unit = runs[0]["start"], runs[0]["median"] - best
    ways = []
    for some in grouped(runs, "algorithm").values():
        errors = np.array([list(run["errors"].values()) for run in some])
        worse = float((errors[:, -1] > start + AS_GOOD).mean())
        told = float(np.mean([run["stated"] for run in some]))
        ways.append([(start - best) / unit, *(errors.mean(axis=0) - best) / unit, worse, told])
    return np.array(ways)


def _cells(values: Array) -> list[str]:
    """The start, regrets and shares of the ways to treat types, which are the rows of `values`."""
    regrets = [" / ".join(f"{value:.2f}" for value in column) for column in values[:, 1:-2].T]
    shares = [" / ".join(f"{value:.0%}" for value in column) for column in values[:, -2:].T]
    return [f"{values[0, 0]:.2f}", *regrets, *shares]


PLAN = Measurement(
    measure=tuned, tables=tables, problems=list(tasks()), algorithms=("declared", "continuous"), seeds=4, budget=30
)
