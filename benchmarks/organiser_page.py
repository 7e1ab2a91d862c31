"""The organiser's page with many raters: how much processor time does one view take, and does it stay live?

python benchmarks/organiser_page.py --raters 1000 --answers 30
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from starlette.testclient import TestClient

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from steelyard.studies.database import Execute
from steelyard.studies.events import Event
from steelyard.studies.study import load_study
from steelyard.web.app import make_app
from steelyard.web.server import open_file
from web.serving import write_study


def fill(raters: int, answers: int, execute: Execute) -> None:
    """A log of people who all like the same, some more noisily than others."""
    rng = np.random.default_rng(0)
    for number in range(1, raters + 1):
        execute("insert into runs (seed, created) values (?, 0)", number)
        execute("insert into raters (name, run, created) values (?, ?, 0)", f"rater {number}", number)
        begin = 1e9 + 10.0 * number
        for i in range(answers):
            a, b = rng.random(2), rng.random(2)
            better = np.abs(b - 0.6).sum() - np.abs(a - 0.6).sum() + rng.normal(0.0, 0.2)
            points = json.dumps({"a": a.tolist(), "b": b.tolist(), "x": [0.6, 0.6]})
            execute(
                "insert into events (run, rater, kind, question, value, flipped, skipped, points, at) "
                "values (?, ?, 'answer', ?, ?, ?, 0, ?, ?)",
                *(number, number, f"{i}-0-0-00000000", 1 if better > 0 else -1, int(rng.integers(2)), points),
                begin + 4.0 * i,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--raters", type=int, default=1000)
    parser.add_argument("--answers", type=int, default=30)
    parser.add_argument("--views", type=int, default=20)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = write_study(Path(folder), budget=arguments.answers)
        opened = open_file(load_study(path), path.with_suffix(".db"), ahead=False)
        opened.store.database.write(lambda execute: fill(arguments.raters, arguments.answers, execute))
        web = TestClient(make_app(opened, None), base_url="http://testserver")
        link = f"/o/{opened.store.add_token('organiser')}"
        begin = time.process_time()
        web.get(link).raise_for_status()
        first = time.process_time() - begin
        times = []
        for number in range(arguments.views):
            rater = 1 + number % arguments.raters
            points = json.dumps({"a": [0.1, 0.2], "b": [0.3, 0.4], "x": [0.5, 0.5]})
            opened.store.append(Event(rater, rater, "answer", f"{10**6 + number}-0-0-00000000", 1, points=points))
            begin = time.process_time()
            web.get(f"{link}?page={1 + number % 20}").raise_for_status()
            times.append(time.process_time() - begin)
        opened.close()
    print(
        f"{arguments.raters} raters, {arguments.raters * arguments.answers} answers: the first view after a start "
        f"{first:.2f} s of processor time (the log is read once), then, with a new answer before each view, median "
        f"{np.median(times):.3f} s, worst {max(times):.3f} s"
    )


if __name__ == "__main__":
    main()
