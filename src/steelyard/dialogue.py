"""The words an algorithm speaks: it asks by yielding and is answered by what the yield returns.

One sign convention everywhere, the paper's: C(a, b) = sign(f(b) - f(a)), so

    +1   a is better      f(a) < f(b)
    -1   b is better      f(a) > f(b)
     0   a tie, or "can't tell"
"""

from __future__ import annotations  # np.random is loaded when it is used, not for an annotation

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar, runtime_checkable

import numpy as np

from steelyard.certainty import Certainty
from steelyard.errors import BadType
from steelyard.judge_report import JudgeReport
from steelyard.typing import Answers, AnyArray, Array

T = TypeVar("T")

# The messages are made in the hottest loops: slots, and not frozen, which would more than double their cost.


@dataclass(slots=True)
class Compare:
    """Row i of `a` against row i of `b`: independent questions, answerable in any order or all at once.

    A batch in which one side is the same point throughout may pass it as `np.broadcast_to(x, b.shape)`.
    A method may keep its message and read there what the driver noted.
    """

    a: Array
    b: Array
    reserve: int | None = None
    """May the batch be cut? None: no. A number: yes, and this many comparisons must be left after it to make use of it.

    Where a budget does not allow the whole batch and its reserve, only its first rows are asked. The method goes on
    with their answers; those of the other rows are 0, and `cut_to` says how many were asked.
    """
    raters: tuple[str, ...] = ()
    """Noted by the driver: the rater of each row, if they are named."""
    cut_to: int | None = None
    """Noted by the driver: how many rows were asked, if the batch was cut."""
    needed: list[int] | None = None
    """Noted by what asks ahead (see `parts/speculation.py`): the rows that the method itself asked, in its order."""

    def __len__(self) -> int:
        return len(self.a)


@dataclass(slots=True)
class Choose:
    """Which row of `points` is the best, or with `ranking` all of them in order: one question about several things.

    The answer gives each row a rank: 0 the best, equal ranks for ties. Where only the best is asked for, the others
    have rank 1. It counts as the comparisons that it replaces (`len`): k - 1 for the best of k, as many as binary
    insertion needs at most for a ranking. `rater` is noted by the driver, if there is a name.
    """

    points: Array
    ranking: bool = False
    rater: str = ""
    reserve: ClassVar[int | None] = None

    def __len__(self) -> int:
        k = len(self.points)
        return sum((i - 1).bit_length() for i in range(2, k + 1)) if self.ranking else k - 1


def pairs_of(ranks: AnyArray, ranking: bool) -> tuple[AnyArray, AnyArray, Answers]:
    """The comparisons that the answer to a `Choose` stands for, as rows of its points: first, second, and the sign.

    Of a best one it is against each of the others; of a ranking each is against the next. No sign is negative.
    """
    order = np.argsort(ranks, kind="stable")
    first, second = (order[:-1] if ranking else np.repeat(order[:1], len(order) - 1)), order[1:]
    return first, second, (ranks[first] < ranks[second]).astype(np.int8)


@dataclass(slots=True)
class Evaluate:
    """The values of f at the rows of `x`: asked only by a method run in the paper's zeroth-order form."""

    x: Array
    reserve: ClassVar[int | None] = None

    def __len__(self) -> int:
        return len(self.x)


@dataclass(slots=True)
class Step:
    """ "My recommendation is now x." A run is judged by these; a step costs no query.

    A method with a model of the answers adds how certain it is, worked out only if somebody wants to know; one that can
    resume adds what it wants to be reminded of then (see `Resumable`); one that learns how its judge errs adds that.
    """

    x: Array
    certainty: Callable[[], Certainty] | None = None
    memory: Callable[[], Mapping[str, Array]] | None = None
    judge: Callable[[], JudgeReport] | None = None


@dataclass(frozen=True, eq=False)
class Past:
    """All that was asked and answered before: row i of `a` against row i of `b`, in the order of the answers.

    `raters` names who answered, one per row, or nobody. Rows that are part of a choice among several (see `pairs_of`)
    have the numbers of the looks at their two points in `looks`, pairs by themselves -1; the chooser looked once at
    each point. The rows of `pending_a` against those of `pending_b` are being
    asked now, so that they need not be asked again. `memory` is what the method itself had noted with a `Step` after
    the first of these answers, or after all.
    """

    a: Array
    b: Array
    answers: Answers
    raters: tuple[str, ...] = ()
    pending_a: Array | None = None
    pending_b: Array | None = None
    memory: Mapping[str, Array] | None = None
    looks: AnyArray | None = None

    def __len__(self) -> int:
        return len(self.answers)


Message = Compare | Choose | Evaluate | Step

Dialogue = Generator[Message, Answers, str]
"""A whole run. It returns the reason, in words, for which it stopped by itself."""

Question = Generator[Message, Answers, T]
"""A part of a run that asks and then returns what it found out: `best = yield from comp_min(...)`."""


class GaveUp(str):
    """The reason of a run that stopped by itself but has found no minimum: not a success."""


class Unproven(str):
    """The reason of a run that stopped by itself without evidence of a minimum, with what was seen: not a success."""


class Indistinct(Unproven):
    """The reason of a run that stopped where the judge distinguishes nothing nearby, and nothing better further away.

    It may be at a minimum, as far as this judge can see. How far it is from one cannot be known: a narrow way down
    between steep walls looks the same.
    """


