"""Methods with ask and tell, made comparison-based: candidates are put in order, and their places are the values."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from steelyard.checks import check_choice
from steelyard.convert.order_values import Order
from steelyard.dialogue import Dialogue, Question, Step
from steelyard.errors import BadType
from steelyard.parts.questions import Sorting, comp_sort
from steelyard.parts.stopping import settled
from steelyard.typing import Array


@dataclass(frozen=True)
class FromAskTell:
    """Any optimiser with ask and tell, in one of four styles; what a candidate costs depends on the style.

    | library   | `ask()` gives        | `tell` takes                        | comparisons                         |
    |-----------|----------------------|-------------------------------------|-------------------------------------|
    | cma       | a population         | the population and its values       | one sort of the population          |
    | cmaes     | a point              | `population_size` pairs, in a list  | one sort of the population          |
    | nevergrad | one candidate        | the candidate and its value         | at most ceil(log2 k) for the k-th   |
    | pymoo     | a `Population`       | the population, evaluated           | at most ceil(log2 k) for the k-th   |

    >>> FromAskTell(lambda x, rng: cmaes.CMA(mean=x, sigma=0.3, seed=int(rng.integers(2**31))))

    The first two forget old values in each generation, so the values told are the ranks 0, 1, 2, ... of one generation.
    The last two compare a value with those of earlier candidates (a child with its parent, say), so each new candidate
    is put into the order of all candidates seen, and told a number between those of its neighbours, as in
    `FromFunction`. An optimiser of the first two styles that remembers values is misled without `remembers=True`.
    """

    make: Callable[[Array, np.random.Generator], Any]
    """`make(x, rng)` builds the optimiser at the start x; seed it from `rng`, and runs can be repeated."""
    sorting: Sorting = "merge-insertion"
    """How a population is put in order."""
    recommend: Callable[[Any], Any] | None = None
    """`recommend(optimiser)`, for example its mean. By default it is the best of the latest generation; for the last
    two manners and with `remembers`, the best candidate seen."""
    stop: Callable[[Any], bool] | None = None
    """`stop(optimiser)` ends the run. The optimiser's own stopping rules, which look at values, are not asked."""
    remembers: bool = False
    """Does it compare values of different generations? Then candidates are put into the order of all seen."""

    def __post_init__(self) -> None:
        if not callable(self.make):
            raise BadType(f"make must be a function of (x, rng) that builds an optimiser, got {self.make!r}")
        check_choice("sorting", self.sorting, get_args(Sorting))

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        optimiser = self.make(x.copy(), rng)
        for name in ("ask", "tell"):
            if not callable(getattr(optimiser, name, None)):
                raise BadType(f"make(x, rng) must return an optimiser with {name}(), got {optimiser!r}")
        order, recommended = Order(), x
        while self.stop is None or not self.stop(optimiser):
            asked = _ask(optimiser)
            if asked is None:
                break
            if self.remembers or asked.over_generations:
                values = yield from _places_of_all(asked.points, order)
                best = order.points[0]
            else:
                values = yield from self._ranks(asked.points)
                best = asked.points[int(np.argmin(values))]
            asked.tell(values)
            recommended = np.array(best if self.recommend is None else self.recommend(optimiser), dtype=np.float64)
            yield Step(recommended)
        reason = "the optimiser's stopping rule was met"
        return (yield from settled(reason, recommended, float(np.linalg.norm(recommended - x)), rng))

    def _ranks(self, points: Array) -> Question[list[float]]:
        """The place of each point among these, by one sort."""
        order = yield from comp_sort(points, self.sorting)
        ranks = np.empty(len(order))
        ranks[order] = np.arange(len(order))
        return ranks.tolist()


def _places_of_all(points: Array, order: Order) -> Question[list[float]]:
    """The number of each point in the order of all points seen."""
    values = []
    for point in points:
        value = yield from order.value(point)
        values.append(value)
    return values


@dataclass(frozen=True)
class _Asked:
    """Candidates to be valued together, and how their optimiser wants to hear of them."""

    points: Array
    tell: Callable[[list[float]], object]
    over_generations: bool = False
    """Whether the optimiser compares values over generations."""


def _ask(optimiser: Any) -> _Asked | None:
    """The next candidates, in the optimiser's style; None if it has none."""
    asked = optimiser.ask()
    if asked is None:
        return None
    if _is_population(asked):
        return _Asked(_as_points(asked.get("X")), lambda values: _tell_pymoo(optimiser, asked, values), True)
    if hasattr(asked, "value") and not isinstance(asked, np.ndarray):  # nevergrad's candidate
        return _Asked(_as_points([np.ravel(asked.value)]), lambda values: optimiser.tell(asked, values[0]), True)
    if np.ndim(asked) == 2:
        return _Asked(_as_points(asked), lambda values: optimiser.tell(asked, values))
    if np.ndim(asked) != 1 or not hasattr(optimiser, "population_size"):
        raise BadType(
            f"{type(optimiser).__name__}.ask() must give a population of points, one candidate with a `value`, or one "
            f"point of `population_size`, got {type(asked).__name__}"
        )
    points = [asked, *(optimiser.ask() for _ in range(optimiser.population_size - 1))]
    return _Asked(_as_points(points), lambda values: optimiser.tell(list(zip(points, values, strict=True))))


def _as_points(points: Any) -> Array:
    try:
        return np.array(points, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BadType(f"candidates must be vectors of numbers, got {points!r}") from error


def _is_population(asked: Any) -> bool:
    return type(asked).__module__.partition(".")[0] == "pymoo" and callable(getattr(asked, "get", None))


def _tell_pymoo(optimiser: Any, population: Any, values: list[float]) -> None:
    """Mark the population as evaluated, by pymoo's own means, and hand it back."""
    from pymoo.core.evaluator import Evaluator
    from pymoo.problems.static import StaticProblem

    Evaluator().eval(StaticProblem(optimiser.problem, F=np.array(values)[:, None]), population)
    optimiser.tell(infills=population)
