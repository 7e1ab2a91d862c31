"""Several questions in flight, for a dialogue that asks one after another: ask what may follow, use what was answered.

A method that asks one question at a time leaves a judge idle who could answer sixteen. What it asks next depends on the
answer, but there are few answers: so the questions that follow each of them can be asked at once, and those after
these. The dialogue itself is not changed. It is held several times over, once per guess, from its beginning.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count, product
from math import prod
from typing import Generic, TypeVar

import numpy as np

from steelyard.dialogue import Compare, Intercepted, Message, Question, Step, intercept
from steelyard.typing import Answers, AnyArray, Array

MOST_ROWS = 3
"""The most questions of a batch for which combinations of answers are considered: of more, none is likely."""
FORGOTTEN = 0.9
"""What counts of the answers so far when a new one comes: how a method fares changes along a run."""
IMAGINED, IMAGINED_TIES = 0.5, 0.05
"""Answers for either side, and ties, that are counted without having come."""
UNLIKELY = 0.5
"""A question is asked if its chance to be needed is at least this part of 1 / parallel."""

T = TypeVar("T")
Told = tuple[AnyArray, int | None]
"""The answers to a question, and to how many rows it was cut."""


def speculating(begin: Callable[[], Question[T]], x: Array, parallel: int) -> Question[T]:
    """What the dialogue that `begin` starts finds out, with about `parallel` questions in flight.

    Given the same answers the outcome is the same, in fewer rounds: about log2(parallel + 1) questions asked one by one
    take one round; more, if most answers can be guessed. Each question asked is a comparison, needed or not: at most
    `parallel` per round. Each guess takes the time in which the dialogue is held once more up to there, so `begin` must
    start the same one each time. `x` is the recommendation at first.
    """
    run = _Run(begin, x)
    while run.message is not None:
        if isinstance(run.message, Step):
            run.odds.x = run.message.x
            yield run.message
            run.message = run.speaker.next()
        elif isinstance(run.message, Compare) and len(run.message) < parallel:
            yield from _ask(run, run.message, parallel)
        else:
            answers = yield run.message
            run.hear(answers, getattr(run.message, "cut_to", None))
    return run.speaker.result


def ahead(begin: Callable[[], Question[T]], x: Array, parallel: int) -> Question[T]:
    """`speculating` where more than one question may be in flight, else the dialogue as it is."""
    return (yield from begin() if parallel < 2 else speculating(begin, x, parallel))


def _ask(run: _Run[T], question: Compare, parallel: int) -> Question[None]:
    """Ask a question with what may follow it, and go on as far as the answers lead."""
    tree = _Tree(run, question, parallel)
    asked = Compare(np.array(tree.a), np.array(tree.b), reserve=question.reserve or 0)
    answers = yield asked
    known, own = len(asked) if asked.cut_to is None else asked.cut_to, len(question)
    if known >= own:
        asked.needed = yield from tree.follow(answers[:known])
        return
    asked.needed = list(range(known))
    run.go_on_from(tree.root)
    if question.reserve is not None:
        run.hear(answers[:own], known)  # those not asked are 0
    else:  # it can do nothing with a part: ask for the rest
        rest = yield Compare(question.a[known:], question.b[known:])
        run.hear(np.append(answers[:known], rest))


class _Run(Generic[T]):
    """The dialogue on the way that the answers have led so far: what was said last, and how to get there once more."""

    def __init__(self, begin: Callable[[], Question[T]], x: Array) -> None:
        self._begin = begin
        self._told: list[Told] = []
        self.odds = _Odds(x)
        self.speaker = intercept(begin())
        self.message = self.speaker.next()

    def again(self, more: Sequence[AnyArray] = ()) -> tuple[Intercepted[T], Message | None]:
        """The dialogue from its beginning, told all so far and `more`: whoever speaks for it, and its open question."""
        speaker = intercept(self._begin())
        message, _ = _after_steps(speaker, speaker.next())
        for answers, cut_to in [*self._told, *((answers, None) for answers in more)]:
            if cut_to is not None and isinstance(message, Compare):
                message.cut_to = cut_to
            message, _ = _after_steps(speaker, speaker.next(answers))
        return speaker, message

    def hear(self, answers: AnyArray, cut_to: int | None = None) -> None:
        """The answers to the open question are told to the dialogue; `message` is what it says then."""
        if isinstance(self.message, Compare):
            self.message.cut_to = cut_to
        self.note(answers, cut_to)
        self.message = self.speaker.next(answers)

    def note(self, answers: AnyArray, cut_to: int | None = None) -> None:
        """Remember the answers to the open question."""
        if isinstance(self.message, Compare):
            self.odds.note(self.message, answers)
        self._told.append((answers, cut_to))

    def go_on_from(self, node: _Node[T]) -> None:
        """Be at this question, to which all answers so far lead; its speaker may have been sent on along a guess."""
        self.speaker, self.message = (node.speaker, node.message) if node.speaker is not None else self.again()


@dataclass(eq=False)
class _Node(Generic[T]):
    """A question that may be asked, after the answers `given` to the ones before; `steps` were made just before it."""

    speaker: Intercepted[T] | None
    """None once it was sent on to one of the questions behind this one."""
    message: Message | None
    x: Array
    chance: float = 1.0
    given: tuple[AnyArray, ...] = ()
    steps: tuple[Step, ...] = ()
    rows: list[int] = field(default_factory=list)
    """Where its questions are in the batch; none if it is not asked."""
    behind: dict[tuple[int, ...], _Node[T]] = field(default_factory=dict)


class _Tree(Generic[T]):
    """A question and those that may follow it, the likeliest first, as many as may be in flight."""

    def __init__(self, run: _Run[T], question: Compare, parallel: int) -> None:
        self._run = run
        self.a, self.b = [*question.a], [*question.b]
        self.root = _Node(run.speaker, question, run.odds.x, rows=list(range(len(question))))
        self._places: dict[tuple[int, bytes], list[int]] = {}
        self._least = UNLIKELY / parallel
        self._waiting: list[tuple[float, int, _Node[T], tuple[int, ...]]] = []
        self._number = count()
        self._branch(self.root, question)
        while self._waiting and len(self.a) < parallel:
            chance, _, node, answers = heapq.heappop(self._waiting)
            child = node.behind[answers] = self._behind(node, np.array(answers, dtype=np.int8), -chance)
            following = child.message
            if isinstance(following, Compare) and len(following) <= min(parallel - len(self.a), MOST_ROWS):
                self._add(child, following)
                self._branch(child, following)

    def follow(self, answers: Answers) -> Question[list[int]]:
        """Go as far as the answers lead, with the steps on the way; the run is at its next message then.

        Returns the rows that led there.
        """
        run, node, needed = self._run, self.root, []
        while node.rows and max(node.rows) < len(answers):
            own = answers[node.rows]
            needed += node.rows
            child = node.behind.get(tuple(own.tolist()))
            if child is None:
                run.go_on_from(node)
                run.hear(own)
                return needed
            run.message = node.message
            run.note(own)
            for step in child.steps:
                run.odds.x = step.x
                yield step
            node = child
        run.go_on_from(node)
        return needed

    def _branch(self, node: _Node[T], question: Compare) -> None:
        """Note what may follow a question, with the chances."""
        if len(question) > MOST_ROWS:
            return
        chances = [self._run.odds.chances(a, b, node.x) for a, b in zip(question.a, question.b, strict=True)]
        for answers in product((1, -1, 0), repeat=len(question)):
            chance = node.chance * prod(row[answer] for row, answer in zip(chances, answers, strict=True))
            if chance >= self._least:
                heapq.heappush(self._waiting, (-chance, next(self._number), node, answers))

    def _behind(self, node: _Node[T], answers: AnyArray, chance: float) -> _Node[T]:
        """What is said after these answers to a question."""
        speaker, node.speaker = node.speaker, None
        if speaker is None:
            speaker, _ = self._run.again(node.given)
        message, steps = _after_steps(speaker, speaker.next(answers))
        x = steps[-1].x if steps else node.x
        return _Node(speaker, message, x, chance, (*node.given, answers), steps)

    def _add(self, node: _Node[T], question: Compare) -> None:
        """Put a question into the batch, unless it is there already behind other answers."""
        key = len(node.given), question.a.tobytes() + question.b.tobytes()
        if key not in self._places:
            self._places[key] = list(range(len(self.a), len(self.a) + len(question)))
            self.a += [*question.a]
            self.b += [*question.b]
        node.rows = self._places[key]


class _Odds:
    """How often answers are +1, -1 and 0 lately, where the recommendation stands first, stands second, or does not."""

    def __init__(self, x: Array) -> None:
        self.x = x
        self._counts = np.zeros((3, 3))

    def chances(self, a: Array, b: Array, x: Array) -> dict[int, float]:
        """The chance of each answer about a and b, if x is the recommendation."""
        seen = self._counts[_role(a, b, x)] + (IMAGINED, IMAGINED, IMAGINED_TIES)
        return dict(zip((1, -1, 0), (seen / seen.sum()).tolist(), strict=True))

    def note(self, question: Compare, answers: AnyArray) -> None:
        """Count the answers to a question asked by itself or in a small batch."""
        if len(question) > MOST_ROWS:
            return
        for a, b, answer in zip(question.a, question.b, answers.tolist(), strict=False):
            counts = self._counts[_role(a, b, self.x)]
            counts *= FORGOTTEN
            counts[(1, -1, 0).index(int(answer))] += 1.0


def _role(a: Array, b: Array, x: Array) -> int:
    return 0 if np.array_equal(a, x) else 1 if np.array_equal(b, x) else 2


def _after_steps(speaker: Intercepted[T], message: Message | None) -> tuple[Message | None, tuple[Step, ...]]:
    """The next message that is no step, and the steps before it."""
    steps = []
    while isinstance(message, Step):
        steps.append(message)
        message = speaker.next()
    return message, tuple(steps)
