"""The scrambled Halton sequence, as `scipy.stats.qmc.Halton(n, scramble=True, seed=0)` gives it, bit for bit.

Importing scipy.stats takes longer than all else that a server of a study needs together.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import count, islice
from math import ceil, log2

import numpy as np

from steelyard.typing import Array

DOUBLE_BITS = 54
"""Digits are scrambled until they no longer change a double."""


@lru_cache(maxsize=16)
def scrambled_halton(n: int, points: int) -> Array:
    """The first points in [0, 1)^n: in the base of one prime per coordinate, digit by digit shuffled."""
    rng = np.random.default_rng(0)
    return np.stack([_scrambled(base, points, rng) for base in islice(_primes(), n)], axis=1)


def _scrambled(base: int, points: int, rng: np.random.Generator) -> Array:
    shuffled = np.tile(np.arange(base), (ceil(DOUBLE_BITS / log2(base)) - 1, 1))
    for digits in shuffled:
        rng.shuffle(digits)
    rest, found, unit = np.arange(points), np.zeros(points), 1.0 / base
    for digits in shuffled:
        rest, digit = np.divmod(rest, base)
        found += digits[digit] * unit
        unit /= base
    return found


def _primes() -> Iterator[int]:
    return (k for k in count(2) if all(k % d for d in range(2, int(k**0.5) + 1)))
