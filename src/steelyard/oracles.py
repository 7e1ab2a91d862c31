"""Who answers: a function whose values are hidden, a noisy one, a person-like one, or any `prefer(x, y)`.

An oracle is anything with `compare(a, b)`: rows of `a` against rows of `b`, one int8 answer per row (+1 a is better,
-1 b is better, 0 a tie). Oracles draw from random streams of their own, never from the algorithm's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from steelyard.checks import check_at_least, check_between, check_ranks, check_two_arguments, check_whole
from steelyard.dialogue import Choose
from steelyard.errors import BadType, BadValue, OutOfAnswers
from steelyard.kit.verdict import Judge
from steelyard.seeds import Seed
from steelyard.typing import Answers, Array

PointKey = bytes | int
"""What an oracle remembers a point by."""

CACHED = 2**18
"""How many points a `FunctionOracle` remembers unless told otherwise."""


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


class FunctionOracle:
    """Answers by a function: the paper's C_f. Each distinct point is evaluated once.

    `f` maps a point `(n,)` to a number; a vectorised one also maps rows `(m, n)` to `(m,)`. That is taken from an
    attribute `vectorized` of f, or found out on the first larger batch; say `vectorized=` to decide it.
    NaN is worse than anything, NaN against NaN is a tie; infinities are ordered. Values that differ by at most `jnd`
    (a just-noticeable difference) tie.

    `cache` says how many distinct points are remembered with their values: True for 262,144, or a number. Say
    `cache=False` if f is noisy, that is, gives another value when it is called again: then both points are evaluated
    anew for every comparison. A remembered value would freeze its noise, and one lucky draw at the best point so far
    would beat every other point from then on.
    """

    __repr__ = readable

    def __init__(
        self, f: Callable[..., Any], *, vectorized: bool | None = None, jnd: float = 0.0, cache: bool | int = True
    ) -> None:
        if not callable(f):
            raise BadType(f"f must be a function of a point, got {f!r}")
        self._f = f
        self._vectorized: bool | None = vectorized if vectorized is not None else getattr(f, "vectorized", None)
        self._kernel = _rows_kernel(f) if self._vectorized else None
        self._jnd = check_at_least("jnd", jnd, 0.0)
        self._cache = (CACHED if cache else 0) if isinstance(cache, bool) else check_whole("cache", cache, 0)
        self._seen: dict[PointKey, float] = {}
        self.known: Mapping[PointKey, float] = self._seen
        """The values remembered, by `point_key` of their points: for callers that evaluate for several oracles."""
        self.nfev = 0
        """How many values of f were worked out."""

    def compare(self, a: Array, b: Array) -> Answers:
        if len(a) == 1:
            return self.answer(self._value(a), self._value(b))
        return self.signs(*self._both_values(a, b))

    def answer(self, fa: float, fb: float) -> Answers:
        """The answer to a single question, from its two values."""
        return _ONE_ANSWER[self._sign(fa, fb)]

    def _sign(self, fa: float, fb: float) -> int:
        if fa == fb or abs(fa - fb) <= self._jnd:
            return 0
        if fa < fb:
            return 1
        if fb < fa:
            return -1
        return int(fb != fb) - int(fa != fa)  # at least one is NaN

    def signs(self, fa: Array, fb: Array) -> Answers:
        """The answers that these values give."""
        sign = (fa < fb).astype(np.int8) - (fb < fa).astype(np.int8)
        bad_a, bad_b = np.isnan(fa), np.isnan(fb)
        if bad_a.any() or bad_b.any():
            sign = np.where(bad_a | bad_b, bad_b.astype(np.int8) - bad_a.astype(np.int8), sign)
        if self._jnd > 0.0:
            with np.errstate(invalid="ignore"):
                sign = np.where(np.abs(fa - fb) <= self._jnd, np.int8(0), sign)
        return sign

    def values(self, x: Array) -> Array:
        """The values at the rows of x; only those not seen before are evaluated, in one call if f is vectorised."""
        if not self._cache:
            return np.array(self._evaluate(x, range(len(x))))
        if len(x) > 1 and x.strides[0] == 0:
            return np.full(len(x), self._value(x[:1]))
        if len(x) == 1:
            return np.array([self._value(x)])
        keys = [point_key(row) for row in x]
        known = self._seen
        fresh = {key: i for i, key in enumerate(keys) if key not in known}
        found = {key: known[key] for key in keys if key in known}
        if fresh:
            rows = x[list(fresh.values())] if len(fresh) < len(x) else x
            found.update(zip(fresh, self._evaluate(rows, fresh), strict=True))
        return np.array([found[key] for key in keys])

    def recall(self, x: Array) -> float | None:
        """The value at a point if it is remembered; nothing is evaluated."""
        return self._seen.get(point_key(x))

    def learn(self, key: PointKey, value: float) -> None:
        """Take a value of f that was evaluated elsewhere, by the key of its point. It counts as an evaluation."""
        self.nfev += 1
        if not self._cache:
            return
        seen = self._seen
        seen[key] = value
        if len(seen) > self._cache:
            del seen[next(iter(seen))]

    def _both_values(self, a: Array, b: Array) -> tuple[Array, Array]:
        if self._cache and (a.strides[0] == 0 or b.strides[0] == 0):
            return self.values(a), self.values(b)
        values = self.values(np.concatenate([a, b]))  # one call of f for both sides
        return values[: len(a)], values[len(a) :]

    def _value(self, row: Array) -> float:
        """The value at the only row of `row`."""
        key = point_key(row)
        value = self._seen.get(key)
        if value is None:
            result = self._f(row[0]) if self._kernel is None else self._kernel(row)
            value = result if type(result) is float else _number(result)
            self.learn(key, value)
        return value

    def _evaluate(self, rows: Array, keys: Iterable[PointKey]) -> list[float]:
        if self._vectorized is None and len(rows) > 2 and len(rows) != rows.shape[1]:
            self._vectorized = self._looks_vectorized(rows)
            self._kernel = self._f if self._vectorized else None
        if self._kernel is None:
            # One by one, each kept as soon as it is known: an error in f loses none of those before it.
            return [self._value(rows[i : i + 1]) for i in range(len(rows))]
        values = np.asarray(self._kernel(rows), dtype=np.float64)
        if values.shape != (len(rows),):
            raise BadValue(f"f must map {len(rows)} rows to {len(rows)} values, got shape {values.shape}")
        known: list[float] = values.tolist()
        for key, value in zip(keys, known, strict=True):
            self.learn(key, value)
        return known

    def _looks_vectorized(self, rows: Array) -> bool:
        try:
            return bool(np.shape(self._f(rows)) == (len(rows),))
        except Exception:  # a function of one point may fail on rows in any way it likes
            return False


class PreferOracle:
    """Answers by a plain function `prefer(x, y)`: True or +1 if x is better, False or -1 if y is, 0 for a tie."""

    __repr__ = readable

    def __init__(self, prefer: Callable[[Array, Array], Any]) -> None:
        self._prefer = prefer

    def compare(self, a: Array, b: Array) -> Answers:
        # Copies, so that a function that keeps or changes its arguments does no harm.
        return np.array([_sign(self._prefer(x.copy(), y.copy())) for x, y in zip(a, b, strict=True)], dtype=np.int8)


class NoisyOracle:
    """The paper's noisy oracle: each answer is right with probability p, else turned round; ties stay ties."""

    __repr__ = readable

    def __init__(self, oracle: Oracle | Callable[..., Any], p: float, rng: Seed = None) -> None:
        self.oracle = as_oracle(oracle)
        self.p = check_between("p", p, 0.5, 1.0)
        self._rng = np.random.default_rng(rng)

    def compare(self, a: Array, b: Array) -> Answers:
        answers = self.oracle.compare(a, b)
        return np.where(self._rng.random(len(answers)) < self.p, answers, -answers).astype(np.int8)

    @property
    def nfev(self) -> int:
        return int(getattr(self.oracle, "nfev", 0))


