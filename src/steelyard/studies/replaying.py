"""Methods that cannot resume are replayed from the log: they take microseconds for an answer, and keep no model."""

import numpy as np

from steelyard.dialogue import Compare
from steelyard.errors import ReplayError
from steelyard.session import Session
from steelyard.studies.decided import Decision
from steelyard.studies.position import Position, RowPlace, checksum
from steelyard.studies.run_state import RunState
from steelyard.studies.study import Study
from steelyard.studies.thinking import Found, found


class Replay:
    """A session kept in step with the decisions of a run; after an undo it begins anew."""

    def __init__(self, study: Study, seed: int) -> None:
        self.study, self.seed = study, seed
        self._session: Session | None = None
        self._told, self._digest = 0, ""

    def position(self, state: RunState) -> Position:
        """Where the method stands after all decisions of the run."""
        session = self._session
        if session is None or not state.stands_at(self._told, self._digest):
            session = self._session = self.study.session(self.seed)
            self._told = 0
        for decision in state.decisions[self._told :]:
            tell(session, decision)
        self._told, self._digest = len(state.decisions), state.digests[-1]
        # Rows answered before are known by the points of the log: other processors may round otherwise.
        known = {decision.place[1]: decision.place for decision in state.decisions[session.queries :]}
        return _position(session.queries, known, found(session))

    def after(self, decisions: list[Decision], row: int, value: int) -> Found:
        """Where it would stand after one more answer."""
        session = self.study.session(self.seed)
        for decision in decisions:
            tell(session, decision)
        session.answer(row, value)
        return found(session)


def tell(session: Session, decision: Decision) -> None:
    """Answer a row of the session as it was decided; fails if that was another question."""
    question, row = session.question, decision.place[1]
    if not isinstance(question, Compare) or row >= len(question) or not _same_points(decision, question, row):
        raise ReplayError(
            f"answer {decision.event} is to a different question from the one asked here: has the method or a version "
            "of a library changed since?"
        )
    session.answer(row, decision.value, decision.rater)


def _same_points(decision: Decision, question: Compare, row: int) -> bool:
    """Is this what was asked? Other processors round otherwise: points that nobody can distinguish are the same."""
    a, b = question.a[row], question.b[row]
    return np.allclose(decision.a, a, atol=1e-6) and np.allclose(decision.b, b, atol=1e-6)


def _position(decided: int, known: dict[int, RowPlace], at: Found) -> Position:
    places = (known.get(row, (decided, row, checksum(at.a[row], at.b[row]))) for row in range(len(at.a)))
    return Position(decided, at.a, at.b, tuple(places), at.x, at.reason, at.models)
