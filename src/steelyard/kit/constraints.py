"""Known constraints g(x) <= 0: a candidate that violates one loses without being asked about."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from steelyard.errors import BadType
from steelyard.typing import Array

BISECTIONS = 40


class Constraints:
    """How far candidates violate what is known to be required; `show` makes of a point what the functions see."""

    def __init__(self, given: object, show: Callable[[Array], Any]) -> None:
        functions: Sequence[Any] = tuple(given) if isinstance(given, list | tuple) else (given,)
        wrong = [g for g in functions if not callable(g)]
        if wrong or not functions:
            raise BadType(f"constraints must be a function g(x), acceptable where g(x) <= 0, or several, got {given!r}")
        self._functions: tuple[Callable[[Any], Any], ...] = tuple(functions)
        self._show = show

    def violation(self, x: Array) -> float:
        """The sum of what is violated at x: 0 where all is well, infinity where a constraint is NaN."""
        total = 0.0
        for g in self._functions:
            values = np.atleast_1d(_numbers(g, self._show(x)))
            total += float(np.where(np.isnan(values), np.inf, np.maximum(values, 0.0)).sum())
        return total

    def answer(self, a: Array, b: Array) -> int | None:
        """The answer that needs no judge: the one that violates less wins. None if both are acceptable."""
        of_a, of_b = self.violation(a), self.violation(b)
        if of_a == of_b == 0.0:
            return None
        return int(np.sign(np.nan_to_num(of_b - of_a)))

    def acceptable(self, x: Array, known: Iterable[Array], settle: Callable[[Array], Array]) -> Array | None:
        """x if it is acceptable; else the acceptable point nearest to it on the way from a known acceptable one.

        `settle` brings a point between the two to an allowed one. None if no acceptable point is known.
        """
        if self.violation(x) == 0.0:
            return x
        inside = next((point for point in known if self.violation(point) == 0.0), None)
        if inside is None:
            return None
        low, high = 0.0, 1.0
        best = inside
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            point = settle(inside + middle * (x - inside))
            if self.violation(point) == 0.0:
                low, best = middle, point
            else:
                high = middle
        return best


def _numbers(g: Callable[[Any], Any], x: Any) -> Array:
    value = g(x)
    try:
        if isinstance(value, bool | np.bool_) or value is None:
            raise TypeError
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        name = getattr(g, "__name__", repr(g))
        raise BadType(
            f"constraints must return numbers, acceptable where they are <= 0, got {value!r} from {name}"
        ) from None
