"""The one driver: it alone touches the generator protocol of an algorithm.

Generators cannot be pickled and need not be: given the seed a run is deterministic, so the log of answers *is* the
state. Resuming is replaying; undoing is replaying all but the last answer.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.answered import Answered, as_answers, fingerprint_of
from steelyard.bounds import BoundsLike, as_box, walls
from steelyard.certainty import Certainty
from steelyard.checks import check_answers, check_budget, check_raters, check_reply, check_start, check_whole
from steelyard.dialogue import (
    Algorithm,
    Choose,
    Compare,
    Evaluate,
    Message,
    Past,
    Resumable,
    Step,
    WarmStarting,
    capabilities_of,
    part_of,
)
from steelyard.errors import BadType, BadValue, ReplayError
from steelyard.frame import Frame, check_fit
from steelyard.judge_report import JudgeReport
from steelyard.kit.blas import one_thread
from steelyard.kit.oracle_run import run_oracle
from steelyard.kit.verdict import Judge
from steelyard.oracles import Oracle, as_oracle
from steelyard.registry import make_algorithm, name_of
from steelyard.rounding import Rounding, level_steps
from steelyard.seeds import Seed, afresh, seed_sequence
from steelyard.space import Space, fitted
from steelyard.typing import Answers, AnyArray, Array

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from scipy.optimize import OptimizeResult

    from steelyard.kit.result import Result

SMALL = 300
"""Methods that work with matrices think in one thread in up to this many variables."""


class Session:
    """A run of `algorithm` from `x0`, driven by the answers to its questions.

    >>> session = Session(STP(), x0, rng=0)
    >>> question = session.ask()              # rows of question.a against rows of question.b
    >>> session.tell([+1])                    # a is better
    >>> session.recommend()                   # where the algorithm would stop now

    `algorithm` may be given by its name, with options if wanted ("stp,step=0.5"), and `x0` as a `Space`: then every
    question and recommendation is a point of its unit box that stands for an allowed setting.
    `bounds` maps every question and recommendation into a box (see `steelyard.bounds`). `log=False` saves the cost of
    the answer log for callers that never undo, save or replay. `past` are answers from before, in the user's
    coordinates, for a method that can begin from them (`steelyard.dialogue.Resumable`, `WarmStarting`); the log begins
    after them.
    """

    def __init__(
        self,
        algorithm: Algorithm | str,
        x0: ArrayLike | Space,
        rng: Seed = None,
        *,
        bounds: BoundsLike = None,
        log: bool = True,
        past: Past | None = None,
    ) -> None:
        if isinstance(algorithm, str):
            algorithm = make_algorithm(algorithm)
        if not callable(getattr(algorithm, "run", None)):
            raise BadType(f"algorithm must be a name or have a method run(x, rng), got {algorithm!r}")
        self.space = x0 if isinstance(x0, Space) else None
        if self.space is not None:
            if bounds is not None:
                raise BadValue(f"bounds must be None if x0 is a Space, whose parameters have their own, got {bounds!r}")
            x0, bounds = self.space.start, self.space.bounds
        self.x0 = check_start(x0)
        self.seed = seed_sequence(rng)
        self.box = as_box(bounds, self.x0.size)
        self.chosen = ""  # which method was chosen and why, if it was left to us
        if hasattr(algorithm, "method_for"):
            algorithm, self.chosen = algorithm.method_for(self.x0.size, self.box)
        if self.space is not None:
            algorithm = fitted(algorithm, self.space)
        self.algorithm: Algorithm = algorithm  # type: ignore[assignment]  # a name was made one above
        self._can = capabilities_of(self.algorithm)
        check_fit(self.algorithm, self._can, self.x0, self.box)
        self._walls = None if self.box is None else walls(self.box, self.algorithm, self.x0)
        if past is not None and not isinstance(self.algorithm, Resumable | WarmStarting):
            raise BadType(f"past needs a method that can begin from answers, got {type(self.algorithm).__name__}")
        self._past = past
        # Matrices as small as these methods need are slower in several threads than in one.
        self._small = self._can.matrices and self.x0.size <= SMALL
        self._keeps_log = log
        self._on_step: Callable[[Session], None] | None = None
        # as `Answered`, which is made when asked for
        self._log: list[tuple[int, AnyArray, tuple[int, ...], tuple[str, ...]]] = []
        self._given: dict[int, tuple[float, str]] = {}  # answers to rows of the open question, and who gave them
        self._begin()

    # --- asking and telling

    @property
    def question(self) -> Compare | Choose | Evaluate | None:
        """What the algorithm wants to know now; None once it has stopped by itself."""
        return self._open

    def ask(self) -> Compare | Choose | Evaluate:
        """The open question; asking twice gives the same one."""
        if self._open is None:
            raise RuntimeError(f"the algorithm has stopped by itself: {self.reason}")
        return self._open

    def tell(self, answers: ArrayLike, raters: str | Sequence[str] = ()) -> None:
        """Answer the whole open question: one of -1, 0, +1 for each of its rows.

        A choice among several points (`Choose`) is answered by ranks: [1, 0, 1, 1] if the second of four is the best.
        `raters` names who answered, one for all rows or one per row, for methods that learn whom to trust.
        """
        question = self.ask()
        raters = check_raters(raters, question)
        if self._given:
            given = f"{len(self._given)} of {len(question)} rows"
            raise BadValue(f"answers must now come one by one, with answer(row, value): {given} have been given")
        self._settle(check_reply(answers, question), (), raters)

    def answer(self, row: int, value: int, rater: str = "") -> None:
        """Answer one row of the open batch; the algorithm goes on when all its rows are answered.

        Rows may come in any order and the run is the same. A row answered before is refused. `rater` says who
        answered, for methods that learn whom to trust.
        """
        question = self.ask()
        if not isinstance(question, Compare):
            what = "values" if isinstance(question, Evaluate) else "ranks"
            raise BadType(f"this algorithm asks for {what}: answer with tell({what})")
        if not isinstance(row, int | np.integer) or not isinstance(rater, str):
            raise BadType(f"row must be an integer and rater a name, got {row!r} and {rater!r}")
        if not 0 <= row < len(question):
            raise BadValue(f"row must be from 0 to {len(question) - 1}, got {row}")
        if row in self._given:
            raise BadValue(f"row {row} of the open question has been answered already")
        self._give(question, [row], check_answers([value], None), rater)

    @property
    def unanswered(self) -> list[int]:
        """The rows of the open question that still want an answer."""
        return [] if self._open is None else [i for i in range(len(self._open)) if i not in self._given]

    @property
    def spent(self) -> int:
        """All answers so far: those of `queries`, which counts complete batches, and those to the open question."""
        return self.queries + len(self._given)

    @property
    def ties(self) -> int:
        """How many of all answers so far are ties."""
        waiting = self._given.values() if isinstance(self._open, Compare) else ()
        return self._ties + sum(answer == 0 for answer, _ in waiting)

    def within(self, budget: int) -> Compare | Choose | Evaluate | None:
        """What may be asked now if `budget` is for the whole run: the rows that wait, or as many of them as fit.

        None once the budget is spent or the algorithm has stopped. `feed` takes the answers. A batch that does not fit
        is cut if its method says that it can go on with a part of it (`Compare.reserve`); if not, its first rows are
        asked, and it waits for the others.
        """
        left = check_whole("budget", budget, 0) - self.spent
        if self._open is None or left <= 0:
            return None
        if isinstance(self._open, Choose):  # all or nothing
            return self._open if len(self._open) <= left else None
        reserve = self._open.reserve
        if reserve is not None and not self._given and reserve < left < len(self._open) + reserve:
            self._cut(left - reserve)
        rows = self.unanswered[:left]
        return self._open if len(rows) == len(self._open) else part_of(self._open, rows)

    def recommend(self) -> Array:
        """The algorithm's current recommendation; not the same as the best point seen."""
        return self._outward(self._said.x).copy() if self.steps else self.x0.copy()

    x = property(recommend)

    @property
    def keeps_model(self) -> bool:
        """Can `certainty` be worked out? It takes a method that keeps a model of the answers."""
        return self._said.certainty is not None

    @property
    def certainty(self) -> Certainty | None:
        """How settled the run is, worked out now; None if the algorithm keeps no model of the answers."""
        return None if self._said.certainty is None else self._said.certainty().mapped(self._outward)

    @property
    def judge(self) -> JudgeReport | None:
        """What has been learnt about the judge, worked out now; None if the algorithm does not learn it."""
        return None if self._said.judge is None else self._said.judge()

    @property
    def memory(self) -> Mapping[str, Array] | None:
        """What the method wants to be reminded of when it resumes here, in its own coordinates; None if it cannot."""
        return None if self._said.memory is None else self._said.memory()

    # --- the log of answers

    @property
    def log(self) -> tuple[Answered, ...]:
        """All answers so far, enough with the seed to rebuild this session."""
        self._need_log()
        complete = self._complete_batches()
        if self._given and self._open is not None:
            values, raters = zip(*self._given.values(), strict=True)
            named = raters if any(raters) else ()
            complete.append(Answered(fingerprint_of(self._open), values, tuple(self._given), named, open=True))
        return tuple(complete)

    def undo(self) -> None:
        """Take back the last answer (the last batch, if it was told as a whole), by replay."""
        self._need_log()
        if not self._log and not self._given:
            raise BadValue("nothing to undo: no answer has been given")
        log, given = self._complete_batches(), self._given
        if given:
            given.popitem()
        else:
            last = log.pop()
            raters = last.raters or ("",) * len(last.answers)
            given = {row: (last.answers[row], raters[row]) for row in last.order[:-1]}
        self._begin()
        self.replay(log)
        self._given = given

    def replay(self, log: Iterable[Answered]) -> None:
        """Feed a log of answers to this session; fails loudly at the first question that is not the logged one."""
        if not isinstance(log, Iterable):
            raise BadType(f"log must hold the entries of Session.log, got {log!r}")
        for i, entry in enumerate(log):
            if not isinstance(entry, Answered):
                raise BadType(f"log must hold the entries of Session.log, got {entry!r}")
            if self._open is None:
                raise ReplayError(f"the log has more answers than this run asks for: it stopped before batch {i}")
            if len(entry.answers) < len(self._open) and not entry.open and self._open.reserve is not None:
                self._cut(len(entry.answers))
            fingerprint = fingerprint_of(self._open)
            if fingerprint != entry.fingerprint:
                raise ReplayError(
                    f"batch {i} of the log answers another question (fingerprint {entry.fingerprint:08x}, here "
                    f"{fingerprint:08x}): has the algorithm, one of its options, x0, the bounds or the seed changed?"
                )
            answers = as_answers(self._open, entry.answers)
            if entry.open:
                for row, value, rater in zip(entry.order, answers, entry.raters or ("",) * len(answers), strict=True):
                    self._give(self._open, [row], np.array([value]), rater)
            else:
                self._given = {}
                self._settle(answers, entry.order, tuple(entry.raters))

    # --- running against an oracle

    def run(
        self,
        oracle: Oracle | Callable[..., object],
        budget: int,
        callback: Callable[[OptimizeResult], object] | None = None,
    ) -> Result:
        """Let `oracle` answer until `budget` comparisons are used in all, or the algorithm stops by itself.

        The budget is never exceeded, and spent to the last comparison unless the algorithm stops before: of a batch
        that does not fit the first rows are asked (see `within`). If the oracle raises, the open question stays open
        and `run` may simply be called again. If it raises `OutOfAnswers` the run ends, with the message of that error.
        """
        oracle = as_oracle(oracle)
        budget = check_budget(budget)
        if isinstance(oracle, Judge):  # answers row by row: what it has answered is kept even if a later row fails
            from steelyard.kit.judged_run import JudgedRun, Wishes, run_judged

            return run_judged(JudgedRun(self, oracle, oracle, budget, Wishes(callback)))
        return run_oracle(self, oracle, budget, callback)

    def watch(self, on_step: Callable[[int, Array], None]) -> None:
        """Call `on_step(queries, x)` at every step from now on; x may be the algorithm's own array: not to be changed.

        A callback given to `run` is called instead while it runs.
        """
        self._on_step = lambda session: on_step(session.queries, session._outward(session._said.x))

    def feed(self, answers: AnyArray) -> Compare | Choose | Evaluate | None:
        """`tell` without its checks, for drivers whose answers come from an oracle; returns the next question.

        Fewer answers than rows are those to the first rows that wait.
        """
        question = self._open
        if type(question) is Compare and not self._given and len(answers) == len(question.a):
            self._settle(answers)  # the hottest loop of all
        elif question is None or isinstance(question, Choose) or (not self._given and len(answers) == len(question)):
            self._settle(answers)
        else:
            self._give(question, self.unanswered, answers)
        return self._open

    # --- keeping

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write method, start, bounds, seed and all answers to a file, from which `Session.load` makes this session."""
        from steelyard.kit.saving import save_session

        save_session(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], algorithm: Algorithm | None = None) -> Session:
        """The session that `save` wrote; `algorithm` is needed for a method that is not registered by a name."""
        from steelyard.kit.saving import read_session

        made, log = read_session(path, algorithm)
        session = cls(*made[:3], bounds=made[3])
        session.replay(log)
        return session

    def __getstate__(self) -> dict[str, object]:
        """For pickling and copying: generators can do neither, so a copy is rebuilt by replay."""
        start, bounds = (self.x0, self.box) if self.space is None else (self.space, None)
        return {"made": (self.algorithm, start, self.seed, bounds, self._past), "log": self.log}

    def __setstate__(self, state: dict[str, Any]) -> None:
        algorithm, start, seed, bounds, past = state["made"]
        self.__init__(algorithm, start, seed, bounds=bounds, past=past)  # type: ignore[misc]
        self.replay(state["log"])

    def __repr__(self) -> str:
        waiting = len(self.unanswered)
        state = self.reason or f"{waiting} question{'s' * (waiting != 1)} open"
        where = f"{self.x0.size} variable{'s' * (self.x0.size != 1)}"
        counts = f"{self.spent} comparisons, {self.ties} ties"
        return f"<Session of {name_of(self.algorithm)} in {where}: {counts}; {state}>"

    # --- inside

    def _begin(self) -> None:
        self.queries, self.steps = len(self._past or ()), 0
        self._ties = self.queries - int(np.count_nonzero(self._past.answers)) if self._past else 0
        self.reason: str | None = None
        self._log, self._given = [], {}
        inward = self.x0.copy() if self._walls is None else self._walls.inward(self.x0)
        self._rounding = rounding = Rounding(self.space, self._walls) if self.space and self._walls else None
        self._frame = Frame(self._walls, rounding) if self._walls else None
        self._open: Compare | Choose | Evaluate | None = None
        self._message: Message | None = None  # the open question in the algorithm's own coordinates
        self._said = Step(inward)  # the last step, with what the method says of it
        rng = np.random.default_rng(afresh(self.seed))
        past = self._past if self._past is None or self._frame is None else self._frame.past(self._past)
        if past is not None and isinstance(self.algorithm, Resumable):
            self._generator = self.algorithm.resume(inward.copy(), rng, past)
        elif past is not None and isinstance(self.algorithm, WarmStarting):
            self._generator = self.algorithm.run_after(inward.copy(), rng, past, self.box)
        elif self._can.knows_box:
            self._generator = self.algorithm.run(inward.copy(), rng, self.box)  # type: ignore[call-arg]
        else:
            self._generator = self.algorithm.run(inward.copy(), rng)
        if not hasattr(self._generator, "send"):
            raise BadType(f"run(x, rng) must be a generator that yields its questions, got {self._generator!r}")
        if rounding is not None and rounding.has_levels and not hasattr(self.algorithm, "levels"):
            coins = np.random.default_rng(afresh(self.seed).spawn(1)[0])
            self._generator = level_steps(self._generator, inward.copy(), rounding, coins)
        self._advance_in_one_thread(None) if self._small else self._advance(None)

    def _advance_in_one_thread(self, answers: Answers | None) -> None:
        with one_thread():
            self._advance(answers)

    def _advance(self, answers: Answers | None) -> None:
        """Send the answers in and collect steps until the next question, or the end."""
        message: Message
        try:
            message = self._generator.send(answers)  # type: ignore[arg-type]  # None starts a generator
            while type(message) is Step:
                self._said = message
                self.steps += 1
                if self._rounding is not None:
                    self._rounding.moved_to(message.x)
                if self._on_step is not None:
                    self._on_step(self)
                message = next(self._generator)
        except StopIteration as stop:
            self._open = None
            reason = stop.value or "the algorithm stopped"
            self.reason = reason if isinstance(reason, str) else str(reason)
            return
        if type(message) is not Compare and not isinstance(message, Compare | Choose | Evaluate):
            raise BadType(
                f"{type(self.algorithm).__name__}.run must yield Compare(a, b) to ask or Step(x) to recommend, "
                f"got {message!r}"
            )
        self._message = message
        self._open = message if self._frame is None else self._frame.question(message)

    def _cut(self, rows: int) -> None:
        """Ask only the first rows of the open batch, whose method goes on without the others."""
        if isinstance(self._message, Compare) and isinstance(self._open, Compare):
            self._message.cut_to = rows
            self._open = Compare(self._open.a[:rows], self._open.b[:rows])

    def _give(
        self, question: Compare | Choose | Evaluate, rows: Sequence[int], answers: AnyArray, rater: str = ""
    ) -> None:
        """Answer some rows of the open question; the algorithm goes on when all of them are answered."""
        for row, answer in zip(rows, answers.tolist(), strict=False):
            self._given[row] = answer, rater
        if len(self._given) == len(question):
            order, given = tuple(self._given), [self._given[row] for row in range(len(question))]
            raters = tuple(rater for _, rater in given)
            self._given = {}
            self._settle(as_answers(question, [answer for answer, _ in given]), order, raters if any(raters) else ())

    def _settle(self, answers: AnyArray, order: tuple[int, ...] = (), raters: tuple[str, ...] = ()) -> None:
        if self._keeps_log and self._open is not None:
            self._log.append((fingerprint_of(self._open), answers, order, raters))
        message, m = self._message, len(answers)
        if type(message) is Compare:
            if raters:
                message.raters = raters
            # Single comparisons are the hottest loop of all, where counting by numpy would cost more than the rest.
            if m > 1:
                self._ties += m - int(np.count_nonzero(answers))
            elif not answers.item():
                self._ties += 1
            if message.cut_to is not None:
                answers = np.append(answers, np.zeros(len(message) - m, dtype=np.int8))
        elif type(message) is Choose:
            message.rater = raters[0] if raters else ""
            self._ties += not answers.any()
            m = len(message)
        self.queries += m
        self._advance_in_one_thread(answers) if self._small else self._advance(answers)

    def _outward(self, x: Array) -> Array:
        """From the algorithm's own coordinates to the user's."""
        return x if self._frame is None else self._frame.outward(x)

    def _complete_batches(self) -> list[Answered]:
        return [
            Answered(fingerprint, tuple(answers.tolist()), order, raters)
            for fingerprint, answers, order, raters in self._log
        ]

    def _need_log(self) -> None:
        if not self._keeps_log:
            raise RuntimeError("this session keeps no log of answers: make it with log=True")