class LogisticOracle:
    """A person-like oracle (Bradley-Terry): P[a is better] = 1 / (1 + exp((f(a) - f(b)) / scale)).

    Clear cases are answered right, close ones at random; values within `jnd` of each other tie ("can't tell").
    """

    __repr__ = readable

    def __init__(
        self, f: Callable[..., Any] | FunctionOracle, scale: float, rng: Seed = None, *, jnd: float = 0.0
    ) -> None:
        self.oracle = f if isinstance(f, FunctionOracle) else FunctionOracle(f)
        self.scale = check_at_least("scale", scale, 0.0)
        self.jnd = check_at_least("jnd", jnd, 0.0)
        self._rng = np.random.default_rng(rng)

    def compare(self, a: Array, b: Array) -> Answers:
        fa, fb = self.oracle.values(a), self.oracle.values(b)
        certain = self.oracle.signs(fa, fb)
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            difference = fb - fa
            p_a = (
                0.5 + 0.5 * np.tanh(0.5 * difference / self.scale)
                if self.scale > 0.0
                else np.heaviside(difference, 0.5)
            )
        drawn = np.where(self._rng.random(len(fa)) < p_a, 1, -1)
        unclear = np.isfinite(difference)
        answers = np.where(unclear, drawn, certain)
        tie = (unclear & (np.abs(difference) <= self.jnd)) if self.jnd > 0.0 else np.zeros(len(fa), dtype=bool)
        return np.where(tie, 0, answers).astype(np.int8)

    def choose(self, points: Array, ranking: bool) -> Answers:
        """The ranks of several points: noise is added to each value once, so that a choice never contradicts itself.

        With noise of Gumbel's distribution two points are ordered as `compare` orders them, and the best of several is
        chosen in proportion to exp(-f / scale) (Luce 1959). A point whose value is within `jnd` of the one before it
        in that order ties with it."""
        values = self.oracle.values(points)
        values = np.where(np.isnan(values), np.inf, values)  # NaN is worse than anything
        order = np.argsort(values - self.scale * self._rng.gumbel(size=len(values)), kind="stable")
        with np.errstate(invalid="ignore"):
            apart = (
                np.abs(np.diff(values[order])) > self.jnd if self.jnd > 0.0 else np.ones(len(values) - 1, dtype=bool)
            )
        ranks = np.empty(len(values), dtype=np.int8)
        ranks[order] = np.concatenate([[0], np.cumsum(apart)])
        return ranks if ranking else np.minimum(ranks, 1).astype(np.int8)

    @property
    def nfev(self) -> int:
        return self.oracle.nfev


