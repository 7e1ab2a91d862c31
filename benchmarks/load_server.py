"""Many people at once: how long from an answer to the next question?

    python benchmarks/load_server.py --raters 100 --method preference-gp --pause 6
    python benchmarks/load_server.py --raters 1000 --method stp --pause 6 --workers 2
    python benchmarks/load_server.py --raters 20 --method preference-gp --pause 6 --shared

Each rater looks for a random time (exponential, `--pause` seconds on average), answers through the HTTP interface and
gets the next question back; the time between is what is measured. In a `--shared` run who finds no question asks again
every second, and that wait is measured as well. This is one process, on the same processors as the server; how late it
is itself, because others have the processors, is measured too: such a delay counts as the server's. Links are made and
first questions asked before the time begins, and what is looked at when it is over is not answered: all the time as
many people answer as were wanted.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from study_rows import keep
from wire import Lag, Wire

from steelyard.studies.study import load_study
from steelyard.web.server import open_file
from web.postgres_server import PostgresServer
from web.serving import Server, children, write_study

AT_FIRST = 16
"""How many people ask for their first question at the same moment."""


@dataclass
class Person:
    """Somebody who answers."""

    wire: Wire
    state: dict[str, Any] = field(default_factory=dict)
    times: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    async def answer(self, seed: int, until: float, pause: float) -> None:
        rng = random.Random(seed)
        await asyncio.sleep(rng.uniform(0.0, pause))
        while time.monotonic() < until:
            begin = time.perf_counter()
            while self.state["status"] == "waiting" and time.monotonic() < until:
                await asyncio.sleep(1.0)
                self.state = await self.wire.call("GET", "/question")
            if self.state["status"] != "asking":
                return
            self.waits.append(time.perf_counter() - begin)
            look = rng.expovariate(1.0 / pause) if pause else 0.0
            await asyncio.sleep(min(look, max(0.0, until - time.monotonic())))
            if time.monotonic() >= until:
                return
            body = {"question": self.state["question"]["id"], "choice": rng.choice(["left", "right", "tie"])}
            begin = time.perf_counter()
            try:
                self.state = await self.wire.call("POST", "/answer", body)
            except RuntimeError:  # in a shared run somebody else was faster
                self.state = await self.wire.call("GET", "/question")
            self.times.append(time.perf_counter() - begin)


def tree(pid: int) -> list[int]:
    """A process and all that it has started, and those."""
    return [pid, *(one for child in children(pid) for one in tree(child))]


def cpu_seconds(pids: list[int]) -> float:
    """What processes have used of the processors so far (Linux)."""
    total = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += sum(int(fields[i]) for i in (11, 12))
    return total / os.sysconf("SC_CLK_TCK")


def memory(pids: list[int]) -> float:
    """The memory of processes in MB; what several share counts once."""
    lines = [line for pid in pids for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()]
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


@dataclass
class Measured:
    """The people after their answers, the processor seconds an answer cost, the memory a run takes in kB, and how late
    the people were themselves."""

    people: list[Person]
    cpu: float
    kilobytes: float
    lag: list[float]


def links(study: Path, data: str, raters: int) -> list[str]:
    """A token for each rater of a study."""
    opened = open_file(load_study(study), data, ahead=False)
    tokens = [opened.add_rater(f"rater {number}")[1] for number in range(raters)]
    opened.close()
    return tokens


async def crowd(server: Server, tokens: list[str], seconds: float, pause: float) -> Measured:
    before = memory(tree(server.process.pid))
    people = [Person(Wire(server.port, token)) for token in tokens]
    few = asyncio.Semaphore(AT_FIRST)

    async def begin(person: Person) -> None:
        async with few:
            person.state = await person.wire.call("GET", "/question")

    await asyncio.gather(*map(begin, people))
    pids = tree(server.process.pid)
    until, used = time.monotonic() + seconds, cpu_seconds(pids)
    lag = Lag()
    watching = asyncio.create_task(lag.watch())
    await asyncio.gather(*(person.answer(i, until, pause) for i, person in enumerate(people)))
    watching.cancel()
    answers = sum(len(person.times) for person in people)
    cost = (cpu_seconds(pids) - used) / max(1, answers)
    return Measured(people, cost, 1024 * (memory(tree(server.process.pid)) - before) / len(tokens), lag.times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raters", type=int, default=100)
    parser.add_argument("--method", default="stp")
    parser.add_argument("--pause", type=float, default=6.0)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--shared", action="store_true")
    parser.add_argument("--out", type=Path, help="keep what was measured in this file")
    given = parser.parse_args()
    postgres = PostgresServer(sync=True) if given.store == "postgres" else None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = write_study(Path(folder), budget=10**6, method=given.method, options="")
        if given.shared:
            path.write_text(path.read_text() + '\n[raters]\nmode = "shared"\n')
        data = f"{postgres.url}#load" if postgres else str(path.with_suffix(".db"))
        tokens = links(path, data, given.raters)
        server = Server("serve", str(path), "--workers", str(given.workers), "--data", data)
        try:
            found = asyncio.run(crowd(server, tokens, given.seconds, given.pause))
        finally:
            server.stop()
            if postgres is not None:
                postgres.stop()
    times = [t for person in found.people for t in person.times]
    quantiles = dict(
        zip(("median", "p95", "p99", "worst"), np.quantile(times, [0.5, 0.95, 0.99, 1.0]).tolist(), strict=True)
    )
    settings = {name: value for name, value in vars(given).items() if name not in ("out", "pause")}
    late = float(np.quantile(found.lag, 0.99))
    cost = {"cpu": found.cpu, "kilobytes": found.kilobytes}
    keep(given.out, "load", settings, {"answers": len(times), **quantiles, **cost, "late": late})
    half, p95, p99, worst = (1e3 * value for value in quantiles.values())
    print(
        f"{given.method}, {given.store}, {given.workers} workers: {given.raters} raters, {len(times)} answers in "
        f"{given.seconds:g} s: median {half:.0f} ms, 95% {p95:.0f} ms, 99% {p99:.0f} ms, worst {worst:.0f} ms; "
        f"{1e3 * found.cpu:.1f} ms of processor time per answer; {found.kilobytes:.0f} kB per run; "
        f"the people themselves up to {1e3 * late:.0f} ms late (99%); "
        f"load average of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
    if given.shared:
        waits = [w for person in found.people for w in person.waits]
        print(f"shared: without a question for {np.quantile(waits, 0.99):.1f} s (99%), {max(waits):.1f} s at most")


if __name__ == "__main__":
    main()
