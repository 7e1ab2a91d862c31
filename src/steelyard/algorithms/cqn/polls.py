"""At a kink: trials along each axis, whose lengths adapt one by one.

Where f has kinks that cross the axes only (an L1 penalty, sums of absolute values), a point that no step along an axis
improves is a minimum, and gradients measured across the kinks mislead. Elsewhere trials soon find nothing any more.
"""

import numpy as np

from steelyard.algorithms.cqn.lengths import is_short
from steelyard.algorithms.cqn.tuning import Tuning
from steelyard.dialogue import Question, Step, better
from steelyard.typing import Array


def polls(x: Array, width: float, scale: float, tuning: Tuning) -> Question[Array]:
    """Trials from x along axes, `width` long at first; given up after some rounds in which none was better.

    Also where they become neither longer nor shorter: in a valley across the axes they would go on forever. 1 or 2
    comparisons per trial.
    """
    steps, known = np.full(x.size, width), np.zeros(x.size, dtype=bool)
    fruitless, unchanged, longest = 0, 0, width
    while max(fruitless, unchanged) < tuning.poll_rounds and not is_short(steps, x, scale, tuning.rounding_step):
        fruitless += 1
        for i in range(x.size):
            # The side that led on last comes first.
            for way in (steps[i], -steps[i]):
                there = x.copy()
                there[i] += way
                if (yield from better(there, x)):
                    x, steps[i], known[i], fruitless = there, tuning.poll_longer * way, True, 0
                    yield Step(x)
                    break
            else:
                steps[i] *= tuning.poll_shorter if known[i] else tuning.poll_shorter**2
        now = float(np.abs(steps).max())
        if tuning.poll_shorter * longest < now <= longest:
            unchanged += 1
        else:
            unchanged, longest = 0, now
    return x
