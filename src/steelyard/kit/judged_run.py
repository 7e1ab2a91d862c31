"""A session against a judge, question by question: whatever is paid for is kept, and the run can be watched.

The run itself does no waiting: it says which pairs it wants answered and takes replies in any order. `run_judged` waits
for the judge in the caller's thread, `run_judged_async` in the caller's event loop.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.answered import fingerprint_of
from steelyard.dialogue import Choose, Compare
from steelyard.errors import BadType, OutOfAnswers, ReplayError
from steelyard.kit.answer_log import LoggedAnswer, LogWriter, by_question
from steelyard.kit.constraints import Constraints
from steelyard.kit.outcome import method_in_words, outcome
from steelyard.kit.progress import Progress
from steelyard.kit.status import BUDGET_USED, CALL_LIMIT, NOTHING_ACCEPTABLE, TIME_LIMIT
from steelyard.kit.verdict import Judge, Pair, Reply
from steelyard.kit.watching import Contradictions, History, StepHook
from steelyard.kit.wrappers import Shuffled, bias_is_clear
from steelyard.oracles import choose
from steelyard.typing import Array

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

    from steelyard.kit.result import Result
    from steelyard.session import Session

FREE_PER_COMPARISON = 100
"""How many questions may be answered by constraints alone for each comparison of the budget, before a run is ended."""
KEPT_WINNERS = 64
FEW = 20
"""Before this many answers a method's estimate of the error rate says nothing."""


@dataclass(frozen=True)
class Wishes:
    """How a run is to be watched, limited and kept; see `minimize`."""

    callback: Callable[[OptimizeResult], object] | None = None
    every: str = "step"
    time_limit: float | None = None
    progress: bool = False
    constraints: Constraints | None = None
    show: Callable[[Array], Any] = np.copy
    writer: LogWriter | None = None
    logged: Sequence[LoggedAnswer] = ()


