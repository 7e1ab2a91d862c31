"""Population methods with ask and tell, made comparison-based: the population is ranked, the ranks are the values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from steelyard.checks import check_choice
from steelyard.dialogue import Dialogue, Step
from steelyard.errors import BadType
from steelyard.parts.questions import Sorting, comp_sort
from steelyard.parts.stopping import settled
from steelyard.typing import Array


@dataclass(frozen=True)
class FromAskTell:
    """Any optimiser with ask and tell that forgets old values each generation: one sort of the population a generation.

    `make(x, rng)` builds it at the start x; seed it from `rng`, and runs can be repeated. Both manners are understood:
    `ask()` gives the whole population and `tell(points, values)` takes it back (cma), or `ask()` gives one point and
    `tell([(point, value), ...])` takes a generation of `population_size` (cmaes).

    >>> FromAskTell(lambda x, rng: cmaes.CMA(mean=x, sigma=0.3, seed=int(rng.integers(2**31))))

    The values told are the ranks 0, 1, 2, ... of one generation. So an optimiser that compares a value with one of an
    earlier generation is misled: use `FromFunction` for it. For the same reason the optimiser's own stopping rules,
    which look at values, are not asked; `stop(optimiser)` is, if given. The recommendation is the best of the latest
    generation, or `recommend(optimiser)`, for example its mean.
    """

    make: Callable[[Array, np.random.Generator], Any]
    sorting: Sorting = "merge-insertion"
    recommend: Callable[[Any], Any] | None = None
    stop: Callable[[Any], bool] | None = None

    def __post_init__(self) -> None:
        if not callable(self.make):
            raise BadType(f"make must be a function of (x, rng) that builds an optimiser, got {self.make!r}")
        check_choice("sorting", self.sorting, get_args(Sorting))

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        optimiser = self.make(x.copy(), rng)
        for name in ("ask", "tell"):
            if not callable(getattr(optimiser, name, None)):
                raise BadType(f"make(x, rng) must return an optimiser with {name}(), got {optimiser!r}")
        best = x
        while self.stop is None or not self.stop(optimiser):
            asked, one_by_one = _ask(optimiser)
            points = np.array(asked, dtype=np.float64)
            order = yield from comp_sort(points, self.sorting)
            ranks = np.empty(len(order))
            ranks[order] = np.arange(len(order))
            if one_by_one:
                optimiser.tell(list(zip(asked, ranks.tolist(), strict=True)))
            else:
                optimiser.tell(asked, ranks.tolist())
            best = np.array(points[order[0]] if self.recommend is None else self.recommend(optimiser), dtype=np.float64)
            yield Step(best)
        reason = "the optimiser's stopping rule was met"
        return (yield from settled(reason, best, float(np.linalg.norm(best - x)), rng))


def _ask(optimiser: Any) -> tuple[Any, bool]:
    """A generation as the optimiser gives it out, and whether it does so one point at a time."""
    asked = optimiser.ask()
    if np.ndim(asked) == 2:
        return asked, False
    if np.ndim(asked) != 1 or not hasattr(optimiser, "population_size"):
        raise BadType(
            f"{type(optimiser).__name__}.ask() must give a population of points, or one point of `population_size`"
        )
    return [asked, *(optimiser.ask() for _ in range(optimiser.population_size - 1))], True