class MajorityOracle:
    """Asks every question k times and answers with the majority: k asks per question, whatever the answers."""

    __repr__ = readable

    def __init__(self, oracle: Oracle | Callable[..., Any], k: int) -> None:
        self.oracle = as_oracle(oracle)
        self.k = check_whole("k", k, 1)
        self.asked = 0

    def compare(self, a: Array, b: Array) -> Answers:
        votes = np.zeros(len(a), dtype=np.int64)
        for _ in range(self.k):
            votes = votes + self.oracle.compare(a, b)
        self.asked += self.k * len(a)
        return np.sign(votes).astype(np.int8)


class SequentialOracle:
    """Repeats a question until one answer leads by `lead`: Wald's sequential test, about lead/(2p - 1) asks.

    Three answers may lead: the first, the second, or a tie, so that "can't tell" said `lead` times settles a question.
    One still undecided after `most` asks (5 `lead` unless given) is answered by whoever leads then, or as a tie.
    `total` caps all answers collected: once they are used, `compare` raises `OutOfAnswers`, which ends a run in good
    order.
    """

    __repr__ = readable

    def __init__(
        self, oracle: Oracle | Callable[..., Any], lead: int, *, most: int | None = None, total: int | None = None
    ) -> None:
        self.oracle = as_oracle(oracle)
        self.lead = check_whole("lead", lead, 1)
        self.most = 5 * self.lead if most is None else check_whole("most", most, self.lead)
        self.total = None if total is None else check_whole("total", total, 1)
        self.asked = 0

    def compare(self, a: Array, b: Array) -> Answers:
        if self.total is not None and self.asked + len(a) > self.total:
            raise OutOfAnswers(f"the {self.total} answers that may be collected are used ({self.asked} asked)")
        votes = np.zeros((len(a), 3), dtype=np.int64)  # for -1, 0, +1
        open_ = np.arange(len(a))
        for _ in range(self.most):
            if self.total is not None:
                open_ = open_[: self.total - self.asked]
            if open_.size == 0:
                break
            votes[open_, self.oracle.compare(a[open_], b[open_]) + 1] += 1
            self.asked += len(open_)
            open_ = open_[_ahead(votes[open_]) < self.lead]
        return np.where(_ahead(votes) > 0, votes.argmax(axis=1) - 1, 0).astype(np.int8)


