"""The oracle that compares the values of a function, which nobody else sees."""

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any

import numpy as np

from steelyard.checks import check_at_least, check_flag, check_whole
from steelyard.errors import BadType, BadValue
from steelyard.oracles import readable
from steelyard.typing import Answers, Array

PointKey = bytes | int
"""What an oracle remembers a point by."""

LONGEST_KEY = 128
"""The most bytes of a point that is remembered by itself."""

CACHED = 2**18
"""How many points a `FunctionOracle` remembers unless told otherwise."""


class FunctionOracle:
    """Answers by a function: the paper's C_f. Each distinct point is evaluated once.

    `f` maps a point `(n,)` to a number; a vectorised one also maps rows `(m, n)` to `(m,)`. Whether it does is taken
    from an attribute `vectorized` of f, or found out on the first larger batch; `vectorized=` decides it.
    NaN is worse than anything, NaN against NaN is a tie; infinities are ordered. Values that differ by at most `jnd`
    (a just-noticeable difference) tie.

    `cache` says how many distinct points are remembered with their values: True for 262,144, or a number. Pass
    `cache=False` if f is noisy, that is, gives another value when it is called again: then both points are evaluated
    anew for every comparison. A remembered value would freeze its noise, and one lucky draw at the best point so far
    would beat every other point from then on.
    """

    __repr__ = readable
    answers_are_plain = True

    def __init__(
        self, f: Callable[..., Any], *, vectorized: bool | None = None, jnd: float = 0.0, cache: bool | int = True
    ) -> None:
        if not callable(f):
            raise BadType(f"f must be a function of a point, got {f!r}")
        self._f = f
        said = getattr(f, "vectorized", None) if vectorized is None else check_flag("vectorized", vectorized)
        self._vectorized: bool | None = said
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
        keys, known = point_keys(x), self._seen
        fresh = {key: i for i, key in enumerate(keys) if key not in known}
        if len(fresh) == len(x):
            return np.array(self._evaluate(x, fresh))
        found = {key: known[key] for key in keys if key in known}
        if fresh:
            found.update(zip(fresh, self._evaluate(x[list(fresh.values())], fresh), strict=True))
        return np.array([found[key] for key in keys])

    def recall(self, x: Array) -> float | None:
        """The value at a point if it is remembered; nothing is evaluated."""
        return self._seen.get(point_key(x))

    def learn(self, key: PointKey, value: float) -> None:
        """Take a value of f that was evaluated elsewhere, by the key of its point. It counts as an evaluation."""
        self.nfev += 1
        if self._cache:
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
        data = row.tobytes()  # as `point_key`: single comparisons are the hottest loop of all
        key: PointKey = data if len(data) <= LONGEST_KEY else hash(data)
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
        self.nfev += len(known)
        if self._cache:
            seen = self._seen
            seen.update(zip(keys, known, strict=True))
            for old in list(islice(seen, max(0, len(seen) - self._cache))):
                del seen[old]
        return known

    def _looks_vectorized(self, rows: Array) -> bool:
        try:
            values = self._f(rows)
            # A function of one point may take rows and mix them, as x @ w + norm(x) does.
            return bool(
                np.shape(values) == (len(rows),) and np.isclose(values[-1], _number(self._f(rows[-1])), equal_nan=True)
            )
        except Exception:  # a function of one point may fail on rows in any way it likes
            return False


def _shared_answer(sign: int) -> Answers:
    answer = np.array([sign], dtype=np.int8)
    answer.flags.writeable = False
    return answer


_ONE_ANSWER = {sign: _shared_answer(sign) for sign in (-1, 0, 1)}  # made once: single questions are the hot path


def point_key(x: Array) -> PointKey:
    """What a point is remembered by: itself if short, else a 64-bit hash (a clash in 1e6 points: 3 in 1e8)."""
    data = x.tobytes()
    return data if len(data) <= LONGEST_KEY else hash(data)


def point_keys(x: Array) -> list[PointKey]:
    """`point_key` of each row, in a quarter of the time."""
    data, width = x.tobytes(), x.shape[1] * x.itemsize
    starts = range(0, len(data), width)
    if width <= LONGEST_KEY:
        return [data[i : i + width] for i in starts]
    return [hash(data[i : i + width]) for i in starts]


def _rows_kernel(f: Callable[..., Any]) -> Callable[[Array], Array]:
    """A vectorised f itself, or what it says is the same on rows without checks: `f.unchecked(owner)`.

    A test problem says so: its public face checks every point it is given.
    """
    owner: Any = getattr(f, "__self__", f)
    unchecked = getattr(f if owner is not f else type(f).__call__, "unchecked", None)
    kernel: Callable[[Array], Array] = f if unchecked is None else unchecked(owner)
    return kernel


def _number(value: Any) -> float:
    try:
        return float(value if np.ndim(value) == 0 else np.asarray(value).item())
    except (TypeError, ValueError) as error:
        raise BadType(f"f must return a number, got {value!r}") from error
