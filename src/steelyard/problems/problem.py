"""A test problem: a function whose values judge a run, though no method ever sees them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from steelyard.typing import Array

Kernel = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class Problem:
    """`values` and `gradients` take rows `(m, n)`; `f` and `gradient` also take one point `(n,)`.

    A row's value is the same bit for bit alone and in any batch, so that runs in lockstep equal runs alone.
    """

    name: str
    x0: Array
    values: Kernel = field(repr=False)
    gradients: Kernel = field(repr=False)
    f_best: float | None = None
    f_best_source: str = ""
    family: str = ""
    notes: str = ""

    @property
    def n(self) -> int:
        return int(self.x0.size)

    def f(self, x: Array) -> Array | float:
        """The value at one point, or one value a row."""
        rows = self._rows(x)
        values = self.values(rows)
        return values if np.ndim(x) == 2 else float(values[0])

    def gradient(self, x: Array) -> Array:
        """The gradient at one point, or one gradient a row."""
        gradients = self.gradients(self._rows(x))
        return gradients if np.ndim(x) == 2 else gradients[0]

    def _rows(self, x: Array) -> Array:
        x = np.asarray(x, dtype=np.float64)
        if x.ndim not in (1, 2) or x.shape[-1] != self.n:
            raise ValueError(f"x must have shape ({self.n},) or (m, {self.n}) for {self.name}, got {x.shape}")
        return np.atleast_2d(x)
