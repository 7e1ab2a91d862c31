"""A test problem: a function whose values judge a run, though no method ever sees them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from steelyard.errors import BadValue
from steelyard.problems import derived
from steelyard.typing import Array, Kernel


@dataclass(frozen=True, eq=False)
class Problem:
    """`values` and `gradients` take rows `(m, n)`; `f` and `gradient` also take one point `(n,)` and check it.

    A row's value is the same bit for bit alone and in any batch, so that runs in lockstep equal runs alone.
    A point with NaN is refused; a value too large for a float is inf or NaN, without a warning.
    """

    name: str
    x0: Array
    values: Kernel = field(repr=False)
    gradients: Kernel = field(repr=False)
    f_best: float | None = None
    f_best_source: str = ""
    family: str = ""
    notes: str = ""
    bounds: tuple[Array, Array] | None = None
    """The lower and the upper ends of the box to which the problem is confined; None if it is not."""
    judge: Callable[[np.random.Generator], Any] | None = field(default=None, repr=False)
    """Who answers, where that is not f: makes an oracle from a random stream. f is then what a run is judged by alone,
    expensive to measure, and its gradient unknown (NaN)."""
    rebuild: Callable[[str], Problem] | None = field(default=None, repr=False)
    """Makes the problem from its name, as which it is then pickled; `problems.get` notes itself here."""

    vectorized: ClassVar[bool] = True
    """An oracle may call the problem with one point per row."""

    @property
    def n(self) -> int:
        return int(self.x0.size)

    def f(self, x: Array) -> Any:
        """The value at one point (a float), or one value per row (an array)."""
        x = self._checked(x)
        if not x.size:
            return np.empty(0)
        with np.errstate(all="ignore"):
            return self.values(x) if x.ndim == 2 else float(self.values(x[None])[0])

    def __call__(self, x: Array) -> Any:
        """The same as `f`."""
        return self.f(x)

    def gradient(self, x: Array) -> Array:
        """The gradient at one point, or one gradient per row. For judging runs only."""
        x = self._checked(x)
        if not x.size:
            return np.empty_like(x)
        with np.errstate(all="ignore"):
            return self.gradients(x) if x.ndim == 2 else self.gradients(x[None])[0]

    def _checked(self, x: Array) -> Array:
        x = np.asarray(x, dtype=np.float64, order="C")
        if x.shape[-1:] != self.x0.shape or x.ndim > 2:
            raise BadValue(f"x must have shape ({self.n},) or (m, {self.n}) for {self.name}, got {x.shape}")
        # x'x is NaN exactly where an entry is; it costs a tenth of asking each entry.
        if math.isnan(np.vdot(x, x)):
            raise BadValue(f"x must not contain NaN for {self.name}, got it at index {np.argwhere(np.isnan(x))[0]}")
        return x

    def rotated(self, seed: int) -> Problem:
        """The problem with its variables rotated about x0; the seed fixes the rotation."""
        return derived.rotated(self, seed)

    def turned(self, seed: int) -> Problem:
        """The problem with its variables and x0 rotated about the origin; the seed fixes the rotation."""
        return derived.turned(self, seed)

    def shifted(self, seed: int, size: float = 0.1) -> Problem:
        """The problem from another start: x0 plus Gaussian noise of standard deviation `size`."""
        return derived.shifted(self, seed, size)

    def scaled(self, condition: float) -> Problem:
        """The problem with its axes stretched about x0, the last `condition` times as much as the first."""
        return derived.scaled(self, condition)

    def __reduce__(self) -> Any:
        if self.rebuild is not None:
            return self.rebuild, (self.name,)
        return Problem, tuple(getattr(self, part.name) for part in fields(self))


# A method bound to a problem shows its function's attributes, so `FunctionOracle(problem.f)` knows as well.
Problem.f.vectorized = True  # type: ignore[attr-defined]


def _unchecked(problem: Problem) -> Kernel:
    """What an oracle may call in place of f; a class with an f of its own is taken at its word."""
    return problem.values if type(problem).f is Problem.f else problem.f


Problem.f.unchecked = Problem.__call__.unchecked = _unchecked  # type: ignore[attr-defined]
