"""Many people at once: how long from an answer to the next question?

    python benchmarks/load_server.py --raters 100 --method stp --pause 3
    python benchmarks/load_server.py --raters 100 --method preference-gp --pause 6

Each rater looks for a random time (exponential, `--pause` seconds on average), answers through the HTTP API and gets
the next question back; the time between is what is measured. All raters have runs of their own. The server is one
process, and so is this.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import tempfile
import time
from pathlib import Path

import httpx
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from web.serving import Server, write_study


async def arrive(http: httpx.AsyncClient, organiser: str, number: int) -> tuple[dict[str, str], str]:
    """A new rater: their header, and the first question."""
    made = await http.post("/runs", json={"name": f"rater {number}"}, headers=_bearer(organiser))
    own = _bearer(made.json()["token"])
    return own, (await http.get("/question", headers=own)).json()["question"]["id"]


async def answer(
    http: httpx.AsyncClient, own: dict[str, str], question: str, seed: int, until: float, pause: float
) -> list[float]:
    """Answer until the time is over; the seconds from each answer to the next question."""
    rng = random.Random(seed)
    times: list[float] = []
    await asyncio.sleep(rng.uniform(0.0, pause))
    while time.monotonic() < until:
        body = {"question": question, "choice": rng.choice(["left", "right", "tie"])}
        begin = time.perf_counter()
        response = await http.post("/answer", json=body, headers=own)
        times.append(time.perf_counter() - begin)
        response.raise_for_status()
        question = response.json()["question"]["id"]
        await asyncio.sleep(rng.expovariate(1.0 / pause) if pause else 0.0)
    return times


def _bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def cpu_seconds(process: int) -> float:
    """What a process has used of the processors so far (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def crowd(server: Server, raters: int, seconds: float, pause: float) -> tuple[list[float], float]:
    """The seconds from each answer to the next question, and the processor seconds an answer cost the server."""
    organiser = server.organiser.rsplit("/", 1)[1]
    limits = httpx.Limits(max_connections=raters, max_keepalive_connections=raters)
    async with httpx.AsyncClient(base_url=f"{server.base}/api/v1", timeout=60.0, limits=limits) as http:
        people = [await arrive(http, organiser, i) for i in range(raters)]
        until, used = time.monotonic() + seconds, cpu_seconds(server.process.pid)
        parts = await asyncio.gather(*(answer(http, *p, i, until, pause) for i, p in enumerate(people)))
    times = [t for part in parts for t in part]
    return times, (cpu_seconds(server.process.pid) - used) / len(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raters", type=int, default=100)
    parser.add_argument("--method", default="stp")
    parser.add_argument("--pause", type=float, default=3.0)
    parser.add_argument("--seconds", type=float, default=60.0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = write_study(Path(folder), budget=10**6, method=arguments.method, options="")
        server = Server("serve", str(path))
        try:
            times, cpu = asyncio.run(crowd(server, arguments.raters, arguments.seconds, arguments.pause))
        finally:
            server.stop()
    half, p95, p99, worst = 1e3 * np.quantile(times, [0.5, 0.95, 0.99, 1.0])
    print(
        f"{arguments.method}: {arguments.raters} raters, {len(times)} answers in {arguments.seconds:g} s: median "
        f"{half:.1f} ms, 95% {p95:.1f} ms, 99% {p99:.1f} ms, worst {worst:.1f} ms; {1e3 * cpu:.1f} ms of processor "
        f"time an answer; load average of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )


if __name__ == "__main__":
    main()
