"""The paper's four distributions of search directions (its algorithm "Random Sampling Directions").

The published pseudocode of the Rademacher case says "+ 1" where "- 1" is meant; here the entries are +-1/sqrt(n).
"""

from typing import Literal, get_args

import numpy as np

from steelyard.checks import check_choice
from steelyard.typing import Array

Directions = Literal["coordinate", "gaussian", "sphere", "rademacher"]


def sample(directions: Directions, n: int, rng: np.random.Generator) -> Array:
    """One direction `(n,)`. All but "gaussian", whose length is about sqrt(n), have length 1."""
    if directions == "gaussian":
        return rng.standard_normal(n)
    if directions == "coordinate":
        d = np.zeros(n)
        d[rng.integers(n)] = 1.0
        return d
    one: Array = sample_many(directions, 1, n, rng)[0]
    return one


def sample_many(directions: Directions, m: int, n: int, rng: np.random.Generator) -> Array:
    """m independent directions, one per row."""
    if directions == "gaussian":
        return rng.standard_normal((m, n))
    if directions == "coordinate":
        d = np.zeros((m, n))
        d[np.arange(m), rng.integers(n, size=m)] = 1.0
        return d
    if directions == "sphere":
        d = rng.standard_normal((m, n))
        unit: Array = d / np.sqrt(np.einsum("ij,ij->i", d, d))[:, None]
        return unit
    check_directions(directions)
    signs = 2.0 * rng.integers(2, size=(m, n)).astype(np.float64) - 1.0  # rademacher
    return signs / float(np.sqrt(n))


def check_directions(directions: str) -> None:
    """Raise a clear error for an unknown distribution, before a run starts."""
    check_choice("directions", directions, get_args(Directions))
