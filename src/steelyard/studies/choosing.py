"""A choice among several things, as it is written down: "3" for the third of those shown, "3>1=4>2" for an order.

The log keeps, as JSON, the `points` in the method's order, the `order` in which they were shown, and the `ranks` of the
points, 0 for the best; so it can be read without asking the method, like a pair's.
"""

import json
import re
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from steelyard.dialogue import pairs_of
from steelyard.errors import BadValue
from steelyard.studies.events import Event
from steelyard.typing import Array

PATTERN = r"[1-9]([>=][1-9])*"
"""What a choice among several looks like; "tie" and "skip" are allowed as well."""


class WrongChoice(BadValue):
    """The answer is none to the question that is asked."""


def read_choice(text: str, shown: int, ranking: bool) -> list[int]:
    """The rank of each of the things shown, 0 for the best, from what was clicked."""
    if text in ("tie", "skip"):
        return [0] * shown
    places = (
        [[int(number) - 1 for number in place.split("=")] for place in text.split(">")]
        if re.fullmatch(PATTERN, text)
        else []
    )
    named = [number for place in places for number in place]
    if ranking and sorted(named) == list(range(shown)):
        return [next(rank for rank, place in enumerate(places) if number in place) for number in range(shown)]
    if not ranking and len(named) == 1 and named[0] < shown:
        return [int(number != named[0]) for number in range(shown)]
    allowed = "all of them in an order, such as 2>1=3" if ranking else f"1 to {shown}"
    raise WrongChoice(f"choice must be {allowed}, tie or skip, got {text!r}")


def write_choice(ranks: Iterable[int], ranking: bool) -> str:
    """What was clicked, from the ranks of the things shown."""
    ranks = list(ranks)
    if max(ranks) == 0:
        return "tie"
    if not ranking:
        return str(ranks.index(0) + 1)
    places = [[str(i + 1) for i, rank in enumerate(ranks) if rank == place] for place in range(max(ranks) + 1)]
    return ">".join("=".join(place) for place in places)


def is_choice(points: Mapping[str, Any]) -> bool:
    """Is this what an event keeps of a choice, and not of a pair?"""
    return "points" in points


def clicked(points: Mapping[str, Any]) -> str:
    """What was clicked, from what an event keeps of a choice."""
    return write_choice([points["ranks"][i] for i in points["order"]], points["ranking"])


def comparisons(events: Iterable[Event], n: int) -> tuple[Array, Array, Array]:
    """All answers as pairs of points and signs; a choice stands for several."""
    rows: list[tuple[Any, Any, float]] = []
    for event in events:
        points = json.loads(event.points)
        if is_choice(points):
            first, second, signs = pairs_of(np.array(points["ranks"]), points["ranking"])
            at = points["points"]
            rows += [(at[i], at[j], float(sign)) for i, j, sign in zip(first, second, signs, strict=True)]
        else:
            rows.append((points["a"], points["b"], float(event.value)))
    return _arrays(rows, n)


def one_each(events: Iterable[Event], n: int) -> tuple[Array, Array, Array, Array]:
    """One pair and sign for every answer, and whether the first was shown before the second.

    Of a choice it is the best against another one drawn by lot: answers to the other pairs are not independent of it,
    and would be taken for more than they are. Whoever clicks at random prefers either end of such a pair equally often.
    """
    rows: list[tuple[Any, Any, float]] = []
    before: list[bool] = []
    for event in events:
        points = json.loads(event.points)
        if is_choice(points):
            ranks, at = points["ranks"], points["points"]
            best = ranks.index(0)
            lots = np.random.default_rng(zlib.crc32(event.question.encode())).permutation(len(ranks))
            other = int(next(i for i in lots if i != best))
            a, b = sorted((best, other))
            sign = float(np.sign(ranks[b] - ranks[a]))
            rows.append((at[a], at[b], sign))
            before.append(points["order"].index(a) < points["order"].index(b))
        else:
            rows.append((points["a"], points["b"], float(event.value)))
            before.append(not event.flipped)
    return (*_arrays(rows, n), np.array(before, dtype=bool))


def _arrays(rows: list[tuple[Any, Any, float]], n: int) -> tuple[Array, Array, Array]:
    a, b = (np.array([row[side] for row in rows], dtype=float).reshape(-1, n) for side in (0, 1))
    return a, b, np.array([row[2] for row in rows], dtype=float)