class CheckedOracle:
    """Somebody's own oracle, its answers checked and put into the one form that methods take.

    Answers are accepted where their meaning is plain: an array or a list of -1, 0, +1, or of booleans (True: a is
    better, as for `prefer`), one for each row. All other attributes are those of the oracle itself.
    """

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle

    def compare(self, a: Array, b: Array) -> Answers:
        answers: Any = self._oracle.compare(a, b)
        try:
            return _plain(answers, len(a))
        except (TypeError, ValueError, OverflowError):
            allowed = f"+1 or True (a is better), -1 or False (b is), or 0 (a tie) for each of {len(a)} rows"
            raise BadValue(f"{self._oracle!r}: compare(a, b) must return {allowed}, got {answers!r}") from None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # while a copy is being made there is no oracle yet
            raise AttributeError(name)
        return getattr(self._oracle, name)

    def __repr__(self) -> str:
        return repr(self._oracle)


def as_oracle(oracle: Oracle | Callable[..., Any]) -> Oracle:
    """An oracle: ours as it is, somebody's own with its answers checked, a plain `prefer(x, y)` wrapped into one."""
    if type(oracle) in _OURS or isinstance(oracle, Judge):
        return oracle  # type: ignore[return-value]  # one of our own classes
    if isinstance(oracle, Oracle):
        return CheckedOracle(oracle)
    if callable(oracle):
        from steelyard.kit.concurrent import asynchronous  # which needs asyncio, and most runs do not

        check_two_arguments(oracle)
        return asynchronous(oracle) or PreferOracle(oracle)
    raise BadType(f"oracle must have compare(a, b) or be a function prefer(x, y), got {oracle!r}")


def _shared_answer(sign: int) -> Answers:
    answer = np.array([sign], dtype=np.int8)
    answer.flags.writeable = False
    return answer


_ONE_ANSWER = {sign: _shared_answer(sign) for sign in (-1, 0, 1)}  # made once: single questions are the hot path


def point_key(x: Array) -> PointKey:
    """What a point is remembered by: itself if short, else a 64-bit hash (a clash in 1e6 points: 3 in 1e8)."""
    data = x.tobytes()
    return data if len(data) <= 128 else hash(data)


def _rows_kernel(f: Callable[..., Any]) -> Callable[[Array], Array]:
    """A vectorised f itself, or what it says is the same on rows without checks: `f.unchecked(owner)`.

    A test problem says so: its public face checks every point it is given.
    """
    owner: Any = getattr(f, "__self__", f)
    unchecked = getattr(f if owner is not f else type(f).__call__, "unchecked", None)
    kernel: Callable[[Array], Array] = f if unchecked is None else unchecked(owner)
    return kernel


_OURS = (FunctionOracle, PreferOracle, NoisyOracle, LogisticOracle, MajorityOracle, SequentialOracle, CheckedOracle)
"""Their answers need no check. A class derived from one of them is somebody's own."""


def _plain(answers: Any, rows: int) -> Answers:
    """Answers whose meaning is plain as int8, one for each row; ValueError or TypeError if it is not."""
    if not isinstance(answers, np.ndarray):
        alone = rows == 1 and np.ndim(answers) == 0
        answers = np.array([_sign(answer) for answer in ([answers] if alone else answers)], dtype=np.int8)
    elif answers.dtype == bool:
        answers = np.where(answers, 1, -1)
    elif not ((answers == 1) | (answers == 0) | (answers == -1)).all():
        raise ValueError
    plain: Answers = answers.astype(np.int8)  # a copy, so that an oracle may use its array again
    if plain.shape == () and rows == 1:
        plain = plain[None]
    if plain.shape != (rows,):
        raise ValueError
    return plain


def _ahead(votes: NDArray[np.int64]) -> NDArray[np.int64]:
    """By how many votes the leader of each row is ahead of the next."""
    ordered = np.sort(votes, axis=1)
    return np.asarray(ordered[:, -1] - ordered[:, -2])


def _number(value: Any) -> float:
    try:
        return float(value if np.ndim(value) == 0 else np.asarray(value).item())
    except (TypeError, ValueError) as error:
        raise BadType(f"f must return a number, got {value!r}") from error


def _sign(answer: Any) -> int:
    if isinstance(answer, bool | np.bool_):
        return 1 if answer else -1
    if answer is not None and np.ndim(answer) == 0 and answer in (-1, 0, 1):
        return int(answer)
    raise BadValue(f"prefer(x, y) must return +1 or True, -1 or False, or 0, got {answer!r}")
