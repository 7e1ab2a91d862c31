"""What people might like: smooth utilities of a few parameters, made by seed, as functions to minimise.

Each lives in the box [0, 1]^d, is 0 at its optimum and 1 in the median over the box, so a value is a regret: the part
of the way from a typical point to the best one that is still missing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.errors import BadValue
from steelyard.problems.people import MAKERS, MARGIN, Function, place
from steelyard.typing import Array

__all__ = ["KINDS", "MARGIN", "WHERE", "Function", "Utility", "utility"]

KINDS = tuple(MAKERS)
WHERE = ("inside", "edge")


@dataclass(frozen=True, eq=False)
class Utility:
    """One instance: `f` maps rows of points to regrets, `optimum` is where it is 0."""

    kind: str
    where: str
    d: int
    seed: int
    optimum: Array
    f: Function


def utility(seed: int, d: int) -> Utility:
    """Instance number `seed` in d parameters: all kinds in turn, inside and at the edge in turn."""
    if d < 2:
        raise BadValue(f"the number of parameters must be at least 2, got {d}")
    kind = KINDS[seed % len(KINDS)]
    where = WHERE[(seed // len(KINDS)) % len(WHERE)]
    rng = np.random.default_rng([seed, d, 20])
    optimum = place(where, d, rng)
    raw = MAKERS[kind](optimum, rng)
    median = float(np.median(raw(np.random.default_rng([seed, d, 21]).random((4096, d)))))
    return Utility(kind, where, d, seed, optimum, lambda x: raw(x) / median)
