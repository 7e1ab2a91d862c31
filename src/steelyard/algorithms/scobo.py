"""SCOBO (Cai, McKenzie, Yin, Zhang, "A one-bit, comparison-based gradient estimator", 2020)."""

from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar

import numpy as np

from steelyard.checks import check_between, check_flag, check_positive, check_whole
from steelyard.dialogue import Capabilities, Dialogue, Step
from steelyard.parts.directions import Directions, check_directions
from steelyard.parts.one_bit import MOVE, StepLength, check_radius, one_bit_sum
from steelyard.parts.stopping import reason_to_stop, settled
from steelyard.typing import Array

DIRECTIONS_PER_VARIABLE, MOST_DIRECTIONS = 4, 100
"""Directions per step by default: this many per variable that matters, and the most in all."""


@dataclass(frozen=True)
class SCOBO:
    """A step against a sparse one-bit gradient estimate: m comparisons per step, in one batch, and a line search.

    The estimate is the g with |g|_2 <= 1 and |g|_1 <= sqrt(s) that agrees best with the answers. The
    preset "paper-toy" keeps the line search of SCOBO's own paper; "published-toy" takes the
    constant steps of the benchmark's code, which cannot get closer to a minimum than half a step.
    """

    step: float = 0.5
    """The first step length."""
    s: float = 0.25
    """How many variables matter: a count, or a share of n if below 1."""
    m: int | None = None
    """Directions per step; 4 s, but at most 100, by default."""
    radius: float | None = None
    """How far the directions reach; with `line_search` only at first, and by default derived from `step`."""
    directions: Directions = "sphere"
    """The distribution of the random directions: "gaussian", "sphere", "coordinate" or "rademacher"."""
    line_search: bool = True
    """The length of each step is found by comparisons, and the radius follows it. Without it every step is
    -step * g."""
    decay: float = 1.0
    """Without `line_search`, by what `step` shrinks every `decay_every` steps."""
    decay_every: int = 100
    """After how many steps `step` shrinks."""

    capabilities: ClassVar[Capabilities] = Capabilities(in_flight="m", cut=True)
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "paper": {"step": 2.0, "s": 0.25, "radius": 1e-3, "line_search": False, "decay": 0.9},
        "paper-toy": {"step": 0.5, "s": 20, "m": 100, "radius": 0.1},
        "published-toy": {"step": 0.5, "s": 20, "m": 100, "radius": 0.1, "line_search": False},
    }

    def __post_init__(self) -> None:
        check_positive("step", self.step)
        check_flag("line_search", self.line_search)
        check_radius(self.radius, self.line_search)
        check_positive("s", self.s)
        if self.s >= 1.0:
            check_whole("s", self.s, 1)
        if self.m is not None:
            check_whole("m", self.m, 1)
        check_directions(self.directions)
        check_positive("decay", self.decay)
        check_between("decay", self.decay, 0.0, 1.0)
        check_whole("decay_every", self.decay_every, 1)

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        n = x.size
        s = int(max(1.0, self.s * n) if self.s < 1.0 else min(self.s, n))
        m = self.m or min(DIRECTIONS_PER_VARIABLE * s, MOST_DIRECTIONS)
        length = StepLength.first(self.step, self.radius, n, self.directions)
        k = 0
        reserve = MOVE if self.line_search else None  # a fixed step is taken on all m answers or not at all
        while True:
            c = yield from one_bit_sum(x, length.radius, m, self.directions, rng, reserve)
            g = sparse_direction(c, s)
            if self.line_search:
                x = yield from length.move(x, g)
                if reason := reason_to_stop(length.a, x):
                    return (yield from settled(reason, x, self.step, rng))
            else:
                x = x - self.step * self.decay ** (k // self.decay_every) * g
            k += 1
            yield Step(x)


def sparse_direction(c: Array, s: float) -> Array:
    """The g that maximises <c, g> subject to |g|_2 <= 1 and |g|_1 <= sqrt(s).

    It is c soft-thresholded at some t and normalised. |S_t(c)|_1 / |S_t(c)|_2 falls as t grows; sorting finds how many
    entries survive where it crosses sqrt(s), and between two entries t is the root of a quadratic: O(n log n), exact.
    """
    u = np.sort(np.abs(c))[::-1]
    if not u[0] > 0.0:
        return np.zeros_like(c)
    A, Q = np.cumsum(u), np.cumsum(u * u)
    if A[-1] <= sqrt(s * Q[-1]):
        dense: Array = c / sqrt(Q[-1])
        return dense
    largest = int(np.count_nonzero(u == u[0]))
    if largest >= s:  # no threshold keeps fewer than all of the largest: they share the budget of |g|_1
        return np.where(np.abs(c) == u[0], np.sign(c) * (sqrt(s) / largest), 0.0)
    k = np.arange(1, u.size + 1)
    low_enough = (A - k * u) ** 2 <= s * (Q - 2.0 * u * A + k * u * u)  # the ratio at t = u_k, without its 0/0
    survivors = max(int(np.flatnonzero(low_enough)[-1]), int(s)) + 1
    A_k, Q_k = A[survivors - 1], Q[survivors - 1]
    t = (A_k - sqrt(max(0.0, s * (survivors * Q_k - A_k * A_k) / (survivors - s)))) / survivors
    g = np.sign(c) * np.maximum(np.abs(c) - t, 0.0)
    unit: Array = g / float(np.linalg.norm(g))
    return unit
