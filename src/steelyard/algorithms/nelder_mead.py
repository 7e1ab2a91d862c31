"""Nelder and Mead's simplex (1965) with the coefficients of Gao and Han (2012): comparison-based by nature."""

from dataclasses import dataclass

import numpy as np

from steelyard.checks import check_flag, check_positive
from steelyard.dialogue import Dialogue, Question, Step, better
from steelyard.parts.questions import binary_search
from steelyard.parts.stopping import settled
from steelyard.typing import Array


@dataclass(frozen=True)
class NelderMead:
    """Nelder-Mead's simplex, kept in order: about log2(n) + 1 comparisons per step, after about n log2(n) at first.

    A new vertex is inserted into the order by binary search, where sorting again would take O(n^2).
    Ties: a vertex as good as another goes behind it, and is not an improvement.
    """

    step: float = 0.5
    """The first step length: the edge of the first simplex."""
    adaptive: bool = True
    """Coefficients that depend on n (Gao and Han 2012), without which it stalls for n > 10 or so."""

    def __post_init__(self) -> None:
        check_positive("step", self.step)
        check_flag("adaptive", self.adaptive)

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        n = x.size
        # n = 1 is too small for the adaptive coefficients: contraction and shrinkage would be none at all
        k = max(n, 2) if self.adaptive else 2
        # 1 + 2/n, 3/4 - 1/(2n), 1 - 1/n; for n = 2 they are Nelder and Mead's own
        expansion, contraction, shrinkage = 1.0 + 2.0 / k, 0.75 - 0.5 / k, 1.0 - 1.0 / k
        simplex = [x]
        for i in range(n):
            vertex = x.copy()
            vertex[i] += self.step
            yield from self._insert(simplex, vertex)
            yield Step(simplex[0])
        total = np.sum(simplex, axis=0)
        while True:
            worst = simplex.pop()
            centre = (total - worst) / n
            reflected = centre + (centre - worst)
            place = yield from _place(simplex, reflected)
            new = reflected
            if place == 0:
                expanded = centre + expansion * (centre - worst)
                new = expanded if (yield from better(expanded, reflected)) else reflected
            elif place == n:  # not better than the second worst
                outside = yield from better(reflected, worst)
                end = reflected if outside else worst
                new = centre + contraction * (end - centre)
                if not (yield from better(new, end)):
                    simplex.append(worst)
                    simplex = yield from self._shrunk(simplex, shrinkage)
                    if all(np.array_equal(vertex, simplex[0]) for vertex in simplex):
                        return (yield from settled("the simplex has shrunk below rounding", simplex[0], self.step, rng))
                    total = np.sum(simplex, axis=0)
                    yield Step(simplex[0])
                    continue
                place = yield from _place(simplex, new)
            simplex.insert(place, new)
            total = total + (new - worst)
            yield Step(simplex[0])

    def _shrunk(self, simplex: list[Array], shrinkage: float) -> Question[list[Array]]:
        """All vertices drawn towards the best one, in order: about n log2(n) comparisons."""
        best = simplex[0]
        shrunk = [best]
        for vertex in simplex[1:]:
            yield from self._insert(shrunk, best + shrinkage * (vertex - best))
        return shrunk

    def _insert(self, simplex: list[Array], vertex: Array) -> Question[None]:
        simplex.insert((yield from _place(simplex, vertex)), vertex)


def _place(ordered: list[Array], vertex: Array) -> Question[int]:
    """Where the vertex belongs among those in order, the best first: at most log2(m) + 1 comparisons."""
    m = len(ordered)
    return (yield from binary_search([*ordered, vertex], range(m), m))
