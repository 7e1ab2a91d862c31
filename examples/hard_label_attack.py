"""Change a picture as little as possible so that a classifier errs, using only the labels that it gives.

The setting of Sign-OPT (Cheng et al. 2020). For a direction t let g(t) be the distance along t at which the label
changes; the attack minimises g. Values of g are expensive (a search along the ray), but to *compare* two directions is
cheap: take the distance at which the first ray crosses and ask for one label on the other ray.
It tests how robust a model is: here a small network trained on synthetic pictures.

    python examples/hard_label_attack.py
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import steelyard
from steelyard.typing import Answers, Array

SIDE, CLASSES = 8, 4
BISECTIONS = 30


def pictures(m: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Bars at four angles with noise, 8 x 8 grey values, and their labels."""
    labels = rng.integers(CLASSES, size=m)
    angle = labels * np.pi / CLASSES + rng.normal(0, 0.12, m)
    grid = np.arange(SIDE) - (SIDE - 1) / 2
    across = np.sin(angle)[:, None, None] * grid[None, None, :] - np.cos(angle)[:, None, None] * grid[None, :, None]
    bars = np.exp(-(across**2) / 2) + rng.normal(0, 0.1, across.shape)
    return bars.reshape(m, -1), labels.astype(np.float64)


def train(rng: np.random.Generator) -> Callable[[Array], Array]:
    """A network with one hidden layer, by plain gradient descent; it returns labels and nothing else."""
    x, labels = pictures(2000, rng)
    onehot = np.eye(CLASSES)[labels.astype(int)]
    W, V = rng.normal(0, 0.2, (SIDE * SIDE, 32)), rng.normal(0, 0.2, (32, CLASSES))
    for _ in range(300):
        h = np.tanh(x @ W)
        p = np.exp(h @ V)
        error = (p / p.sum(axis=1, keepdims=True) - onehot) / len(x)
        W, V = W - 2.0 * x.T @ (error @ V.T * (1 - h**2)), V - 2.0 * h.T @ error
    return lambda rows: np.argmax(np.tanh(rows @ W) @ V, axis=1)


@dataclass
class NearerBoundary:
    """Which of two directions changes the label sooner? One label a comparison, if the distance of one is known."""

    label: Callable[[Array], Array]
    picture: Array
    labels_asked: int = 0
    _distances: dict[bytes, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._truth = int(self.label(self.picture[None])[0])

    def changed(self, direction: Array, distance: float) -> bool:
        self.labels_asked += 1
        here = self.picture + distance * direction / np.linalg.norm(direction)
        return int(self.label(here[None])[0]) != self._truth

    def distance(self, direction: Array) -> float:
        """g(t), by doubling and then halving the interval that holds the crossing; infinite if nothing changes."""
        key = direction.tobytes()
        if key not in self._distances:
            high = 1.0
            while not self.changed(direction, high):
                high = 2 * high
                if high > 1e3:
                    break
            low = high / 2
            for _ in range(BISECTIONS if high < 1e3 else 0):
                middle = (low + high) / 2
                low, high = (low, middle) if self.changed(direction, middle) else (middle, high)
            self._distances[key] = high if high < 1e3 else np.inf
        return self._distances[key]

    def compare(self, a: Array, b: Array) -> Answers:
        return np.array([self._one(s, t) for s, t in zip(a, b, strict=True)], dtype=np.int8)

    def _one(self, s: Array, t: Array) -> int:
        if s.tobytes() in self._distances:
            return -self._one_label(t, s)
        return self._one_label(s, t)

    def _one_label(self, new: Array, known: Array) -> int:
        """+1 if the new ray has crossed already where the known one crosses."""
        distance = self.distance(known)
        return 1 if self.changed(new, min(distance, 1e3)) else -1


def start_direction(oracle: NearerBoundary, rng: np.random.Generator, tries: int = 50) -> Array:
    """The best of some random directions: any direction that changes the label will do."""
    directions = rng.standard_normal((tries, oracle.picture.size))
    return min(directions, key=oracle.distance)


def main(budget: int = 1500) -> tuple[float, float]:
    rng = np.random.default_rng(0)
    label = train(rng)
    test, truth = pictures(500, rng)
    print(f"the model is right on {np.mean(label(test) == truth):.1%} of new pictures")
    oracle = NearerBoundary(label, test[np.flatnonzero(label(test) == truth)[0]])
    start = start_direction(oracle, rng)
    result = steelyard.minimize(oracle, start / np.linalg.norm(start), method="signopt", budget=budget, rng=0)
    before, after = oracle.distance(start), oracle.distance(result.x)
    print(f"distance to the nearest error: {before:.3f} at first, {after:.3f} after {result.ncmp} comparisons")
    print(f"{oracle.labels_asked} labels asked in all, {oracle.labels_asked / result.ncmp:.2f} a comparison")
    return before, after


if __name__ == "__main__":
    main()
