"""Methods that call f themselves, made comparison-based: a stand-in for f whose values have the order of the true ones.

Each new point is put into the order of all points seen by binary search, and is given a number between those of its
neighbours. The numbers say which of two points is better and nothing else. So tolerances on values must be switched
off: for scipy's Nelder-Mead, `options={"fatol": np.inf}`, and `xatol` decides. It also needs an `initial_simplex` as
large as the first steps should be: its own has sides of 0.00025 where a variable starts at 0, and ends at once.

Floats between two neighbours run out after some 40 halvings of the same gap. Then two points share a number: the
method sees a tie where there is a small difference, and never a wrong order. `shared` counts these.
"""

import queue
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from steelyard.dialogue import Compare, Dialogue, Question, Step, compare, drive
from steelyard.errors import BadType, BadValue
from steelyard.oracles import Oracle, as_oracle
from steelyard.parts.stopping import settled
from steelyard.typing import Answers, Array


class Order:
    """All points seen, the best first, with a number for each."""

    def __init__(self) -> None:
        self.points: list[Array] = []
        self.shared = 0
        self._values: list[float] = []
        self._known: dict[bytes, float] = {}

    def value(self, x: Array) -> Question[float]:
        """The number of x: at most ceil(log2(m + 1)) comparisons with the m points seen; none if x is one of them."""
        key = x.tobytes()
        if key not in self._known:
            self._known[key] = yield from self._insert(x)
        return self._known[key]

    def _insert(self, x: Array) -> Question[float]:
        low, high = 0, len(self.points)
        while low < high:
            middle = (low + high) // 2
            answer = yield from compare(x, self.points[middle])
            if answer == 0:
                return self._values[middle]  # its equal stands for both
            low, high = (low, middle) if answer > 0 else (middle + 1, high)
        value = self._between(low)
        self.points.insert(low, x)
        self._values.insert(low, value)
        return value

    def _between(self, place: int) -> float:
        values = self._values
        if not values:
            return 0.0
        if place == 0:
            return values[0] - 1.0
        if place == len(values):
            return values[-1] + 1.0
        left, right = values[place - 1], values[place]
        middle = left + (right - left) / 2.0
        if not left < middle < right:
            self.shared += 1
        return middle


class OrderValues:
    """A stand-in for f, made from comparisons only: `scipy.optimize.minimize(OrderValues(prefer), x0, ...)`.

    The k-th new point costs at most ceil(log2 k) comparisons. `ncmp` counts them, `x` is the best point seen.
    """

    def __init__(self, oracle: Oracle | Callable[..., Any]) -> None:
        self._oracle = as_oracle(oracle)
        self._order = Order()
        self.ncmp = 0

    def __call__(self, x: ArrayLike) -> float:
        point = np.array(x, dtype=np.float64)
        if point.ndim != 1:
            raise BadValue(f"x must be one point, got shape {point.shape}")
        return drive(self._order.value(point), self._answer)

    @property
    def x(self) -> Array:
        """The best point seen."""
        if not self._order.points:
            raise BadValue("no point has been seen yet")
        return self._order.points[0].copy()

    @property
    def shared(self) -> int:
        """Points whose number equals a neighbour's for lack of floats in between; see the top of this file."""
        return self._order.shared

    def _answer(self, question: Compare) -> Answers:
        self.ncmp += len(question)
        return self._oracle.compare(question.a, question.b)


@dataclass(frozen=True)
class FromFunction:
    """Any method that calls f itself, as an algorithm: at most ceil(log2 k) comparisons for the k-th point it tries.

    >>> def nelder_mead(f, x, rng):
    ...     options = {"fatol": np.inf, "xatol": 1e-3, "initial_simplex": np.vstack([x, x + 0.5 * np.eye(x.size)])}
    ...     return scipy.optimize.minimize(f, x, method="Nelder-Mead", options=options)
    >>> FromFunction(nelder_mead)

    The method runs in a thread of its own, which waits whenever it calls f until the answers have come, and ends with
    the run. The recommendation is the best point seen.
    """

    method: Callable[[Callable[[Any], float], Array, np.random.Generator], object]
    """`method(f, x, rng)` runs it from x, and may return what it likes."""

    def __post_init__(self) -> None:
        if not callable(self.method):
            raise BadType(f"method must be a function of (f, x, rng), got {self.method!r}")

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue:
        order = Order()
        calls = foreign_calls(self.method, x.copy(), rng)
        try:
            point = next(calls)
            while True:
                value = yield from order.value(point)
                if order.points[0] is point:
                    yield Step(point)
                point = calls.send(value)
        except StopIteration:
            best = order.points[0] if order.points else x
            return (yield from settled("the method returned", best, float(np.linalg.norm(best - x)), rng))
        finally:
            calls.close()


UNWINDING_SECONDS = 1.0


class _Stopped(BaseException):
    """Unwinds a foreign method whose run has ended; a BaseException, so that the method does not catch it."""


def foreign_calls(
    method: Callable[[Callable[[Any], float], Array, np.random.Generator], object], x: Array, rng: np.random.Generator
) -> Generator[Array, float, None]:
    """The points at which `method` calls its f, one by one; what is sent in is what that call returns."""
    points: queue.SimpleQueue[Array | BaseException | None] = queue.SimpleQueue()
    values: queue.SimpleQueue[float | None] = queue.SimpleQueue()

    def f(point: Any) -> float:
        points.put(np.array(point, dtype=np.float64).reshape(-1))
        value = values.get()
        if value is None:
            raise _Stopped
        return value

    def work() -> None:
        try:
            method(f, x, rng)
        except _Stopped:
            return
        except BaseException as error:
            points.put(error)
        else:
            points.put(None)

    thread = threading.Thread(target=work, name="steelyard foreign method", daemon=True)
    thread.start()
    try:
        while (point := points.get()) is not None:
            if isinstance(point, BaseException):
                raise point
            values.put((yield point))
    finally:
        values.put(None)  # harmless if the method has ended
        thread.join(UNWINDING_SECONDS)  # foreign code must not be in the middle of it when the interpreter ends
