"""Flavour and gel of a dessert (Springall 1973): a utility fitted to what tasters said about nine desserts.

885 recorded answers, 22 % ties, about a grid of 3 by 3. The utility is a quadratic function of both, the answers follow
the model of Rao and Kupper; both are fitted by maximum likelihood. A run asks a person with that utility.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from steelyard.real.choosing import Chooser
from steelyard.real.recorded import Recorded, r_data, recorded
from steelyard.real.task import Task
from steelyard.typing import Array

LOW, HIGH = np.array([0.6, 0.0]), np.array([9.0, 4.8])
"""The concentrations of flavour and gel between which desserts were made."""


class FittedTaste(NamedTuple):
    """The coefficients of u = c . (s, t, s^2, t^2, s t) in the unit box, and the threshold of a tie."""

    coefficients: Array
    threshold: float


def load_dessert() -> Task:
    """The dessert, from the middle of the box."""
    found = fitted_taste()
    grid = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 401)] * 2), axis=-1).reshape(-1, 2)
    liked = utility(found, grid)
    best, middle = float(liked.max()), float(np.median(liked))
    return Task(
        x0=np.full(2, 0.5),
        quality=lambda x: (best - float(utility(found, x[None])[0])) / (best - middle),
        judge=lambda rng: Chooser(lambda x: utility(found, x), found.threshold, rng),
        bounds=(np.zeros(2), np.ones(2)),
        best=0.0,
        best_source="the best of the fitted utility",
        notes="regret: 0 the best dessert, 1 the median one",
    )


def utility(found: FittedTaste, x: Array) -> Array:
    """What the tasters think of desserts, one per row, flavour and gel scaled to the unit box."""
    return _features(x) @ found.coefficients


@cache
def fitted_taste() -> FittedTaste:
    """The most likely utility and threshold."""
    from scipy.optimize import minimize  # slow to import
    from scipy.special import log_expit

    answers: Recorded = recorded("dessert")
    made = r_data("BradleyTerry2", "springall")["predictors"]
    places = (np.column_stack([made["flav"], made["gel"]]) - LOW) / (HIGH - LOW)
    apart = _features(places)[answers.first] - _features(places)[answers.second]

    def surprise(p: Array) -> float:
        d, t = apart @ p[:-1], np.exp(p[-1])
        won, lost = log_expit(d - t), log_expit(-d - t)
        tied = np.log(np.maximum(1.0 - np.exp(won) - np.exp(lost), 1e-12))
        return -float(np.where(answers.answer > 0, won, np.where(answers.answer < 0, lost, tied)).sum())

    found = minimize(surprise, np.zeros(6), method="BFGS").x
    return FittedTaste(found[:-1], float(np.exp(found[-1])))


def _features(x: Array) -> Array:
    s, t = x[:, 0], x[:, 1]
    return np.stack([s, t, s * s, t * t, s * t], axis=1)
