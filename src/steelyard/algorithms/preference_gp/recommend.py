"""Where f is believed to be best: the maximiser of the mean, averaged over the particles."""

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from steelyard.algorithms.preference_gp.coordinates import Coordinates
from steelyard.algorithms.preference_gp.posterior import AverageMean, Posterior
from steelyard.typing import Array

STARTS = 2
MOST_LEVELS_TRIED = 12
USUAL_STEPS = 15_000
"""The most steps of a climb if nothing else is said: scipy's own limit."""

Target = Callable[[Array], tuple[float, Array]]
"""Value and gradient at rows of features."""


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

    def of_one_row(rows: Array) -> tuple[float, Array]:
        value, gradient = target(rows[0])
        return value, gradient[None]

    return climbed(of_one_row, coordinates, x[None])[0] if coordinates.continuous.any() else x


def climbed(
    target: Target, coordinates: Coordinates, rows: Array, now: float = 0.0, most_steps: int = USUAL_STEPS
) -> Array:
    """The rows moved along the continuous coordinates to a higher value of `target`. When to stop depends on how far
    that is above `now`."""
    move = coordinates.continuous
    # A coordinate without categories is a single feature, and so is its derivative.
    feature = np.flatnonzero(move[coordinates.owner])
    features = coordinates.features(rows)

    def negative(free: Array) -> tuple[float, Array]:
        at = features.copy()
        at[:, feature] = free.reshape(len(rows), -1)
        value, gradient = target(at)
        return now - value, -gradient[:, feature].ravel()

    start = rows[:, move].ravel()
    box = [(0.0, 1.0)] * len(start)
    found = minimize(negative, start, jac=True, method="L-BFGS-B", bounds=box, options={"maxiter": most_steps})
    rows = rows.copy()
    rows[:, move] = np.clip(found.x, 0.0, 1.0).reshape(len(rows), -1)
    return rows


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
