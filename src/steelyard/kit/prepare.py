"""From the arguments of `minimize` to a run: method, start, judge, log."""

import dataclasses
import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from steelyard.algorithms.auto import Auto
from steelyard.algorithms.speculative import with_parallel
from steelyard.algorithms.spsa import SPSA
from steelyard.checks import check_budget, check_choice, check_flag, check_positive
from steelyard.dialogue import Algorithm, Past, Resumable, WarmStarting
from steelyard.errors import BadType, BadValue, ReplayError
from steelyard.kit.answer_log import AnswerFile, LoggedRun, LogWriter, opened_log, same_run, seed_of
from steelyard.kit.constraints import Constraints
from steelyard.kit.judged_run import JudgedRun, Wishes
from steelyard.kit.judges import as_judge
from steelyard.kit.saving import session_header
from steelyard.kit.verdict import Judge
from steelyard.kit.wrappers import BothWays, Shuffled
from steelyard.oracles import is_ours
from steelyard.registry import make_algorithm, name_of
from steelyard.seeds import Seed
from steelyard.session import Session
from steelyard.space import Space
from steelyard.typing import Array


@dataclass(frozen=True)
class Call:
    """The arguments of `minimize`, as they were given."""

    oracle: Any
    x0: Any
    method: str | Algorithm
    budget: Any
    bounds: Any = None
    rng: Seed = None
    options: Mapping[str, Any] | None = None
    callback: Any = None
    every: str = "step"
    parallel: int | None = None
    log: str | os.PathLike[str] | None = None
    time_limit: float | None = None
    progress: bool = False
    shuffle: bool | None = None
    constraints: Any = None
    settings: Any = None
    closing: ExitStack = field(default_factory=ExitStack)

    @property
    def plain(self) -> bool:
        """Does nothing but the method stand between the oracle and its questions? Then the short way is taken."""
        extras = (self.log, self.time_limit, self.shuffle, self.constraints, self.settings)
        is_oracle = callable(getattr(self.oracle, "compare", None)) and not isinstance(self.oracle, Judge)
        biased = getattr(self.oracle, "position_bias", False)
        watched = self.progress is not False or self.every != "step"
        return is_oracle and not biased and not watched and not isinstance(self.x0, Space) and extras == (None,) * 5


def prepared(call: Call) -> JudgedRun:
    """The run that a call asks for; what a log holds of it is found and used."""
    budget = check_budget(call.budget)
    check_choice("every", call.every, ("step", "answer"))
    check_flag("progress", call.progress)
    if call.time_limit is not None:
        check_positive("time_limit", call.time_limit)
    method = with_parallel(knowing_budget(make_algorithm(call.method, call.options), budget), call.parallel)
    file = opened_log(call.log)
    last = file.runs[-1] if file is not None and file.runs else None
    session = _session(call, method, call.rng)
    changed = [] if last is None else same_run(last.header, session_header(session), call.rng is not None)
    resumed: LoggedRun | None = None
    if file is not None and last is not None:
        resumed = None if changed else last
        past = _past(file.runs[:-1] if resumed else file.runs, session, file, changed)
        session = _session(call, method, seed_of(last.header) if resumed else call.rng, past)
    wishes = Wishes(
        call.callback, call.every, call.time_limit, call.progress, logged=resumed.answers if resumed else (),
    )  # fmt: skip
    run = _run(call, session, budget, wishes)
    if file is None:
        return run
    if resumed is not None:
        try:
            run.wanted()  # goes through all that the log knows, and asks nothing
        except ReplayError as error:
            past = _past(file.runs, session, file, [str(error)])
            session, resumed = _session(call, method, call.rng, past), None
            run.close()
            run = _run(call, session, budget, dataclasses.replace(wishes, logged=()))
    writer = call.closing.enter_context(LogWriter(file.path, file.whole))
    if resumed is None:
        writer.begin(session_header(session))
    run.wishes = dataclasses.replace(run.wishes, writer=writer)
    return run


