"""A server started again: how long until the first pages, and do others wait?

    python benchmarks/restart_server.py --runs 100 --answers 9
    python benchmarks/restart_server.py --runs 1 --answers 300
    python benchmarks/restart_server.py --runs 100 --answers 9 --forget

All runs are answered, the server is killed and started again, and everybody reloads their page at once, while somebody
fetches a style sheet again and again. With `--forget` the kept thoughts are lost as well, so that the method must find
its belief again from the answers alone.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from study_rows import keep

from steelyard.studies.open_study import OpenStudy
from steelyard.studies.study import load_study
from steelyard.web.server import open_file
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


def watch_style(base: str, pipe: Connection) -> None:
    """Fetch the style sheet until told to stop, then say how long it took each time."""
    times = []
    pipe.send("ready")
    while not pipe.poll(0.02):
        times.append(seconds_for(f"{base}/static/style.css"))
    pipe.send(times)


def seconds_for(url: str) -> float:
    begin = time.perf_counter()
    with urllib.request.urlopen(url, timeout=300) as response:
        response.read()
    return time.perf_counter() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--answers", type=int, default=9)
    parser.add_argument("--method", default="preference-gp")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--forget", action="store_true")
    parser.add_argument("--out", type=Path, help="keep what was measured in this file")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = write_study(Path(folder), budget=10**6, method=given.method, options="")
        data = path.with_suffix(".db")
        opened = open_file(load_study(path), data, ahead=False)
        tokens = answer_all(opened, given.runs, given.answers)
        if given.forget:
            opened.store.database.write(lambda execute: execute("delete from thoughts"))
        opened.close()
        begin = time.perf_counter()
        server = Server("serve", str(path), "--workers", str(given.workers))
        up = time.perf_counter() - begin
        ours, theirs = get_context("spawn").Pipe()  # in a process of its own: a hundred threads here get in its way
        watcher = get_context("spawn").Process(target=watch_style, args=(server.base, theirs))
        watcher.start()
        ours.recv()
        begin = time.perf_counter()
        with ThreadPoolExecutor(given.runs) as pool:
            pages = list(pool.map(lambda token: seconds_for(f"{server.base}/s/{token}"), tokens))
        took = time.perf_counter() - begin
        ours.send("stop")
        style = ours.recv()
        watcher.join()
        server.stop()
    settings = {name: value for name, value in vars(given).items() if name != "out"}
    first = {"median": float(np.median(pages)), "worst": max(pages), "up": up}
    sheet = {
        "style_median": float(np.median(style)),
        "style_worst": max(style),
        "style_p99": float(np.quantile(style, 0.99)),
    }
    keep(given.out, "restart", settings, {**first, **sheet})
    print(
        f"{given.method}: {given.runs} runs of {given.answers} answers{', thoughts lost' if given.forget else ''}: up "
        f"after {up:.1f} s; first pages, all asked for at once: median {np.median(pages):.2f} s, worst "
        f"{max(pages):.2f} s ({took:.2f} s in all); style sheet meanwhile: median {1e3 * np.median(style):.0f} ms, "
        f"worst {1e3 * max(style):.0f} ms; load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )


if __name__ == "__main__":
    main()
