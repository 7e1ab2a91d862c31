"""For oracles that err: a dialogue whose questions are repeated as often as the answers show to be needed.

How often answers are wrong is not known beforehand. Some questions are asked twice from the start; while no answer
contradicts itself, that is all it costs. Once contradictions show, every question is repeated until one answer is far
enough ahead of the next (a sequential test), and the error rate is learnt from the answers that lost. What was
concluded before may be wrong, so an early contradiction makes the dialogue begin again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, log, sqrt

import numpy as np
from numpy.typing import NDArray

from steelyard.dialogue import Compare, Dialogue, Question, Step, intercept
from steelyard.typing import Answers, Array

AskedTimes = NDArray[np.int64]

WRONG_ALONE, WRONG_AMONG_MANY, LARGE_BATCH = 0.005, 0.03, 8
"""The share of wrong verdicts accepted: a question alone decides something, one among many is one vote of many."""

CHECKED_FIRST, CHECKED_LATER, FIRST_QUESTIONS = 0.05, 0.02, 300
"""The share of the first 300 questions, and of the later ones, that are asked twice to look for contradictions."""
PRIOR_CONTRADICTIONS, PRIOR_PAIRS = 0.1, 5.0
"""What is believed before anything is known: as if this many of these pairs of answers had contradicted each other."""
NEGLIGIBLE_RATE = 0.006
"""Where errors are rarer than this, the first answer is taken."""
ENOUGH_PAIRS, AT_FIRST_ROWS = 100.0, 10
"""Until this many pairs are known, a large batch is settled by this many rows at a time, for what they teach."""
REMEMBERED_PAIRS = 2000.0
"""Beyond this many pairs, all that are known count half."""
WORST_RATE = 0.4
"""Beyond this the answers are hardly better than coins, and asking more often would never end."""


def repeating(begin: Callable[[Array], Dialogue], x: Array) -> Dialogue:
    """The dialogue that begins at x, for an oracle that may be wrong, at an unknown rate, when asked once.

    If the first contradiction is among the first 300 questions, the dialogue begins again at its recommendation.
    Costs 2 to 5 % more while no answer contradicts itself; else about lead / (1 - 2 rate) comparisons per
    question, where the lead that makes wrong verdicts rare enough is 2 or 3 at a rate of .1, and 5 to 7 at .3.
    """
    belief = ErrorRate()
    speaker = intercept(begin(x))
    answers: Answers | None = None
    while (message := speaker.next(answers)) is not None:
        if isinstance(message, Step):
            x, answers = message.x, None
            yield message
        elif not isinstance(message, Compare) or belief.trusts(len(message)):
            answers = yield message
        else:
            trusting = belief.contradictions == 0.0
            answers = yield from belief.settle(message)
            if trusting and belief.contradictions > 0.0 and belief.questions <= FIRST_QUESTIONS:
                speaker.close()
                speaker, answers = intercept(begin(x)), None
    return speaker.result


@dataclass
class ErrorRate:
    """How often answers are wrong, as far as seen.

    Only the first two answers to a question count: that they differ has the chance 2 rate (1 - rate), however long the
    question is asked after that.
    """

    pairs: float = 0.0
    contradictions: float = 0.0
    questions: int = 0
    checks: int = 0

    @property
    def rate(self) -> float:
        differ = (self.contradictions + PRIOR_CONTRADICTIONS) / (self.pairs + PRIOR_PAIRS)
        return min(0.5 - 0.5 * sqrt(max(0.0, 1.0 - 2.0 * differ)), WORST_RATE)

    def lead(self, rows: int) -> int:
        """By how many answers one verdict must be ahead of the next, for a question in a batch of this size."""
        if self.contradictions == 0.0 or self.rate < NEGLIGIBLE_RATE:
            return 1
        accepted = WRONG_ALONE if rows < LARGE_BATCH else WRONG_AMONG_MANY
        return max(2, ceil(log((1.0 - accepted) / accepted) / log((1.0 - self.rate) / self.rate)))

    def trusts(self, rows: int) -> bool:
        """Are the first answers to the next questions taken as they are? The hot path where none is wrong."""
        if self.lead(rows) > 1 or self._due(self.questions + rows) > 0:
            return False
        self.questions += rows
        return True

    def settle(self, question: Compare) -> Question[Answers]:
        """One verdict per row. A question on which the answers never agree is a tie.

        A batch that may be cut at the end of a budget still may while no answer has contradicted itself.
        """
        parts, start, rows = [], 0, len(question)
        while start < rows:
            lead = self.lead(rows)
            # What the first rows teach is used for the rest of a large batch.
            end = rows if self.pairs >= ENOUGH_PAIRS or lead == 1 else min(rows, start + AT_FIRST_ROWS)
            leads = np.full(end - start, lead, dtype=np.int64)
            part = Compare(question.a[start:end], question.b[start:end])
            if lead == 1:
                due = self._checks_due(end - start)
                leads[:due] = 2
                part.reserve = None if question.reserve is None else question.reserve + due
            parts.append((yield from self._settle(part, leads)))
            if part.cut_to is not None:
                question.cut_to = start + part.cut_to
                parts.append(np.zeros(rows - end, dtype=np.int8))
                break
            start = end
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _checks_due(self, rows: int) -> int:
        """How many rows at the head of a batch are asked twice to look for contradictions."""
        self.questions += rows
        due = min(rows, self._due(self.questions))
        self.checks += due
        return due

    def _due(self, questions: int) -> int:
        """How many checks are missing after a number of questions."""
        early = min(questions, FIRST_QUESTIONS)
        return int(CHECKED_FIRST * early + CHECKED_LATER * (questions - early)) - self.checks

    def _settle(self, question: Compare, leads: AskedTimes) -> Question[Answers]:
        answers = yield question
        rows = np.flatnonzero(leads[: question.cut_to] > 1)
        if rows.size == 0:
            return answers
        a, b, leads = question.a[rows], question.b[rows], leads[rows]
        verdicts = answers.copy()
        verdicts[rows] = yield from self._repeat(Compare(a, b), answers[rows], leads)
        return verdicts

    def _repeat(self, question: Compare, first: Answers, leads: AskedTimes) -> Question[Answers]:
        """Verdicts on questions that have been answered once: each is asked until one answer leads by enough."""
        again = yield question
        self._learn(first, again)
        if (leads == 2).all() and (first == again).all():  # nearly always, where no answer is wrong
            return first
        votes = np.zeros((len(question), 3), dtype=np.int64)  # for -1, 0, +1
        rows = np.arange(len(question))
        votes[rows, first + 1] += 1
        most = np.ceil(4.0 * leads / (1.0 - 2.0 * self.rate))
        while True:
            votes[rows, again + 1] += 1
            ordered = np.sort(votes, axis=1)
            ahead = ordered[:, 2] - ordered[:, 1]
            rows = np.flatnonzero((ahead < leads) & (votes.sum(axis=1) < most))
            if rows.size == 0:
                return np.where(ahead >= leads, votes.argmax(axis=1) - 1, 0).astype(np.int8)
            again = yield Compare(question.a[rows], question.b[rows])

    def _learn(self, first: Answers, second: Answers) -> None:
        self.pairs += len(first)
        self.contradictions += int(np.count_nonzero(first != second))
        if self.pairs > REMEMBERED_PAIRS:
            self.pairs, self.contradictions = 0.5 * self.pairs, 0.5 * self.contradictions
