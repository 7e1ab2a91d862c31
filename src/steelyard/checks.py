"""Checks of arguments at the edge: each error names the argument, what is allowed, and what was given."""

import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from steelyard.dialogue import Choose, Compare, Evaluate
from steelyard.errors import BadType, BadValue
from steelyard.typing import Answers, AnyArray, Array


def check_positive(name: str, value: float) -> float:
    if not is_number(value) or not (0.0 < value < math.inf):
        raise error_for(is_number(value))(f"{name} must be a positive number, got {value!r}")
    return float(value)


def check_at_least(name: str, value: float, least: float) -> float:
    if not is_number(value) or not (least <= value < math.inf):
        raise error_for(is_number(value))(f"{name} must be a number of at least {least:g}, got {value!r}")
    return float(value)


def check_between(name: str, value: float, low: float, high: float) -> float:
    if not is_number(value) or not (low <= value <= high):
        raise error_for(is_number(value))(f"{name} must be from {low:g} to {high:g}, got {value!r}")
    return float(value)


def check_whole(name: str, value: float, least: int) -> int:
    whole = isinstance(value, Integral) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not whole:
        raise error_for(is_number(value))(f"{name} must be an integer of at least {least}, got {value!r}")
    if value < least:
        raise BadValue(f"{name} must be at least {least}, got {value!r}")
    return int(value)


def check_range(name: str, value: float, least: float, most: float | None = None) -> None:
    """Refuse a parameter outside the range in which it makes sense."""
    if value < least or (most is not None and value > most):
        allowed = f"at least {least}" if most is None else f"from {least} to {most}"
        raise BadValue(f"{name} must be {allowed}, got {value}")


