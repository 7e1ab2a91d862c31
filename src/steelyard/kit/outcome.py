"""What a run came to: its result so far, how it ended, and both in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard.kit.status import BUDGET_USED, CALL_LIMIT, CONVERGED, STOPPED_BY_CALLBACK, status_of
from steelyard.registry import name_of

if TYPE_CHECKING:
    from steelyard.kit.result import Result
    from steelyard.oracles import Oracle
    from steelyard.session import Session


def outcome(session: Session, oracle: Oracle, budget: int, stopped: bool, refused: str = "") -> Result:
    """The result of a run that has ended: by itself, by its callback, or as its budget is used; `refused` says why the
    oracle would answer no more."""
    if stopped:
        status, message = STOPPED_BY_CALLBACK, "the callback stopped the run"
    elif session.question is None:
        status, message = status_of(session.reason), str(session.reason or "")
    elif refused:
        status, message = CALL_LIMIT, refused
    else:
        unfit = "is used" if session.spent == budget else f"does not allow {len(session.question)} more"
        status, message = BUDGET_USED, f"the budget of {budget} comparisons {unfit} ({session.spent} asked)"
    result = so_far(session, oracle)
    result.update(success=status == CONVERGED, status=status, message=message + method_in_words(session, result))
    return result


def so_far(session: Session, oracle: Oracle) -> Result:
    """The result of a run that goes on."""
    # Importing scipy.optimize takes half a second, which only those who run something should pay.
    from steelyard.kit.result import Result

    result = Result()
    result.update(x=session.recommend(), nit=session.steps, ncmp=session.spent, nties=session.ties)
    result["method"] = name_of(session.algorithm)
    if (report := session.judge) is not None:
        result["judge"] = report
    for counter in ("nfev", "asked"):  # points evaluated; answers collected by an oracle that repeats its questions
        if hasattr(oracle, counter):
            result[counter] = getattr(oracle, counter)
    return result


def method_in_words(session: Session, result: Result) -> str:
    """Which method was chosen and what it has learnt about the judge, if the choice was left to us."""
    if not session.chosen:
        return ""
    return f"; method: {session.chosen}" + (f"; {result.judge}" if "judge" in result else "")
