"""A program of somebody else, checked by `mypy --strict` against the installed wheel: its types must be there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import steelyard
from steelyard import Compare, Dialogue, FunctionOracle, NoisyOracle, Session, Space, Step

Point = NDArray[np.float64]


@dataclass(frozen=True)
class CoinWalk:
    """A method of one's own."""

    step: float = 0.5

    def run(self, x: Point, rng: np.random.Generator) -> Dialogue:
        while True:
            y = x + self.step * rng.standard_normal(x.size)
            answers = yield Compare(y[None], x[None])
            if answers[0] > 0:
                x = y
            yield Step(x)


class Judge:
    """An oracle of one's own."""

    def compare(self, a: Point, b: Point) -> NDArray[np.int8]:
        answers: NDArray[np.int8] = np.sign((b**2).sum(axis=1) - (a**2).sum(axis=1)).astype(np.int8)
        return answers


def prefer(x: Point, y: Point) -> bool:
    return bool(x @ x < y @ y)


def main() -> None:
    x0 = np.ones(3)
    result = steelyard.minimize(Judge(), x0, method=CoinWalk(), budget=200, rng=0)
    noisy = steelyard.minimize(NoisyOracle(FunctionOracle(lambda x: float(x @ x)), 0.9, 0), x0, budget=100, rng=1)
    plain = steelyard.minimize(prefer, x0, method="gld", budget=100, bounds=[(-2, 2)] * 3, options={"step": 0.5})
    session = Session(CoinWalk(), x0, rng=0)
    session.tell([+1])
    best: Point = session.recommend()
    space = Space((steelyard.Parameter("gain", 0, 30, unit="dB"),))
    names: tuple[str, ...] = space.names
    print(best.size, names, result.x.shape, noisy.ncmp, plain.message)


if __name__ == "__main__":
    main()
