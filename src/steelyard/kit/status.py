"""How runs end: the `status` of a result."""

from steelyard.dialogue import GaveUp, Indistinct, Unproven

CONVERGED, BUDGET_USED, STOPPED_BY_CALLBACK, GAVE_UP, UNPROVEN, INDISTINCT = 0, 1, 2, 3, 4, 5
TIME_LIMIT, CALL_LIMIT, NOTHING_ACCEPTABLE = 10, 11, 12
"""The time is up; the limit on answers, calls or cost is reached; no candidate was acceptable."""


def status_of(reason: str | None) -> int:
    """What it means that an algorithm has stopped by itself."""
    kinds = {GaveUp: GAVE_UP, Indistinct: INDISTINCT, Unproven: UNPROVEN}
    return next((status for kind, status in kinds.items() if isinstance(reason, kind)), CONVERGED)
