"""Your own method, benchmarked against ours with one command:

    steelyard bench --suite tuning --algorithm own_method:CoordinateSearch --algorithm stp --budget 2000 --seeds 3

Run it in this file's folder, or name the method as `yourpackage.module:Class`. A method is a frozen dataclass of its
settings with one generator: it yields the points to compare, gets +1 where the first is better, and says with `Step`
where it stands.
"""

from dataclasses import dataclass

import numpy as np

from steelyard import Compare, Step


@dataclass(frozen=True)
class CoordinateSearch:
    """Try both ways along one coordinate after another; go on with longer steps after a success, shorter after none."""

    step: float = 0.5

    def run(self, x, rng):
        steps = np.full(x.size, self.step)
        while True:
            for i in rng.permutation(x.size):
                both = np.stack([x, x])
                both[:, i] += [steps[i], -steps[i]]
                better = yield Compare(both, np.stack([x, x]))
                x = both[0] if better[0] > 0 else both[1] if better[1] > 0 else x
                steps[i] *= 1.5 if better.max() > 0 else 0.5
                yield Step(x)
