"""A run against an oracle, which answers all that it is asked at once: the hottest loop of all."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from steelyard.dialogue import Choose, Compare
from steelyard.errors import OutOfAnswers
from steelyard.kit.outcome import outcome
from steelyard.kit.watching import History, StepHook
from steelyard.oracles import Oracle, choose, values_of

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

    from steelyard.kit.result import Result
    from steelyard.session import Session


def run_oracle(
    session: Session, oracle: Oracle, budget: int, callback: Callable[[OptimizeResult], object] | None
) -> Result:
    """Let the oracle answer until the budget is used, the algorithm stops, the callback does, or it answers no more."""
    hook = StepHook(callback, oracle) if callback is not None else None
    history, watcher, refused, before = History(), session._on_step, "", session.steps
    session._on_step = history.keeping(session._outward if session._frame is not None else None, hook or watcher)
    try:
        # A function may overflow far from its minimum: that is a bad value, which the oracle answers by, not a warning.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            _answer_all(session, oracle, budget, hook)
    except OutOfAnswers as error:
        refused = str(error)
    finally:
        session._on_step = watcher
        history.seen(session.steps - before)
    if hook is not None and hook.error is not None:
        raise hook.error
    result = outcome(session, oracle, budget, hook is not None and hook.stopped, refused)
    result["history"] = history
    return result


def _answer_all(session: Session, oracle: Oracle, budget: int, hook: StepHook | None) -> None:
    compare, settle = oracle.compare, session._settle
    while (question := session._open) is not None:
        if (
            type(question) is Compare
            and not session._given
            and session.queries + len(question.a) + (question.reserve or 0) <= budget
        ):
            settle(compare(question.a, question.b))
        else:
            question = session.within(budget)
            if question is None:
                break
            if isinstance(question, Compare):
                session.feed(compare(question.a, question.b))
            elif isinstance(question, Choose):
                settle(choose(oracle, question))
            else:
                session.feed(values_of(oracle, question.x))
        if hook is not None and (hook.stopped or hook.error is not None):
            break
