"""Who answers: anything with `compare(a, b)`, or any function `prefer(x, y)`.

`compare` is given rows of `a` against rows of `b` and gives one int8 answer per row (+1 a is better, -1 b is better,
0 a tie). Oracles draw from random streams of their own, never from the algorithm's.
"""

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np

from steelyard.checks import check_ranks, check_two_arguments
from steelyard.dialogue import Choose
from steelyard.errors import BadType, BadValue
from steelyard.kit.verdict import Judge, sign_of
from steelyard.typing import Answers, Array


@runtime_checkable
class Oracle(Protocol):
    """Whoever answers comparisons."""

    def compare(self, a: Array, b: Array) -> Answers: ...


def choose(oracle: Oracle, question: Choose) -> Answers:
    """The ranks of the points of a choice: by the oracle itself if it can choose, else by comparing pairs.

    By pairs it takes k - 1 comparisons for the best of k points, each against the best so far, and binary insertion
    for a ranking, which is what the question counts as (`len`). Points that tie with the best, or in a ranking with one
    that has its place already, share its rank.
    """
    points = question.points
    if callable(getattr(oracle, "choose", None)):
        ranks: Answers = oracle.choose(points, question.ranking)  # type: ignore[attr-defined]
        return check_ranks(ranks, question) if isinstance(oracle, CheckedOracle) else ranks

    def sign(i: int, j: int) -> int:
        return int(oracle.compare(points[i : i + 1], points[j : j + 1])[0])

    groups = [[0]]  # tied points together, the best first
    for i in range(1, len(points)):
        low, high = 0, len(groups) if question.ranking else 1
        while low < high:
            middle = (low + high) // 2
            answer = sign(i, groups[middle][0])
            if answer == 0:
                groups[middle].append(i)
                break
            low, high = (low, middle) if answer > 0 else (middle + 1, high)
        else:
            groups.insert(low, [i])
    ranks = np.zeros(len(points), dtype=np.int8)
    for rank, group in enumerate(groups):
        ranks[group] = rank
    return ranks if question.ranking else np.minimum(ranks, 1).astype(np.int8)


def values_of(oracle: Oracle, x: Array) -> Array:
    """The values of f at the rows of x, from an oracle that knows them."""
    if not hasattr(oracle, "values"):
        raise BadType(f"a method in zeroth-order form needs values of f: use a FunctionOracle, not {oracle!r}")
    values: Array = oracle.values(x)
    return values


def readable(oracle: object) -> str:
    """The repr of an oracle: whom it asks, its settings and what it has counted."""
    f = getattr(oracle, "_f", None) or getattr(oracle, "_prefer", None)
    inner = [repr(vars(oracle)["oracle"])] if "oracle" in vars(oracle) else []
    named = [] if f is None else [getattr(f, "__name__", type(f).__name__)]
    numbers = [
        f"{name}={value:g}"
        for name, value in vars(oracle).items()
        if not name.startswith("_") and isinstance(value, int | float) and not isinstance(value, bool)
    ]
    return f"{type(oracle).__name__}({', '.join([*inner, *named, *numbers])})"


class Wrapper:
    """An oracle around another one."""

    __repr__ = readable

    def __init__(self, oracle: Oracle | Callable[..., Any]) -> None:
        self.oracle = as_oracle(oracle)

    @property
    def nfev(self) -> int:
        """Points evaluated by the oracle inside, if it counts them."""
        return int(getattr(self.oracle, "nfev", 0))


class PreferOracle:
    """Answers by a plain function `prefer(x, y)`: True or +1 if x is better, False or -1 if y is, 0 for a tie."""

    __repr__ = readable
    answers_are_plain = True

    def __init__(self, prefer: Callable[[Array, Array], Any]) -> None:
        self._prefer = prefer

    def compare(self, a: Array, b: Array) -> Answers:
        # Copies, so that a function that keeps or changes its arguments does no harm.
        return np.array([_sign(self._prefer(x.copy(), y.copy())) for x, y in zip(a, b, strict=True)], dtype=np.int8)


class CheckedOracle:
    """Somebody's own oracle, its answers checked and put into the one form that methods take.

    Answers are accepted where their meaning is plain: an array or a list of -1, 0, +1, or of booleans (True: a is
    better, as for `prefer`), one for each row. All other attributes are those of the oracle itself.
    """

    answers_are_plain = True

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle

    def compare(self, a: Array, b: Array) -> Answers:
        answers: Any = self._oracle.compare(a, b)
        single = len(a) == 1 and type(answers) is np.ndarray and answers.shape == (1,) and answers.dtype == np.int8
        if single and -1 <= answers.item() <= 1:  # most questions are single: a tenth of the time of what follows
            alone: Answers = answers.copy()
            return alone
        try:
            return _plain(answers, len(a))
        except (TypeError, ValueError, OverflowError):
            expected = "1 answer" if len(a) == 1 else f"{len(a)} answers, one per row"
            allowed = f"{expected} (+1 or True: a is better, -1 or False: b is, 0: a tie)"
            raise BadValue(f"{self._oracle!r}: compare(a, b) must return {allowed}, got {answers!r}") from None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # while a copy is being made there is no oracle yet
            raise AttributeError(name)
        return getattr(self._oracle, name)

    def __repr__(self) -> str:
        return repr(self._oracle)


def is_ours(oracle: object) -> bool:
    """Is its class one of ours, which says `answers_are_plain`? One that is derived from it is somebody's own."""
    return bool(vars(type(oracle)).get("answers_are_plain", False))


def as_oracle(oracle: Oracle | Callable[..., Any]) -> Oracle:
    """An oracle: ours as it is, somebody's own with its answers checked, a plain `prefer(x, y)` wrapped into one."""
    if is_ours(oracle) or isinstance(oracle, Judge):
        return oracle  # type: ignore[return-value]  # one of our own classes
    if isinstance(oracle, Oracle):
        return CheckedOracle(oracle)
    if callable(oracle):
        from steelyard.kit.concurrent import asynchronous  # which needs asyncio, and most runs do not

        check_two_arguments(oracle)
        return asynchronous(oracle) or PreferOracle(oracle)
    raise BadType(f"oracle must have compare(a, b) or be a function prefer(x, y), got {oracle!r}")


def _plain(answers: Any, rows: int) -> Answers:
    """Answers whose meaning is plain as int8, one for each row; ValueError or TypeError if it is not."""
    if np.ma.is_masked(answers):
        raise ValueError
    kind = answers.dtype.kind if isinstance(answers, np.ndarray) else "O"
    if kind == "b":
        answers = np.where(answers, 1, -1)
    elif kind not in "if":  # of other kinds every answer is looked at: an object may be True or False
        alone = rows == 1 and np.ndim(answers) == 0
        answers = np.array([_sign(answer) for answer in ([answers] if alone else answers)], dtype=np.int8)
    elif not ((answers == 1) | (answers == 0) | (answers == -1)).all():
        raise ValueError
    plain: Answers = answers.astype(np.int8)  # a copy, so that an oracle may use its array again
    if plain.shape == () and rows == 1:
        plain = plain[None]
    if plain.shape != (rows,):
        raise ValueError
    return plain


def _sign(answer: Any) -> int:
    sign = sign_of(answer)
    if sign is None:
        raise BadValue(f"prefer(x, y) must return +1 or True, -1 or False, or 0, got {answer!r}")
    return sign
