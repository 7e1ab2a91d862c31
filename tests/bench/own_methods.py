"""Methods from outside the package, as a newcomer would write them."""

from dataclasses import dataclass

import numpy as np

from steelyard import Compare, Step


@dataclass(frozen=True)
class Walk:
    step: float = 0.1

    def run(self, x, rng):
        while True:
            y = x + self.step * rng.standard_normal(x.size)
            answers = yield Compare(y[None], x[None])
            if answers[0] > 0:
                x = y
            yield Step(x)


@dataclass(frozen=True)
class Stops:
    """Asks a batch with a repeated side, then a batch of pairs, and stops after three rounds."""

    def run(self, x, rng):
        for _ in range(3):
            many = x + rng.standard_normal((4, x.size))
            yield Compare(many, np.broadcast_to(x, many.shape))
            answers = yield Compare(many[:2], many[2:])
            x = many[0] if answers[0] > 0 else many[2]
            yield Step(x)
        return "three rounds are enough"


@dataclass(frozen=True)
class Breaks:
    """Goes wrong in the middle, but only for some seeds: it raises, or it asks about NaN."""

    how: str = "method"

    def run(self, x, rng):
        bad = rng.random() < 0.5
        for k in range(10**9):
            if bad and k == 5:
                if self.how == "method":
                    raise ZeroDivisionError("seven")
                x = x * np.nan
            yield Compare((x + 0.01 * rng.standard_normal(x.size))[None], x[None])
            yield Step(x)
