"""Kill the server again and again while people answer; then count what it had acknowledged and what is on disk."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any

import httpx

from steelyard.studies.store import open_store
from steelyard.studies.study import load_study
from steelyard.web.client import ApiError, Client
from steelyard.web.server import open_file

from .postgres_server import PostgresServer
from .serving import Server, write_study

ABOUT_PEOPLE = """
[consent]
text = "We keep your answers."

[[before]]
name = "age"
label = "Your age"
type = "number"

[[attention]]
good = { size = 20, warmth = 0.5 }
bad = { size = 8, warmth = 0.0 }
"""
CHOSEN = ("answer", "repeat", "attention", "check")
"""The kinds of events that hold a choice."""
BUDGET = 20
"""Answers until somebody has finished; they then go on."""


class Clicker(threading.Thread):
    """A person who does all that can be done as fast as the server lets them: agrees, fills in, answers, takes some
    answers back, finishes, compares the result with the start, goes on; and who clicks twice at times."""

    def __init__(self, client: Client, name: str, seed: int, stop: threading.Event) -> None:
        super().__init__(name=name, daemon=True)
        self.client, self.stop, self.rng = client, stop, random.Random(seed)
        self.acknowledged: list[tuple[str, str, str]] = []  # kind, question, choice
        self.counted: dict[str, int] = {}  # of what the server names by itself: how often it has said yes
        self.spans: list[tuple[float, float]] = []  # from each answer to the next question
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self._tell("consent", "consent", {"agree": "yes"})
            self._tell("form", "before", {"q.age": "40"})
            state = self.client.question()
            while not self.stop.is_set():
                state = self._close() if state["status"] == "finished" else self._step(state)
        except BaseException as error:
            self.error = error

    def _step(self, state: dict[str, Any]) -> dict[str, Any]:
        begin = time.monotonic()
        if self.rng.random() < 0.02:
            return self._count("finish", self.client.finish)
        if state["undo"] and self.rng.random() < 0.1:
            kind, question, choice = "undo", state["undo"], ""
            new = self.client.undo(question)
        else:
            kind, question = "answer", state["question"]["id"]
            choice = self.rng.choice(["left", "right", "tie"])
            new = self.client.answer(question, choice)
        self.spans.append((begin, time.monotonic()))
        self.acknowledged.append((_kind(question) if kind == "answer" else kind, question, choice))
        if self.rng.random() < 0.2:  # the second click, or a request that a proxy sent again
            again = self.client.undo(question) if kind == "undo" else self.client.answer(question, "left")
            if again["accepted"]:
                raise RuntimeError(f"{kind} {question} was taken twice")
        return new

    def _close(self) -> dict[str, Any]:
        """Some of the last comparisons, and then on."""
        check = self.client.check()
        while check["status"] == "asking" and self.rng.random() < 0.8:
            question, choice = check["question"]["id"], self.rng.choice(["left", "right"])
            check = self.client.answer_check(question, choice)
            self.acknowledged.append(("check", question, choice))
        return self._count("more", lambda: self.client.more(BUDGET))

    def _count(self, kind: str, ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        try:
            said = ask()
        except (httpx.TransportError, ApiError):  # taken or not: it is not sent again
            return self.client.question()
        self.counted[kind] = self.counted.get(kind, 0) + said["accepted"]
        return said

    def _tell(self, kind: str, what: str, form: dict[str, str]) -> None:
        for _ in range(2):  # sent again, as a page does that has heard nothing
            while True:
                with suppress(httpx.TransportError):
                    if httpx.post(f"{self.client.url}/s/{self.client.token}/{what}", data=form).status_code == 303:
                        break
                time.sleep(0.05)
        self.acknowledged.append((kind, what, ""))


@dataclass(frozen=True)
class Count:
    """What a torture came to; lost, duplicated and altered must all be 0."""

    kills: int
    acknowledged: int
    on_disk: int
    lost: int
    duplicated: int
    altered: int
    kinds: dict[str, int]
    """How many events of each kind are on disk."""
    waits: dict[str, tuple[float, float]]
    """For each sort of victim the median and the longest time that somebody waited whose request met a kill."""


@dataclass
class Torture:
    """What is done to whom: a server with N workers, its store, and who is killed."""

    folder: Path
    kills: int
    clickers: int = 4
    seed: int = 0
    longest: float = 0.5
    workers: int = 1
    method: str = "stp"
    postgres: PostgresServer | None = None
    victims: tuple[str, ...] = ()  # all there are, if none is named
    killed: list[tuple[str, float]] = field(default_factory=list)

    @property
    def data(self) -> str:
        return f"{self.postgres.url}#torture" if self.postgres else str(self.folder / "study.db")

    def run(self) -> Count:
        """Kill `kills` times at random moments of `clickers` people answering, then compare."""
        rng = random.Random(self.seed)
        options = "step = 0.3" if self.method == "stp" else ""
        path = write_study(self.folder, budget=BUDGET, method=self.method, options=options)
        path.write_text(path.read_text().replace("repeats = 0.0", "repeats = 0.2") + ABOUT_PEOPLE)
        server = Server("serve", str(path), "--data", self.data, "--workers", str(self.workers))
        stop = threading.Event()
        organiser = Client(server.base, server.organiser.rsplit("/", 1)[1])
        people = []
        for i in range(self.clickers):
            made = organiser.create_run(f"clicker {i}")
            own = Client(made.url, made.token, patience=3600.0, http=httpx.Client(timeout=60.0))
            people.append(Clicker(own, f"clicker {i}", self.seed + i, stop))
        for person in people:
            person.start()
        try:
            for number in range(self.kills):
                before = sum(len(person.acknowledged) for person in people)
                while sum(len(p.acknowledged) for p in people) == before and not any(p.error for p in people):
                    time.sleep(0.005)  # only a server under load is worth killing
                time.sleep(rng.uniform(0.0, self.longest))
                self._kill(server, number, rng)
            time.sleep(0.2)
            stop.set()
            for person in people:
                person.join(60.0)
        finally:
            stop.set()
            server.stop()  # no orderly shutdown at the end either
        errors = [person.error for person in people if person.error is not None]
        if errors:
            raise errors[0]
        count = compare(path, self.data, people, self.kills)
        return replace(count, waits=self._waits([span for person in people for span in person.spans]))

    def _waits(self, spans: list[tuple[float, float]]) -> dict[str, tuple[float, float]]:
        met: dict[str, list[float]] = {}
        for victim, at in self.killed:
            met.setdefault(victim, []).extend(end - begin for begin, end in spans if begin <= at <= end)
        return {victim: (round(median(times), 2), round(max(times), 2)) for victim, times in met.items() if times}

    def _kill(self, server: Server, number: int, rng: random.Random) -> None:
        """One of those there are, in turn: the whole server, a worker, a process that thinks, the database."""
        victims = ["server"]
        if self.workers > 1:
            victims.append("worker")
        if self.method != "stp":
            victims.append("thinker")
        if self.postgres is not None:
            victims.append("database")
        victims = list(self.victims) or victims
        victim = victims[number % len(victims)]
        self.killed.append((victim, time.monotonic()))
        if victim == "server":
            server.kill()
            server.start(patience=30.0)
        elif victim == "database" and self.postgres is not None:
            self.postgres.kill()
            self.postgres.start()
        else:
            while not (found := server.workers if victim == "worker" else server.thinkers):
                time.sleep(0.05)
            with suppress(ProcessLookupError):
                os.kill(rng.choice(found), signal.SIGKILL)


def compare(study: Path, data: str, people: list[Clicker], kills: int) -> Count:
    """Each acknowledged event must be in the log exactly once, as it was sent, and in the order it was sent."""
    store = open_store(data)
    lost = duplicated = altered = on_disk = 0
    kinds = store.event_counts()
    for person in people:
        rows = store.database.read(
            "select kind, question, value, flipped from events join raters on raters.id = events.rater "
            "where raters.name = ? order by events.id",
            person.name,
        )
        on_disk += len(rows)
        keys = [(kind, question) for kind, question, _, _ in rows]
        sent = [(kind, question) for kind, question, _ in person.acknowledged]
        duplicated += len(keys) - len(set(keys))
        lost += len(set(sent) - set(keys))
        lost += sum(max(0, count - sum(kind == k for k, _ in keys)) for kind, count in person.counted.items())
        chosen = [row for row in rows if row[0] in CHOSEN]
        stored = {(kind, question): _choice(value, flipped) for kind, question, value, flipped in chosen}
        altered += sum(bool(choice) and stored.get((kind, q)) != choice for kind, q, choice in person.acknowledged)
        altered += [key for key in keys if key in set(sent)] != sent  # another order would be another run
    store.close()
    _replays(study, data)
    acknowledged = sum(len(person.acknowledged) + sum(person.counted.values()) for person in people)
    return Count(kills, acknowledged, on_disk, lost, duplicated, altered, kinds, {})


def _kind(question: str) -> str:
    """The kind of the event that an answer to a question makes."""
    first = question.partition("-")[0]
    return first if first in ("repeat", "attention") else "answer"


def _choice(value: int, flipped: int) -> str:
    return {1: "left", 0: "tie", -1: "right"}[-value if flipped else value]


def _replays(study: Path, data: str) -> None:
    """Every run can be rebuilt from the log, and has as many answers as the log says."""
    opened = open_file(load_study(study), data, ahead=False)
    try:
        for rater in opened.store.raters():
            events = opened.store.events(rater.run)
            answers = [event for event in events if event.kind in ("answer", "undo")]
            expected = sum({"answer": 1, "undo": -1}[e.kind] for e in answers if _kind(e.question) == "answer")
            if len(opened.run_state(rater).decisions) != expected:
                raise RuntimeError(
                    f"run {rater.run} has {len(opened.run_state(rater).decisions)} answers, not {expected}"
                )
    finally:
        opened.close()
