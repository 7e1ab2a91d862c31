"""How settled the recommendation is, from draws of the posterior over the candidates. It asks nothing.

Answers may have been given by chance, which is one more thing to be believed or not: to the extent that it is, every
place is as good as any other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from steelyard.algorithms.preference_gp.joint import Joint
from steelyard.certainty import BEFOREHAND, Certainty
from steelyard.typing import Array

CERTAINTY_DRAWS = 64
INTERVAL = (0.05, 0.95)
WIDER = 1.5
"""Where the best of all may be and how much better it is, is judged with deviations this many times as large as the
model has them: what people like is none of its draws."""
NOTHING = 1e-12
DOUBT = 0.15
"""The part of those places that may be anywhere, however much sense the answers make."""
NEAR_A_FACE = 0.15
"""Where an interval ends this near to a face of the box it ends there: favourites often are at the face itself, which
hardly any draw is."""
FIRST_ANSWERS = 4.5
"""After m answers, what is said of the start is drawn towards even chances by the part exp(-m / FIRST_ANSWERS): of
several hundred simulated people, fewer had been led to something better in the first ten than the model believes."""


def sense_of(log_marginal: float, by_chance: float) -> float:
    """The probability that the answers were not given by chance, from the log evidence of both."""
    odds = np.log(BEFOREHAND / (1.0 - BEFOREHAND)) + log_marginal - by_chance
    return float(1.0 / (1.0 + np.exp(-np.clip(odds, -700.0, 700.0))))


def certainty_of(
    joint: Joint,
    points: Array,
    among: NDArray[np.intp],
    typical: NDArray[np.intp],
    box: Array,
    gain: float,
    noise: dict[str, float],
    sense: float,
    answers: int,
) -> Certainty:
    """About row 0 of `points`; row 1 is the start. The best of all is looked for `among` some of the rows only; others
    are `typical` of the box, and if the `answers`, which are that many, make no `sense`, the best may be there. The
    rows of `box` are its lowest and highest corner."""
    worse_by, variance = joint.difference(0)
    # P[the recommendation is at least as good as each candidate]
    beaten = ndtr(worse_by / np.sqrt(np.maximum(variance, 1e-18))).mean(axis=0)
    improvement = (joint.improvement / joint.unit[:, None]).mean(axis=0)
    improvement[0] = -np.inf
    improvement[typical] = -np.inf
    runner_up = int(improvement.argmax())
    rng = np.random.default_rng(0)  # of its own: to look at the certainty must not change the run
    rows = np.concatenate([among, typical])
    drawn, elsewhere = np.split(joint.draws(rows, CERTAINTY_DRAWS, rng, WIDER), [len(among)], axis=1)
    best = points[among[drawn.argmax(axis=1)]]
    senseless = rng.random(len(best)) >= sense * (1.0 - DOUBT)
    best = np.where(senseless[:, None], points[rng.choice(typical, len(best))], best)
    low, high = np.quantile(best, INTERVAL, axis=0)
    low = np.where(low <= box[0] + NEAR_A_FACE, box[0], np.minimum(low, points[0]))
    high = np.where(high >= box[1] - NEAR_A_FACE, box[1], np.maximum(high, points[0]))
    beats_start = 0.5 + (float(beaten[1]) - 0.5) * (1.0 - float(np.exp(-answers / FIRST_ANSWERS)))
    missing = float(_part(drawn.max(axis=1), np.median(elsewhere, axis=1)).mean())
    # If the answers mean nothing, there are even chances, and what is recommended is a typical point of the box.
    return Certainty(
        beats_start=sense * beats_start + (1.0 - sense) * 0.5,
        beats_runner_up=sense * float(beaten[runner_up]) + (1.0 - sense) * 0.5,
        runner_up=points[runner_up],
        low=low,
        high=high,
        missing=sense * missing + (1.0 - sense),
        gain=max(gain, 0.0),
        noise=noise,
        sense=sense,
    )


def _part(missing: Array, typical: Array) -> Array:
    """What is `missing` as a part of what the best is better than the `typical`, draw by draw, at most all of it: both
    are relative to the recommendation."""
    return np.asarray(np.minimum(missing / np.maximum(missing - typical, NOTHING), 1.0))
