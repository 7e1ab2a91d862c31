"""Methods against simulated people: every method meets the same instances and the same answerers."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from steelyard.bench.methods import algorithm_from
from steelyard.bench.people.answerers import answerer
from steelyard.bench.people.utilities import utility
from steelyard.dialogue import Compare
from steelyard.session import Session

CHECKPOINTS = (10, 20, 40, 80)


@dataclass(frozen=True)
class Job:
    """One method, one instance, one answerer."""

    method: str
    d: int
    answers: str
    seed: int


@dataclass(frozen=True)
class Outcome:
    """Regret at each checkpoint, and the seconds of thought (of this process) before each question but the first."""

    method: str
    d: int
    answers: str
    seed: int
    kind: str
    where: str
    regret: tuple[float, ...]
    seconds: tuple[float, ...]

    @property
    def job(self) -> Job:
        return Job(self.method, self.d, self.answers, self.seed)


def run_people(
    methods: Sequence[str],
    dims: Sequence[int] = (2, 3, 5, 8),
    answers: Sequence[str] = ("85",),
    seeds: Sequence[int] = range(120),
    *,
    checkpoints: Sequence[int] = CHECKPOINTS,
    jobs: int = 1,
    out: Path | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Outcome]:
    """All combinations, in `jobs` processes. Outcomes are appended to the file `out` as they come, one JSON a line;
    those already there are not run again."""
    wanted = [Job(m, d, a, s) for s in seeds for d in dims for a in answers for m in methods]
    known = {outcome.job: outcome for outcome in read(out)} if out is not None and out.exists() else {}
    missing = [job for job in wanted if job not in known]
    for outcome in _run_all(missing, tuple(checkpoints), jobs):
        known[outcome.job] = outcome
        if out is not None:
            with out.open("a") as file:
                file.write(json.dumps(asdict(outcome)) + "\n")
        progress(len(known), len(wanted))
    return [known[job] for job in wanted]


def run_one(job: Job, checkpoints: tuple[int, ...] = CHECKPOINTS) -> Outcome:
    """The method starts in the middle of the box, as a study does unless told otherwise."""
    person = utility(job.seed, job.d)
    oracle = answerer(job.answers, person, seed=0)
    session = Session(
        algorithm_from(job.method), np.full(job.d, 0.5), rng=job.seed, bounds=[(0.0, 1.0)] * job.d, log=False
    )
    regret: list[float] = []
    seconds: list[float] = []
    while len(regret) < len(checkpoints):
        question = session.question
        asked = len(question) if isinstance(question, Compare) else 0
        # A batch that would pass a checkpoint leaves the recommendation there as it was.
        while len(regret) < len(checkpoints) and (not asked or session.queries + asked > checkpoints[len(regret)]):
            regret.append(float(person.f(session.x[None])[0]))
        if not isinstance(question, Compare) or len(regret) == len(checkpoints):
            continue
        answered = oracle.compare(question.a, question.b)
        began = time.process_time()
        session.tell(answered)
        seconds.append(round(time.process_time() - began, 6))
    return Outcome(**asdict(job), kind=person.kind, where=person.where, regret=tuple(regret), seconds=tuple(seconds))


def read(path: Path) -> Iterator[Outcome]:
    """The outcomes of an earlier run."""
    for line in path.read_text().splitlines():
        data = json.loads(line)
        yield Outcome(**{**data, "regret": tuple(data["regret"]), "seconds": tuple(data["seconds"])})


def _run_all(wanted: Sequence[Job], checkpoints: tuple[int, ...], jobs: int) -> Iterable[Outcome]:
    if jobs == 1:
        yield from (run_one(job, checkpoints) for job in wanted)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(run_one, wanted, [checkpoints] * len(wanted))