class JudgedRun:
    """The state of a run between two replies: `wanted` says what to ask, `take` hears an answer."""

    def __init__(self, session: Session, judge: Judge, oracle: Any, budget: int, wishes: Wishes) -> None:
        self.session, self.judge, self.budget, self.wishes = session, judge, budget, wishes
        self._oracle = oracle
        self.history = History()
        self.contradictions = Contradictions()
        self.limit: OutOfAnswers | None = None
        self._hook = StepHook(wishes.callback, oracle) if wishes.callback is not None else None
        self._progress = Progress(budget) if wishes.progress else None
        self._logged: dict[int, dict[int, list[LoggedAnswer]]] = {}
        for (batch, fingerprint), answers in by_question(wishes.logged).items():
            self._logged.setdefault(batch, {})[fingerprint] = answers
        self._started = time.monotonic()
        self._batch = self._free = self._free_ties = self._calls = self._neithers = 0
        self._latencies = self._cost = self._last_step = 0.0
        self._fingerprint = 0
        self._rows: list[int] = []
        self._unacceptable: set[bytes] = set()
        self._acceptable: set[bytes] = set()
        self._winners: deque[Array] = deque(maxlen=KEPT_WINNERS)
        self._x = session.recommend()
        self._watcher, session._on_step = session._on_step, self._stepped

    # --- what to ask

    def wanted(self) -> list[Pair]:
        """The pairs that want an answer now; none once the run is over."""
        while not self.stopping():
            self._recall()
            part = self.session.within(self.budget + self._free)
            if part is None:
                break
            if isinstance(part, Choose):
                self._choose(part)
                continue
            if not isinstance(part, Compare):
                raise BadType(f"{self.session.algorithm!r} asks for values of f, which a judge cannot give")
            question = self.session.ask()
            assert isinstance(question, Compare)
            self._fingerprint = fingerprint_of(question)
            pairs, self._rows = [], []
            for row in self.session.unanswered[: len(part)]:
                a, b = question.a[row], question.b[row]
                answer = self._without_asking(a, b)
                if answer is None:
                    pairs.append(Pair(self.wishes.show(a), self.wishes.show(b), self._key(row)))
                    self._rows.append(row)
                else:
                    self._free += 1
                    self._free_ties += not answer
                    self._answer(row, answer, "")
            if pairs:
                return pairs
        return []

    def stopping(self) -> bool:
        """Should no new call be made?"""
        hook = self._hook
        if hook is not None and (hook.stopped or hook.error is not None):
            return True
        return self._late() or self.limit is not None or self._hopeless()

    # --- what was answered

    def take(self, reply: Reply) -> None:
        """The answer to row `reply.row` of what was wanted last: logged first, then told to the method."""
        row = self._rows[reply.row]
        question = self.session.ask()
        assert isinstance(question, Compare)
        a, b = question.a[row], question.b[row]
        if self.wishes.writer is not None:
            place = self._batch, row, self._fingerprint
            self.wishes.writer.answer(LoggedAnswer.of(place, a.tolist(), b.tolist(), reply, len(question)))
        self._hear(row, a, b, reply)

    def result(self) -> Result:
        """Where the run stands now, and why it goes no further."""
        hook = self._hook
        result: Result = outcome(self.session, self._oracle, self.budget, hook is not None and hook.stopped)
        if result.status == BUDGET_USED:
            chosen = method_in_words(self.session, result)
            result["message"] = f"the budget of {self.budget} comparisons is used{chosen}"
        if self.limit is not None:
            result.update(status=CALL_LIMIT, success=False, message=str(self.limit))
        elif self._hopeless():
            message = f"{self._free} questions in a row had no acceptable candidate: are the constraints too tight?"
            result.update(status=NOTHING_ACCEPTABLE, success=False, message=message)
        elif self._late() and self.session.question is not None:
            message = f"the time limit of {self.wishes.time_limit:g} s is reached"
            result.update(status=TIME_LIMIT, success=False, message=message)
        x, acceptable = self._recommendation()
        asked = self.session.spent - self._free
        result.update(x=x, ncmp=asked, nties=self.session.ties - self._free_ties, nfree=self._free)
        result.update(nneither=self._neithers, acceptable=acceptable)
        result.update(calls=self._calls, cost=self._cost, latency=self._latencies / asked if asked else 0.0)
        result.update(contradictions=self.contradictions.count, error_rate=self.contradictions.error_rate)
        result.update(history=self.history)
        if isinstance(self.judge, Shuffled):
            result["first_share"] = self.judge.first_share
            if bias_is_clear(self.judge.first, self.judge.second):
                result["message"] += (
                    f"; the judge chose the side shown first in {self.judge.first_share:.0%} of the cases"
                )
        if self.session.space is not None:
            result.update(settings=self.wishes.show(x), names=self.session.space.names)
        return result

    def attach(self, error: BaseException) -> None:
        """Give an error that ends the run the result so far: `error.result`."""
        with suppress(Exception):  # nothing here may hide the error itself
            result = self.result()
            result.update(success=False, message=f"interrupted by {type(error).__name__}: {error}")
            error.result = result  # type: ignore[attr-defined]
            kept = "; call again with the same log to go on" if self.wishes.writer is not None else ""
            error.add_note(f"after {result.ncmp} comparisons; the result so far is in the attribute `result`{kept}")

    def close(self) -> None:
        """The last word of a run, whatever ended it."""
        self.session._on_step = self._watcher
        if self._progress is not None:
            self._progress.show(self.state, last=True)
            self._progress.close()

    def raise_error_of_callback(self) -> None:
        if self._hook is not None and self._hook.error is not None:
            raise self._hook.error

    def state(self) -> dict[str, str]:
        """What there is to say about the run now, for the line of progress."""
        rate = self._error_rate()
        certainty = self.session.certainty if self.session.question is not None else None
        shown = {
            "": f"{self.session.spent - self._free} of {self.budget} comparisons",
            "ties": str(self.session.ties - self._free_ties),
            "contradictions": str(self.contradictions.count),
            "errors": "unknown" if rate is None else f"about {rate:.0%}",
            "last step": f"{self._last_step:.2g}",
            "settled": "unknown" if certainty is None else f"{certainty.beats_runner_up:.0%}",
        }
        if self._cost:
            shown["cost"] = f"{self._cost:.3g}"
        return shown

    def _error_rate(self) -> float | None:
        """What the method has learnt, if it learns that; else what repeated questions say, if any were."""
        report = self.session.judge
        return self.contradictions.error_rate if report is None or report.answers < FEW else report.error_rate

    # --- inside

    def _hear(self, row: int, a: Array, b: Array, reply: Reply) -> None:
        self._calls += reply.calls
        self._cost += reply.cost
        self._latencies += reply.latency
        if reply.neither:
            self._neithers += 1
            self._unacceptable |= {a.tobytes(), b.tobytes()}
        elif reply.answer:
            winner = a if reply.answer > 0 else b
            self._winners.appendleft(winner.copy())
            self._acceptable.add(winner.tobytes())
        self.contradictions.note(a.tobytes(), b.tobytes(), reply.answer)
        self._answer(row, reply.answer, reply.rater)

    def _answer(self, row: int, answer: int, rater: str) -> None:
        before = self.session.queries
        self.session.answer(row, answer, rater)
        if self.session.queries != before:
            self._batch += 1
            if self._hook is not None and self.wishes.every == "answer":
                self._hook(self.session)
        if self._progress is not None:
            self._progress.show(self.state)

    def _stepped(self, session: Session) -> None:
        x = session.recommend()
        if self.history.due():
            self.history.note(session.queries - self._free, x)
        self._last_step, self._x = float(np.linalg.norm(x - self._x)), x
        if self._hook is not None and self.wishes.every == "step":
            self._hook(session)

    def _recall(self) -> None:
        """Give the open question the answers that the log holds for it."""
        while (question := self.session.question) is not None and isinstance(question, Compare):
            known = self._logged.get(self._batch)
            if not known or self.session.spent - self._free >= self.budget:
                return
            fingerprint = fingerprint_of(question)
            if fingerprint not in known:
                rows = max(answers[0].rows for answers in known.values())
                if question.reserve is None or rows >= len(question):
                    raise ReplayError(
                        f"batch {self._batch} of the log answers another question (fingerprint {min(known):08x}, here "
                        f"{fingerprint:08x}): has the method, an option, the start, the bounds or the seed changed?"
                    )
                self.session._cut(rows)  # as it was cut then, to fit into the budget
                continue
            batch = self._batch
            for entry in known.pop(fingerprint):
                if self._batch == batch and entry.row in self.session.unanswered:
                    self._hear(entry.row, np.array(entry.a), np.array(entry.b), entry.reply())
            if self._batch == batch:
                return

    def _choose(self, question: Choose) -> None:
        """A choice among several, made of pairs, one after another."""
        if self.wishes.writer is not None or self.session.space is not None:
            raise BadType("a method that asks to choose among several cannot have a log or a Space yet")
        self.session.feed(choose(self.judge, question))  # type: ignore[arg-type]  # every judge of ours has `compare`
        self._batch += 1

    def _without_asking(self, a: Array, b: Array) -> int | None:
        """The answer if it is known beforehand: the same twice, or one of them unacceptable and the other not."""
        if np.array_equal(a, b):
            return 0
        if self.wishes.constraints is not None:
            answer = self.wishes.constraints.answer(a, b)
            if answer is not None:
                return answer
        keys = a.tobytes(), b.tobytes()
        bad_a, bad_b = (key in self._unacceptable for key in keys)
        if bad_a and bad_b:
            return 0
        good = (keys[1] if bad_a else keys[0]) in self._acceptable
        return int(bad_b) - int(bad_a) if good and (bad_a or bad_b) else None

    def _recommendation(self) -> tuple[Array, bool]:
        """The recommendation, moved to where it is acceptable if a constraint says that it is not."""
        x = self.session.recommend()
        constraints = self.wishes.constraints
        if constraints is not None:
            space = self.session.space
            settle = space.snap if space is not None else np.asarray
            found = constraints.acceptable(x, [*self._winners, self.session.x0], settle)
            return (x, False) if found is None else (found, True)
        if x.tobytes() not in self._unacceptable:
            return x, True
        good = next((point for point in self._winners if point.tobytes() not in self._unacceptable), None)
        return (x, False) if good is None else (good, True)

    def _late(self) -> bool:
        limit = self.wishes.time_limit
        return limit is not None and time.monotonic() - self._started >= limit

    def _hopeless(self) -> bool:
        return self._free > FREE_PER_COMPARISON * self.budget

    def _key(self, row: int) -> int:
        return (self._fingerprint << 32) ^ (self._batch << 12) ^ row


