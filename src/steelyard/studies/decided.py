"""What one rater is asked, and what was decided by the answers."""

import hashlib
from dataclasses import dataclass

import numpy as np

from steelyard.dialogue import Past, pairs_of
from steelyard.studies.position import RowPlace
from steelyard.typing import Array


@dataclass(frozen=True, eq=False)
class Asked:
    """One pair of points for one rater; `flipped` says that the method's first point goes to the right.

    Of a choice among several these are the first two of its `points`, all of which are shown in this `order`.
    """

    id: str
    row: int
    a: Array
    b: Array
    flipped: bool
    points: Array | None = None
    order: tuple[int, ...] = ()
    ranking: bool = False

    @property
    def shown(self) -> list[Array]:
        """What the rater sees, in this order."""
        if self.points is None:
            return [self.left, self.right]
        return [self.points[i] for i in self.order]

    @property
    def left(self) -> Array:
        return self.b if self.flipped else self.a

    @property
    def right(self) -> Array:
        return self.a if self.flipped else self.b


@dataclass(frozen=True, eq=False)
class Decision:
    """A question that is decided, the recommendation after it as far as it is known, and the event that decided it.

    A choice among several `points` is decided by their `ranks`.
    """

    place: RowPlace
    value: int
    a: Array
    b: Array
    x: Array
    event: int
    rater: str
    points: Array | None = None
    ranks: tuple[int, ...] = ()
    ranking: bool = False


def past_of(decisions: list[Decision], n: int) -> Past:
    """Decisions as a method that resumes wants them; those about choices become the comparisons they stand for."""
    rows: list[tuple[Array, Array, int, str, tuple[int, int]]] = []
    looked = 0
    for decision in decisions:
        points, rater = decision.points, decision.rater
        if points is None:
            rows.append((decision.a, decision.b, decision.value, rater, (-1, -1)))
        else:
            pairs = zip(*pairs_of(np.array(decision.ranks), decision.ranking), strict=True)
            rows += [(points[i], points[j], int(s), rater, (looked + i, looked + j)) for i, j, s in pairs]
            looked += len(points)
    a, b, signs, raters, looks = zip(*rows, strict=True) if rows else ((),) * 5
    return Past(
        np.array(a, dtype=float).reshape(-1, n),
        np.array(b, dtype=float).reshape(-1, n),
        np.array(signs, dtype=np.int8),
        raters if any(raters) else (),
        looks=np.array(looks, dtype=np.intp) if looked else None,
    )


def digest_after(before: str, decision: Decision) -> str:
    """What distinguishes the decisions so far, with one more."""
    told = f"{before}/{decision.place}/{decision.value}/{decision.rater}"
    if decision.points is not None:
        told += f"/{decision.ranks}"
    return hashlib.sha256(told.encode() + decision.a.tobytes() + decision.b.tobytes()).hexdigest()[:24]
