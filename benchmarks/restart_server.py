"""A server started again: how long until the first pages, and do others wait?

    python benchmarks/restart_server.py --runs 100 --answers 9
    python benchmarks/restart_server.py --runs 1 --answers 300
    python benchmarks/restart_server.py --runs 100 --answers 9 --forget

All runs are answered, the server is killed and started again, several times, and everybody reloads their page at once,
while somebody fetches a style sheet again and again. `--store postgres` keeps the study in PostgreSQL. With `--forget`
the kept thoughts are lost as well, so that the method must find its belief again from the answers alone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import socket
import sys
import tempfile
import time
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from study_rows import keep
from wire import Wire

from steelyard.studies.database import Execute
from steelyard.studies.moving import move
from steelyard.studies.open_study import OpenStudy
from steelyard.studies.store import open_store
from steelyard.studies.study import load_study
from steelyard.web.server import open_file
from web.postgres_server import PostgresServer
from web.serving import Server, write_study


def answer_all(opened: OpenStudy, runs: int, answers: int) -> list[str]:
    """Everybody prefers what is larger; returns their links' tokens."""
    tokens = []
    for number in range(runs):
        rater, token = opened.add_rater(f"rater {number}")
        tokens.append(token)
        while len(opened.run_state(rater).decisions) < answers:
            asked = opened.runs.question(rater)
            assert asked is not None
            larger = asked.left[0] > asked.right[0]
            opened.runs.answer(rater, asked.id, "left" if larger else "right")
    return tokens


def answered(folder: Path, runs: int, answers: int, method: str) -> tuple[Path, list[str]]:
    """A study that everybody has answered, and the tokens; made in this folder if it is not there."""
    path, known = folder / "study.toml", folder / f"{method}-{runs}-{answers}.json"
    if not known.exists():
        folder.mkdir(parents=True)
        write_study(folder, budget=10**6, method=method, options="")
        opened = open_file(load_study(path), path.with_suffix(".db"), ahead=False)
        known.write_text(json.dumps(answer_all(opened, runs, answers)))
        opened.close()
    return path, json.loads(known.read_text())


def in_postgres(source: Path, target: str) -> None:
    """Move the study, and the thoughts with it, which moving leaves behind."""
    move(source, target)
    old, new = open_store(source), open_store(target)
    rows = old.database.read("select run, name, decided, body, at from thoughts")

    def work(execute: Execute) -> None:
        for row in rows:
            execute("insert into thoughts values (?, ?, ?, ?, ?)", *row)

    new.database.write(work)
    old.close()
    new.close()


def watch_style(port: int, pipe: Connection) -> None:
    """Fetch the style sheet until told to stop, on a new connection each time; then say how long it took each time."""
    times: list[float] = []
    pipe.send("ready")
    while not times or not pipe.poll(0.02):
        begin = time.perf_counter()
        with socket.create_connection(("127.0.0.1", port)) as own:
            own.sendall(b"GET /static/style.css HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            data = b""
            while more := own.recv(2**16):
                data += more
        if not data.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(data[:200])
        times.append(time.perf_counter() - begin)
    pipe.send(times)


async def reload_all(port: int, tokens: list[str]) -> list[float]:
    """Everybody opens their page at once: the seconds that each waited."""

    async def open_page(token: str) -> float:
        begin = time.perf_counter()
        status, _ = await Wire(port).fetch("GET", f"/s/{token}")
        if status != 200:
            raise RuntimeError(f"a page came with code {status}")
        return time.perf_counter() - begin

    return await asyncio.gather(*map(open_page, tokens))


def restarted(path: Path, data: str, workers: int, tokens: list[str]) -> tuple[float, list[float], list[float]]:
    """Start the server and let everybody come: how long until it is up, the first pages and the style sheet took."""
    begin = time.perf_counter()
    server = Server("serve", str(path), "--workers", str(workers), "--data", data)
    up = time.perf_counter() - begin
    ours, theirs = get_context("spawn").Pipe()
    watcher = get_context("spawn").Process(target=watch_style, args=(server.port, theirs))
    watcher.start()
    ours.recv()
    pages = asyncio.run(reload_all(server.port, tokens))
    ours.send("stop")
    style = ours.recv()
    watcher.join()
    server.stop()
    return up, pages, style


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--answers", type=int, default=9)
    parser.add_argument("--restarts", type=int, default=5)
    parser.add_argument("--method", default="preference-gp")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--forget", action="store_true")
    parser.add_argument("--answered", type=Path, help="keep the answered study in this folder, and use it again")
    parser.add_argument("--out", type=Path, help="keep what was measured in this file")
    given = parser.parse_args()
    ups: list[float] = []
    pages: list[float] = []
    styles: list[float] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path, tokens = answered(given.answered or Path(folder, "answered"), given.runs, given.answers, given.method)
        path = Path(shutil.copytree(path.parent, Path(folder, "served")), path.name)
        postgres = PostgresServer(sync=True) if given.store == "postgres" else None
        data = f"{postgres.url}#restart" if postgres else str(path.with_suffix(".db"))
        if postgres is not None:
            in_postgres(path.with_suffix(".db"), data)
        for _ in range(given.restarts):
            if given.forget:
                store = open_store(data)
                store.database.write(lambda execute: execute("delete from thoughts"))
                store.close()
            up, first, style = restarted(path, data, given.workers, tokens)
            ups.append(up)
            pages += first
            styles += style
            print(f"first pages: median {np.median(first):.2f} s, worst {max(first):.2f} s; style {max(style):.3f} s")
        if postgres is not None:
            postgres.stop()
    settings = {name: value for name, value in vars(given).items() if name not in ("out", "answered")}
    first_page = {"median": float(np.median(pages)), "worst": max(pages), "up": float(np.median(ups))}
    sheet = {
        "style_median": float(np.median(styles)),
        "style_worst": max(styles),
        "style_p99": float(np.quantile(styles, 0.99)),
    }
    keep(given.out, "restart", settings, {**first_page, **sheet})
    print(
        f"{given.method}, {given.store}, {given.workers} workers: {given.runs} runs of {given.answers} answers"
        f"{', thoughts lost' if given.forget else ''}, started {given.restarts} times: up after {np.median(ups):.1f} s"
        f"; first pages, all asked for at once: median {np.median(pages):.2f} s, worst {max(pages):.2f} s; style sheet "
        f"meanwhile: median {1e3 * np.median(styles):.0f} ms, 99% {1e3 * np.quantile(styles, 0.99):.0f} ms, worst "
        f"{1e3 * max(styles):.0f} ms; load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )


if __name__ == "__main__":
    main()
