"""What the organiser sees of everybody: kept up to date as answers come in, read from the log and never replayed."""

import json
import time
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np

from steelyard.studies.agreement import Pairs, bradley_terry_of, favourite
from steelyard.studies.control import Control
from steelyard.studies.events import Event, Rater
from steelyard.studies.extra_questions import repeated_question
from steelyard.studies.results import answered_pairs
from steelyard.studies.store import Store
from steelyard.studies.study import Study
from steelyard.studies.turns import PatientLock
from steelyard.typing import Array

OVERLAP = 500
"""Events of different runs may be committed in another order than they are numbered: this many are looked at again."""
ACTIVE = 120.0
"""A rater who did something within this many seconds is at work."""
FIT_AGAIN_AFTER = 20.0
"""The pooled model is fitted again after this many times the time that the last fit took."""
LOOK_AWAY = 600.0
"""Longer pauses than this are no time of thinking."""


@dataclass
class Tally:
    """One rater's answers, counted."""

    rater: Rater
    answers: dict[str, Event] = field(default_factory=dict)
    repeats: dict[str, Event] = field(default_factory=dict)
    attention: dict[str, Event] = field(default_factory=dict)
    checks: dict[str, Event] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    last: float = 0.0
    ended: bool = False
    extra: int = 0
    best: Array | None = None

    def apply(self, event: Event) -> None:
        kept = {"answer": self.answers, "repeat": self.repeats, "attention": self.attention, "check": self.checks}
        if event.kind in kept:
            kept[event.kind][event.question] = event
            if self.last and event.at - self.last < LOOK_AWAY:
                self.seconds.append(event.at - self.last)
            point = json.loads(event.points).get("x") if event.points else None
            self.best = np.array(point) if point is not None else self.best
        elif event.kind == "undo":
            for some in kept.values():
                some.pop(event.question, None)
            self.ended = False
        elif event.kind == "finish":
            self.ended = True
        elif event.kind == "more":
            self.ended, self.extra = False, self.extra + event.value
        self.last = event.at

    def row(self, study: Study, control: Control, now: float) -> dict[str, Any]:
        """The rater as plain data."""
        clear = [e for e in self.answers.values() if e.value]
        left = sum((e.value > 0) != e.flipped for e in clear)
        twice = [
            (self.answers[q].value, e.value)
            for e in self.repeats.values()
            if (q := repeated_question(e)) in self.answers and e.value
        ]
        count = len(self.answers)
        done = self.ended or (study.raters.mode == "own" and count >= study.budget + self.extra)
        return {
            "id": self.rater.id,
            "name": control.names.get(self.rater.id, self.rater.name),
            "participant": control.participant_of(self.rater.id) if control.participants else "",
            "answers": count,
            "ties": sum(e.value == 0 and not e.skipped for e in self.answers.values()),
            "skipped": sum(e.skipped for e in self.answers.values()),
            "seconds": round(median(self.seconds), 1) if self.seconds else None,
            "same": [sum(a == b for a, b in twice), len(twice)],
            "left": round(left / len(clear), 2) if clear and study.choose == 2 else None,
            "attention": [sum(e.value > 0 for e in self.attention.values()), len(self.attention)],
            "checks": [sum(e.value > 0 for e in self.checks.values()), len(self.checks)],
            "last": self.last,
            "state": "finished" if done else self._state(now),
            "excluded": self.rater.id in control.excluded,
            "best": None if self.best is None else study.space.values(self.best),
        }

    def _state(self, now: float) -> str:
        return "answering" if now - self.last < ACTIVE else "away" if self.answers else "invited"


