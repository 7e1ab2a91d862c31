"""What the organiser has decided: the fold over the acts of a study. Every process that serves it reads the same."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from steelyard.studies.events import Act, ActKind
from steelyard.studies.store import Store
from steelyard.studies.views import ViewTrouble

MOST_FAILURES = 200
MOST_REPORTED = 2000
"""How many failures are kept in the log of a study at most; further ones are in the server's log only."""


@dataclass
class Control:
    """Is the study open, who is left out, which links no longer work, who came as which participant."""

    store: Store
    status: str = "open"
    excluded: set[int] = field(default_factory=set)
    names: dict[int, str] = field(default_factory=dict)
    participants: dict[str, int] = field(default_factory=dict)
    failures: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=MOST_FAILURES))
    last: int = 0
    _revoked: dict[int, float] = field(default_factory=dict)
    _joins_revoked: float = 0.0
    _reported: int = 0
    _read: float = -1.0  # when the log was last read
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def refresh(self, within: float = 0.0) -> Control:
        """Up to date with the log, or as it was at most `within` seconds ago.

        Every request comes by here, so nobody holds the lock while reading: all others would wait,
        one after another, for the database and for their turns.
        """
        now = time.monotonic()
        if now - self._read >= within:
            acts = self.store.acts(self.last)
            with self._lock:
                for act in acts:
                    if act.id > self.last:  # others may have read the same, or more
                        self._apply(act)
                self._read = max(self._read, now)
        return self

    def act(self, kind: ActKind, rater: int | None = None, detail: str = "") -> None:
        """Commit an act, and go by it from now on."""
        self.store.act(kind, rater, detail)
        self.refresh()

    def works(self, role: str, rater: int | None, created: float) -> bool:
        """Has this link not been revoked?"""
        if role == "join":
            return created > self._joins_revoked
        return rater is None or created > self._revoked.get(rater, 0.0)

    def participant_of(self, rater: int) -> str:
        """The number under which a rater came from elsewhere, or nothing."""
        return next((name for name, known in self.participants.items() if known == rater), "")

    def report(self, noise: ViewTrouble) -> None:
        """Keep what went wrong with a view."""
        with self._lock:
            self._reported += 1
            if self._reported > MOST_REPORTED:
                return
        said = {"values": dict(noise.values), "error": noise.error, "printed": noise.printed}
        self.store.act("failure", detail=json.dumps(said))

    def _apply(self, act: Act) -> None:
        self.last = act.id
        rater = act.rater or 0
        if act.kind in ("pause", "end", "reopen"):
            self.status = {"pause": "paused", "end": "ended", "reopen": "open"}[act.kind]
        elif act.kind == "exclude":
            self.excluded.add(rater)
        elif act.kind == "include":
            self.excluded.discard(rater)
        elif act.kind == "rename":
            self.names[rater] = act.detail
        elif act.kind == "revoke":
            self._revoked[rater] = act.at
        elif act.kind == "revoke-join":
            self._joins_revoked = act.at
        elif act.kind == "participant":
            self.participants.setdefault(act.detail, rater)
        elif act.kind == "failure":
            self.failures.append({"at": act.at, **json.loads(act.detail)})
