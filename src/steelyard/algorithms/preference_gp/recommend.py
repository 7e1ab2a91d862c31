"""Where f is believed to be best: the maximiser of the mean, averaged over the particles."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from steelyard.algorithms.preference_gp.coordinates import Coordinates
from steelyard.algorithms.preference_gp.posterior import AverageMean, Posterior
from steelyard.typing import Array

STARTS = 2
MOST_LEVELS_TRIED = 12


def recommend(posterior: Posterior, coordinates: Coordinates, points: Array) -> Array:
    """The best point found from the most promising two of the rows of `points`."""
    points = coordinates.snap(points)
    mean = posterior.average(coordinates.features(points))
    target = AverageMean(posterior)
    best_value, best = -np.inf, np.asarray(points[0])
    for i in np.argsort(-mean)[:STARTS]:
        x = _climb(target, coordinates, points[i])
        better = _exchange_levels(posterior, coordinates, x)
        if better is not x:
            x = _climb(target, coordinates, better)
        value, _ = target(coordinates.features(x[None])[0])
        if value > best_value:
            best_value, best = value, x
    return best


def _climb(target: AverageMean, coordinates: Coordinates, x: Array) -> Array:
    """Along the continuous coordinates to the top of the hill that x is on."""
    move = coordinates.continuous
    if not move.any():
        return x
    # A coordinate without categories is a single feature, and so is its derivative.
    feature = np.flatnonzero(move[coordinates.owner])

    def negative(free: Array) -> tuple[float, Array]:
        z = features.copy()
        z[feature] = free
        value, gradient = target(z)
        return -value, -gradient[feature]

    features = coordinates.features(x[None])[0]
    found = minimize(negative, x[move], jac=True, method="L-BFGS-B", bounds=[(0.0, 1.0)] * len(feature))
    x = x.copy()
    x[move] = np.clip(found.x, 0.0, 1.0)
    return x


def _exchange_levels(posterior: Posterior, coordinates: Coordinates, x: Array) -> Array:
    """The best of x and the points that differ from it in the level of one coordinate, as often as that helps."""
    for _ in range(coordinates.n):
        trials = [x]
        for i in np.flatnonzero(coordinates.free & ~coordinates.continuous):
            levels = np.array(coordinates.levels_of(int(i)))
            if not coordinates.is_categorical[i]:
                levels = levels[np.argsort(np.abs(levels - x[i]))[:MOST_LEVELS_TRIED]]
            for level in levels[levels != x[i]]:
                trial = x.copy()
                trial[i] = level
                trials.append(trial)
        best = int(posterior.average(coordinates.features(np.array(trials))).argmax())
        if best == 0:
            return x
        x = trials[best]
    return x