class Overview:
    """All raters of a study."""

    def __init__(self, study: Study, store: Store, control: Control) -> None:
        self.study, self.store, self.control = study, store, control
        self.tallies: dict[int, Tally] = {}
        self.version = 0
        self._last, self._seen = 0, set[int]()
        self._last_act = control.last  # anybody's request may have read it since
        self._lock = PatientLock()
        self._pooled: tuple[int, float, float, dict[str, Any] | None] = (-1, 0.0, 0.0, None)

    def refresh(self) -> int:
        """Read what is new; returns a number that changes whenever something has changed."""
        with self._lock:
            act = self.control.refresh().last
            events = [e for e in self.store.all_events(max(0, self._last - OVERLAP)) if e.id not in self._seen]
            if events:
                self._know_raters({event.rater for event in events})
            for event in events:
                self._seen.add(event.id)
                self._last = max(self._last, event.id)
                if event.rater in self.tallies:
                    self.tallies[event.rater].apply(event)
            self._seen = {number for number in self._seen if number > self._last - OVERLAP}
            if events or act != self._last_act:
                self.version += 1
                self._last_act = act
            return self.version

    def _know_raters(self, wanted: set[int]) -> None:
        if wanted - self.tallies.keys():
            for rater in self.store.raters():
                self.tallies.setdefault(rater.id, Tally(rater))

    def page(self, number: int, size: int = 50) -> dict[str, Any]:
        """Page `number` (from 1) of the raters, and the sums over all of them."""
        self.refresh()
        with self._lock:
            for rater in self.store.raters():
                self.tallies.setdefault(rater.id, Tally(rater))
            now = time.time()
            everybody = list(self.tallies.values())
            pages = max(1, -(-len(everybody) // size))
            number = min(max(1, number), pages)
            chosen = everybody[(number - 1) * size : number * size]
            return {
                "rows": [tally.row(self.study, self.control, now) for tally in chosen],
                "page": number,
                "pages": pages,
                "people": len(everybody),
                "answers": sum(len(tally.answers) for tally in everybody),
                "active": sum(now - tally.last < ACTIVE for tally in everybody),
                "progress": self._progress(everybody),
                "pooled": self._together(everybody),
                "version": self.version,
            }

    def _progress(self, everybody: list[Tally]) -> list[tuple[float, int]]:
        """Times and how many answers there were then, at most a hundred of them."""
        times = np.sort([event.at for tally in everybody for event in tally.answers.values()])
        if not len(times):
            return []
        some = np.unique(np.linspace(0, len(times) - 1, 100).astype(int))
        return [(float(times[i]), int(i) + 1) for i in some]

    def _together(self, everybody: list[Tally]) -> dict[str, Any] | None:
        """The settings that suit all raters best, and how far each agrees with all; not worked out anew at once."""
        version, at, cost, known = self._pooled
        if version == self.version or time.time() - at < FIT_AGAIN_AFTER * cost:
            return known
        begin = time.perf_counter()
        kept = [t for t in everybody if t.rater.id not in self.control.excluded and t.answers]
        result = together(self.study, [answered_pairs(t.answers.values(), self.study.space) for t in kept])
        self._pooled = (self.version, time.time(), time.perf_counter() - begin, result)
        return result


def together(study: Study, people: list[Pairs]) -> dict[str, Any] | None:
    """One answer for all: what a model of everybody's answers, each person with the same weight, likes best.

    `agree` is the share of clear answers that this model predicts, over all people; 50 % is chance.
    """
    people = [pairs for pairs in people if pairs.clear]
    if not people:
        return None
    d = np.vstack([p.differences for p in people])
    answers = np.concatenate([p.answers for p in people])
    mean = np.mean([len(p.answers) for p in people])
    weights = np.concatenate([np.full(len(p.answers), mean / len(p.answers)) for p in people])
    model = bradley_terry_of(d, answers, weights)
    clear = answers != 0
    right = np.sign(d[clear] @ model) == answers[clear]
    best = study.space.snap(favourite(model, len(study.space), people[0].features))
    agree = float(right.mean())
    return {"best": study.space.values(best), "agree": agree, "people": len(people), "answers": len(answers)}
