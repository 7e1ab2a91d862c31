"""What the log of a study holds: what raters did, what the organiser did, who they are."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["answer", "undo", "finish", "more", "check", "repeat", "attention", "consent", "form"]
ActKind = Literal[
    "pause", "reopen", "end", "exclude", "include", "rename", "revoke", "revoke-join", "participant", "failure"
]
Role = Literal["rater", "organiser", "join"]


@dataclass(frozen=True)
class Event:
    """Something that a rater did.

    An `answer` is to a question of the method, a `repeat` to one asked before, a `check` to the closing comparison, an
    `attention` to a pair whose answer is known; `consent` and `form` keep what was agreed to or filled in in `points`.
    `value` is the answer with the method's own first point first (+1: it is better);
    `flipped` says that this point was shown on the right; `points` are, as JSON, the two in the unit box and the
    recommendation of the time, so that the log can be read without asking the method."""

    run: int
    rater: int
    kind: Kind
    question: str
    value: int = 0
    flipped: bool = False
    skipped: bool = False
    points: str = ""
    at: float = 0.0
    id: int = 0


@dataclass(frozen=True)
class Rater:
    """A person with a link, and the run they answer in."""

    id: int
    name: str
    run: int
    created: float


@dataclass(frozen=True)
class Act:
    """Something that the organiser or the server did to the study or to one of its raters; kept like an answer."""

    kind: ActKind
    rater: int | None = None
    detail: str = ""
    at: float = 0.0
    id: int = 0


@dataclass(frozen=True)
class Lease:
    """Somebody looks at a question, or waits for one (question ""), until a time."""

    question: str
    rater: int
    until: float
