"""A larger region, once comparisons along the way to the minimiser confirm that f falls that far."""

from dataclasses import dataclass

import numpy as np

from steelyard.algorithms.bayes_quadratic.mind import Mind
from steelyard.algorithms.bayes_quadratic.votes import needed
from steelyard.dialogue import Compare, Question
from steelyard.typing import Array

LONGEST_WAY = 64.0
"""The longest way looked at, in ways to the minimiser."""
LONGEST_ON_TRIAL = 2.0
"""The longest as long as it is not known whether the judge errs."""
LONGEST_IN_BOX = 4.0
"""The longest in a finite box, which the first region spans: farther ways end in its corners, and a region that is many
times wider than the box takes hundreds of answers to become narrow again."""
VARIED_LENGTH, GROWTH_ODDS = 0.1, 10.0
"""Points are varied by this part, so that no question repeats, until one side is this much more probable."""
LEAST_GROWTH = 1.5
"""How many times as wide a region becomes at least where f falls to the minimiser and beyond."""
MOST_AHEAD = 4
"""The most lengths looked at in one batch: as a rule the first is long enough."""


@dataclass
class _Vote:
    """Is f lower at the length t than at 2 t? `ahead` is by how many answers it is."""

    t: float
    ahead: int = 0
    tries: int = 0


def grow(mind: Mind, rng: np.random.Generator, in_flight: int, on_trial: bool) -> Question[Array]:
    """Make the region larger by as much as answers confirm; these are returned.

    One at a time about 2 comparisons if the judge never errs, more if it does; with more in flight votes and lengths
    that may be needed are asked for together.
    """
    way, heard = mind.view.z.copy(), [np.empty(0)]
    lead = needed(mind.noise.rate, GROWTH_ODDS)
    lengths = max(1, min(in_flight // lead, MOST_AHEAD))
    boxed = mind.box is not None and mind.box.finite
    longest = LONGEST_ON_TRIAL if on_trial else LONGEST_IN_BOX if boxed else LONGEST_WAY
    votes = [_Vote(0.5)]
    while True:
        while len(votes) < lengths:
            votes.append(_Vote(2.0 * votes[-1].t))
        wanted = [
            vote for vote in votes[:lengths] for _ in range(1 if in_flight == 1 else max(lead - abs(vote.ahead), 0))
        ]
        pairs = [_question(mind, vote.t, way, rng) for vote in wanted]
        answers = yield Compare(np.array([a for a, _, _ in pairs]), np.array([b for _, b, _ in pairs]))
        heard.append(answers.astype(np.float64))
        for vote, (_, _, sign), answer in zip(wanted, pairs, answers.tolist(), strict=True):
            vote.ahead, vote.tries = vote.ahead + sign * answer, vote.tries + 1
        while votes and (abs(votes[0].ahead) >= lead or votes[0].tries >= 2 * lead + 3):
            t = votes[0].t
            if votes[0].ahead >= 0 or t >= longest:
                mind.grow(t * way, 1.0 if t < 1.0 else max(LEAST_GROWTH, t / 2.0))
                return np.concatenate(heard)
            votes = votes[1:] or [_Vote(2.0 * t)]


def _question(mind: Mind, t: float, way: Array, rng: np.random.Generator) -> tuple[Array, Array, int]:
    """Points at about t and 2 t along the way, in random order, and the answer that speaks for the nearer one."""
    near, far = t * (1.0 + VARIED_LENGTH * rng.uniform(-1.0, 1.0, 2)) * np.array([1.0, 2.0])
    points = mind.region.point(np.stack([near * way, far * way]))
    if mind.box is not None:
        points = np.clip(points, mind.box.low, mind.box.high)
    turn = int(rng.random() < 0.5)
    return points[turn], points[1 - turn], 1 if turn == 0 else -1