def run_judged(run: JudgedRun) -> Result:
    """Run to the end, waiting for the judge in this thread. What interrupts it carries the result so far."""
    with _in_good_order(run):
        while pairs := run.wanted():
            heard = 0
            for reply in run.judge.stream(pairs, run.stopping):
                run.take(reply)
                heard += 1
            _need_replies(run, heard)
    return run.result()


async def run_judged_async(run: JudgedRun) -> Result:
    """Run to the end inside an event loop; the method thinks in another thread, so that the loop goes on."""
    with _in_good_order(run):
        while pairs := await asyncio.to_thread(run.wanted):
            heard = 0
            async for reply in run.judge.astream(pairs, run.stopping):
                await asyncio.to_thread(run.take, reply)
                heard += 1
            _need_replies(run, heard)
    return run.result()


@contextmanager
def _in_good_order(run: JudgedRun) -> Iterator[None]:
    """However the run ends: a limit ends it as a used budget does, an error carries the result so far."""
    try:
        yield
    except OutOfAnswers as limit:
        run.limit = limit
    except BaseException as error:
        run.attach(error)
        raise
    finally:
        run.close()
    run.raise_error_of_callback()


def _need_replies(run: JudgedRun, heard: int) -> None:
    if heard == 0 and not run.stopping():
        raise RuntimeError(f"the judge must reply to what it is asked, got no reply from {run.judge!r}")