def refuse_unknown(name: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse parameters that a problem does not have."""
    known = list(known)
    for key in sorted(set(given) - set(known)):
        raise BadValue(f"{name} has no parameter {key}; its parameters: {', '.join(known) or 'none'}")


def check_among(what: str, given: Iterable[str], allowed: Iterable[str]) -> None:
    """Refuse a name that is not among those allowed; `what` is the beginning of the sentence that lists them."""
    allowed = list(allowed)
    for name in given:
        if name not in allowed:
            raise BadValue(f"{what} {', '.join(allowed)}, got {name!r}")


def did_you_mean(name: str, known: Iterable[str], prefix: str = "") -> str:
    """What may have been meant, whatever its capitals, as the end of an error; nothing if nothing is near."""
    import difflib  # needed for a mistake only

    by_capitals = {each.upper(): each for each in known}
    near = [repr(prefix + by_capitals[match]) for match in difflib.get_close_matches(name.upper(), by_capitals, n=3)]
    return f"; did you mean {' or '.join(near)}?" if near else ""


def check_flag(name: str, value: bool) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise BadType(f"{name} must be true or false, got {value!r}")
    return bool(value)


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in choices:
        raise error_for(isinstance(value, str))(f"{name} must be one of {', '.join(choices)}, got {value!r}")
    return value


def check_start(x0: object) -> Array:
    """x0 as a fresh float vector."""
    try:
        if x0 is None:  # numpy would make a NaN of it
            raise TypeError
        x = np.atleast_1d(np.array(x0, dtype=np.float64))
    except (TypeError, ValueError) as error:
        ragged = isinstance(x0, Sequence) and not isinstance(x0, str)  # of numbers, as far as its type goes
        raise error_for(ragged)(f"x0 must be a vector of numbers, got {x0!r}") from error
    if x.ndim != 1 or x.size == 0:
        raise BadValue(f"x0 must be a vector with at least one entry, got shape {x.shape}")
    if not np.isfinite(x).all():
        i = int(np.flatnonzero(~np.isfinite(x))[0])
        raise BadValue(f"x0 must be finite, got {x[i]} for variable {i}")
    return x


def check_budget(budget: object) -> int:
    """A budget as an integer; 1e4 is fine, 2.5 is not."""
    if isinstance(budget, bool) or not isinstance(budget, int | float | np.integer | np.floating):
        raise BadType(f"budget must be an integer, the number of comparisons, got {budget!r}")
    if not math.isfinite(budget) or budget != int(budget):
        raise BadValue(f"budget must be an integer, the number of comparisons, got {budget}")
    if budget < 1:
        raise BadValue(f"budget must be at least 1, got {budget}")
    return int(budget)


def check_answers(answers: object, question: Compare | None) -> Answers:
    """Answers as int8, one for each row, each of -1, 0, +1."""
    given = _array("answers", answers)
    rows = 1 if question is None else len(question)
    if given.shape != (rows,):
        raise BadValue(f"answers must have one value for each row asked ({rows}), got shape {given.shape}")
    if given.dtype == bool or not np.isin(given, (-1, 0, 1)).all():
        numbers = given.dtype != object or all(map(is_number, given))
        raise error_for(numbers)(
            f"an answer must be +1 (the first is better), -1 (the second) or 0 (a tie), got {answers!r}"
        )
    return given.astype(np.int8)


def check_ranks(ranks: object, question: Choose) -> Answers:
    """Ranks as int8, one for each point, without gaps from 0, the best; at most 1 if only the best is asked for."""
    given = _array("ranks", ranks)
    k = len(question.points)
    used = np.unique(given)
    whole = given.shape == (k,) and given.dtype != bool and (used == np.arange(len(used))).all()
    if not whole or (not question.ranking and used.size > 2):
        allowed = "0 the best, then 1, 2, .." if question.ranking else "0 for the best and 1 for the others"
        raise BadValue(f"ranks must be {k} integers, one for each point ({allowed}; ties are equal), got {ranks!r}")
    return given.astype(np.int8)


def check_raters(raters: str | Sequence[str], question: Compare | Choose | Evaluate) -> tuple[str, ...]:
    """One name for each row asked, or none at all; one for a choice among several."""
    if not isinstance(raters, Iterable):
        raise BadType(f"raters must be a name or names, got {raters!r}")
    rows = 1 if isinstance(question, Choose) else len(question)
    names = (raters,) * rows if isinstance(raters, str) else tuple(raters)
    if len(names) not in (0, rows) or not all(isinstance(name, str) for name in names):
        several = f"a name, or {rows} names, one for each row asked"
        allowed = "one name for a choice" if isinstance(question, Choose) else several
        raise BadValue(f"raters must be {allowed}, got {raters!r}")
    return names if any(names) else ()


def check_reply(reply: object, question: Compare | Choose | Evaluate) -> AnyArray:
    """What answers the whole of a question: values, ranks, or one answer for each row."""
    if isinstance(question, Evaluate):
        return check_values(reply, question)
    return check_ranks(reply, question) if isinstance(question, Choose) else check_answers(reply, question)


def check_values(values: object, question: Evaluate) -> Array:
    given = _array("values", values, np.float64)
    if given.shape != (len(question.x),):
        raise BadValue(f"values must have one number for each row asked ({len(question.x)}), got shape {given.shape}")
    return given


def check_two_arguments(judge: Callable[..., Any]) -> None:
    """The most common first mistake: the function itself instead of a comparison."""
    try:
        signature = inspect.signature(judge)
    except (TypeError, ValueError):  # some built-in functions do not say
        return
    if not _takes(signature, None, None):
        name = getattr(judge, "__name__", type(judge).__name__)
        wrap = f"; to minimise a function of one point, wrap it: FunctionOracle({name})"
        advice = wrap if _takes(signature, None) else ""
        raise BadType(f"oracle must be a function prefer(x, y) of two points, got {name}{signature}{advice}")


def _takes(signature: inspect.Signature, *arguments: object) -> bool:
    try:
        signature.bind(*arguments)
    except TypeError:
        return False
    return True


def _array(name: str, values: object, dtype: type | None = None) -> AnyArray:
    """What was told as an array of at least one dimension."""
    try:
        return np.atleast_1d(np.asarray(values, dtype=dtype))
    except (TypeError, ValueError) as error:
        raise error_for(isinstance(values, Sequence))(f"{name} must be a list or an array, got {values!r}") from error


def error_for(right_type: bool) -> type[BadValue] | type[BadType]:
    """The error for an argument of a wrong value, or of a wrong type."""
    return BadValue if right_type else BadType


def is_number(value: object) -> bool:
    """Is it a real number? True and False are none."""
    return isinstance(value, Real) and not isinstance(value, bool)