class Algorithm(Protocol):
    """A frozen dataclass of hyper-parameters with one generator method.

    It never sees f, a budget, a clock, a file, a person or a seed: only its start, the answers and `rng`.
    What it needs or can do beyond that it declares in an attribute `capabilities` (see `Capable`). One with a method
    `method_for(n, box)` stands for the method that this returns (see `steelyard.algorithms.auto`).
    """

    def run(self, x: Array, rng: np.random.Generator) -> Dialogue: ...


@dataclass(frozen=True)
class Capabilities:
    """What a method needs and can do; the defaults are those of a method that declares nothing."""

    unit_box: bool = False
    """It needs a finite box, and works in [0, 1]^n."""
    knows_box: bool = False
    """It stays inside a box by itself: it is called as `run(x, rng, box)`, where box may be None."""
    max_n: int | None = None
    """The most variables that it is made for; None: any number."""
    in_flight: str = "1"
    """How many questions it has open at a time, as it is by default: a number, or in terms of n and its options."""
    cut: bool = False
    """It can go on with a part of a batch, where a budget does not allow all of it (see `Compare.reserve`)."""
    matrices: bool = False
    """It works with matrices of n rows, or of a row per answer: small ones are thought about in one thread."""
    sees_values: bool = False
    """It asks for values of f, not for comparisons."""

    @property
    def batches(self) -> bool:
        """Can it have several questions open at a time?"""
        return self.in_flight != "1"


@runtime_checkable
class Capable(Algorithm, Protocol):
    """An algorithm that declares what it needs and can do, as a class attribute or a property."""

    @property
    def capabilities(self) -> Capabilities: ...


def capabilities_of(algorithm: object) -> Capabilities:
    """What a method declares of itself."""
    declared = getattr(algorithm, "capabilities", PLAIN)
    if not isinstance(declared, Capabilities):
        raise BadType(f"capabilities of {type(algorithm).__name__} must be a Capabilities, got {declared!r}")
    return declared


PLAIN = Capabilities()


@runtime_checkable
class Resumable(Algorithm, Protocol):
    """An algorithm that can go on from answers it has not asked for itself, without a replay.

    With a memory of its own it goes on exactly as the run that made it (up to rounding, if bounds stretch its points);
    without one it may ask other questions than that run would, from the same belief. It may be asked for its next
    questions at any time, while others are pending: a server may treat each row of a batch as a question of its own.
    """

    def resume(self, x: Array, rng: np.random.Generator, past: Past) -> Dialogue: ...


@runtime_checkable
class WarmStarting(Algorithm, Protocol):
    """An algorithm that can begin with the answers of another run, about questions that it has not asked itself.

    Unlike one that can resume it asks nothing while others are pending, and its run is replayed from its own log.
    """

    def run_after(self, x: Array, rng: np.random.Generator, past: Past, box: Any = None) -> Dialogue: ...


class Intercepted(Generic[T]):
    """A dialogue, or a part of one, that somebody else speaks for: message by message, until it has its `result`.

    It is for methods that listen in (they repeat questions, or hold back steps) and for code that answers a part alone.
    Nothing else needs to touch a generator.
    """

    def __init__(self, dialogue: Generator[Message, Answers, T]) -> None:
        self._dialogue = dialogue
        self.result: T
        """What the dialogue returned; there is none before it has ended."""

    def next(self, answers: AnyArray | None = None) -> Message | None:
        """Its next message, given the answers to the last one (None after a step, and at first); None at its end."""
        try:
            return self._dialogue.send(answers)  # type: ignore[arg-type]  # None starts a generator
        except StopIteration as stop:
            self.result = stop.value
            return None

    def close(self) -> None:
        """End it before it has ended by itself."""
        self._dialogue.close()


def intercept(dialogue: Generator[Message, Answers, T]) -> Intercepted[T]:
    """Speak for a dialogue: see what it says before anybody else does, and decide what it is answered."""
    return Intercepted(dialogue)


def drive(question: Generator[Message, Answers, T], answer: Callable[[Any], AnyArray]) -> T:
    """Answer a part of a dialogue to its end: what it found out. Its steps are passed over.

    `answer` is called with each `Compare` (or `Evaluate`, if it asks for values) and returns one answer per row.
    """
    speaker = intercept(question)
    message = speaker.next()
    while message is not None:
        message = speaker.next(None if isinstance(message, Step) else answer(message))
    return speaker.result


def compare(x: Array, y: Array) -> Question[int]:
    """+1 if x is better, -1 if y is, 0 for a tie: 1 comparison."""
    answers = yield Compare(x[None], y[None])
    answer: int = answers.item()
    return answer


def better(x: Array, y: Array) -> Question[bool]:
    """Is x strictly better than y? 1 comparison; a tie is a no."""
    return (yield from compare(x, y)) > 0


def part_of(question: Compare | Evaluate, rows: list[int]) -> Compare | Evaluate:
    """Some rows of a question."""
    if isinstance(question, Evaluate):
        return Evaluate(question.x[rows])
    first = slice(rows[-1] + 1) if rows == list(range(len(rows))) else rows  # a slice copies nothing
    return Compare(question.a[first], question.b[first])