def knowing_budget(method: Algorithm, budget: int) -> Algorithm:
    """The method, told how many answers there will be if it has an option for that and was not told."""
    if isinstance(method, Auto | SPSA) and (isinstance(method, SPSA) or method.answers is None):
        return dataclasses.replace(method, answers=check_budget(budget))
    return method


def shuffled(judge: Judge, shuffle: bool | None, seed: np.random.SeedSequence) -> Judge:
    """The judge with its sides shuffled: if asked for, or if it is a function and nobody said otherwise."""
    if shuffle is not None:
        check_flag("shuffle", shuffle)
    if isinstance(judge, Shuffled | BothWays) or shuffle is False:
        return judge
    by_batch = callable(getattr(getattr(judge, "oracle", None), "compare", None))
    if shuffle is None and by_batch and not getattr(judge, "position_bias", False):
        return judge  # an oracle of arrays: as a rule a computation, which likes no side
    return Shuffled(judge, int(seed.generate_state(1)[0]))


def shower(space: Space | None, settings: Any) -> Callable[[Array], Any]:
    """What makes of a point what the judge sees: a copy, a dictionary of settings, or a class of the user's."""
    if space is None:
        if settings is not None:
            raise BadValue(f"settings are for a run in a Space of named parameters, got {settings!r} and x0 as numbers")
        return np.copy
    if settings is None:
        return space.values
    fields = getattr(settings, "_fields", None)
    if dataclasses.is_dataclass(settings):
        fields = [item.name for item in dataclasses.fields(settings)]
    if not isinstance(settings, type) or fields is None or not set(space.names) <= set(fields):
        names = ", ".join(space.names)
        raise BadType(f"settings must be a dataclass or a NamedTuple with the fields {names}, got {settings!r}")
    return lambda x: settings(**space.values(x))


# --- inside


def _session(call: Call, method: Algorithm, rng: Seed, past: Past | None = None) -> Session:
    return Session(method, call.x0, rng, bounds=call.bounds, log=False, past=past)


def _run(call: Call, session: Session, budget: int, wishes: Wishes) -> JudgedRun:
    if session.space is not None and is_ours(call.oracle):
        raise BadType(f"oracle must be a function prefer(s, t) of two settings in a Space, got {call.oracle!r}")
    show = shower(session.space, call.settings)
    constraints = None if call.constraints is None else Constraints(call.constraints, show)
    judge = shuffled(as_judge(call.oracle), call.shuffle, session.seed)
    wishes = dataclasses.replace(wishes, show=show, constraints=constraints)
    return JudgedRun(session, judge, call.oracle, budget, wishes)


def _past(runs: tuple[LoggedRun, ...], session: Session, file: AnswerFile, changed: list[str]) -> Past | None:
    """The answers of other runs to begin from, if there are any and the method can; else a clear refusal."""
    runs = tuple(run for run in runs if run.answers)
    if not runs:
        return None
    fits = all(len(run.answers[0].a) == session.x0.size for run in runs)
    same_space = all(run.header.get("space") == session_header(session).get("space") for run in runs)
    can = isinstance(session.algorithm, Resumable | WarmStarting)
    if not can or not fits or not same_space:
        why = (
            f"{name_of(session.algorithm)} cannot begin from the answers of another run, as the default and "
            "preference-gp can"
            if not can
            else "its points do not fit into this call's variables or space"
        )
        raise BadValue(
            f"log {str(file.path)!r} holds {len(file)} answers of another run "
            f"(different: {', '.join(changed) or 'run'}), and {why}: choose another file, or call as before to go on"
        )
    answers = [answer for run in runs for answer in run.answers]
    a, b = np.array([answer.a for answer in answers]), np.array([answer.b for answer in answers])
    raters = tuple(answer.rater for answer in answers)
    signs = np.array([answer.answer for answer in answers], dtype=np.int8)
    return Past(a, b, signs, raters if any(raters) else ())
