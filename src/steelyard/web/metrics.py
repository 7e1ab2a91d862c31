"""What to watch: counters and latencies in the text format of Prometheus.

Each worker counts in a row of its own, which outlives it if it is started again; the worker asked adds up all rows.
"""

import threading
import time
from collections.abc import MutableMapping
from typing import Any

import numpy as np

from steelyard.studies.open_study import OpenStudy
from steelyard.studies.thinking import ThinkingPool
from steelyard.typing import Array
from steelyard.web.security import App, Receive, Scope, Send

BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
"""Upper ends of the latencies that are counted apart, in seconds."""
REQUEST_KINDS = ("answer", "page", "view", "static", "other")
CODES = ("2xx", "3xx", "4xx", "5xx")
GAUGES = {
    "steelyard_thinking_queue": "Thoughts that somebody waits for and nobody has begun.",
    "steelyard_live_runs": "Runs in memory, added up over the workers.",
}
COUNTERS = {
    "steelyard_thoughts_total": "Thoughts that were thought.",
    "steelyard_thinking_seconds_total": "Seconds that they took.",
    "steelyard_thought_failures_total": "Thoughts that failed.",
    "steelyard_thinker_restarts_total": "Processes for thinking that were started again.",
    "steelyard_thoughts_dropped_total": "Thoughts ahead of time that were dropped because there were too many.",
}
_NAMES = [
    *(
        f"seconds_{kind}_{i}" for kind in REQUEST_KINDS for i in range(len(BUCKETS) + 2)
    ),  # the last two: all of them, their sum
    *(f"code_{code}" for code in CODES),
    *COUNTERS,
    *GAUGES,
]
_COLUMN = {name: i for i, name in enumerate(_NAMES)}
COLUMNS = len(_NAMES)


class Metrics:
    """The counters of one worker, in row `row` of a table with one row for each."""

    def __init__(self, table: Array | None = None, row: int = 0) -> None:
        self.table = np.zeros((1, COLUMNS)) if table is None else table
        self._own = self.table[row]
        self._before = self._own.copy()  # of a worker whose place this one has taken
        self._lock = threading.Lock()

    def observe(self, kind: str, seconds: float, status: int) -> None:
        """A request of this kind was answered."""
        first = _COLUMN[f"seconds_{kind}_0"]
        with self._lock:
            for i, most in enumerate(BUCKETS):
                if seconds <= most:
                    self._own[first + i] += 1
            self._own[first + len(BUCKETS)] += 1
            self._own[first + len(BUCKETS) + 1] += seconds
            self._own[_COLUMN[f"code_{min(max(status // 100, 2), 5)}xx"]] += 1

    def note(self, opened: OpenStudy) -> None:
        """Write down what is counted elsewhere in this process."""
        self._own[_COLUMN["steelyard_live_runs"]] = len(opened.runs)
        thinker = opened.runs.thinker
        if isinstance(thinker, ThinkingPool):
            done = thinker.counts
            counts = (done.thoughts, done.seconds, done.failures, done.restarts, done.dropped)
            for name, value in zip(COUNTERS, counts, strict=True):
                self._own[_COLUMN[name]] = self._before[_COLUMN[name]] + value
            self._own[_COLUMN["steelyard_thinking_queue"]] = thinker.waiting

    def text(self, events: dict[str, int], raters: int) -> str:
        """All workers' counters, and how much is in the store."""
        total = dict(zip(_NAMES, self.table.sum(axis=0).tolist(), strict=True))
        lines: list[str] = []
        _head(lines, "steelyard_events", "gauge", "Events in the log, by kind; answers are of the kind answer.")
        lines += [f'steelyard_events{{kind="{kind}"}} {count}' for kind, count in sorted(events.items())]
        _head(lines, "steelyard_raters", "gauge", "People with a link.")
        lines.append(f"steelyard_raters {raters}")
        _head(lines, "steelyard_request_seconds", "histogram", "From a request to its answer.")
        for kind in REQUEST_KINDS:
            for i, most in enumerate((*BUCKETS, "+Inf")):
                lines.append(
                    f'steelyard_request_seconds_bucket{{kind="{kind}",le="{most}"}} {total[f"seconds_{kind}_{i}"]:.0f}'
                )
            last = len(BUCKETS)
            lines.append(f'steelyard_request_seconds_sum{{kind="{kind}"}} {total[f"seconds_{kind}_{last + 1}"]:.6f}')
            lines.append(f'steelyard_request_seconds_count{{kind="{kind}"}} {total[f"seconds_{kind}_{last}"]:.0f}')
        _head(lines, "steelyard_responses_total", "counter", "Answers to requests, by the class of their code.")
        lines += [f'steelyard_responses_total{{code="{code}"}} {total[f"code_{code}"]:.0f}' for code in CODES]
        for names, kind in ((COUNTERS, "counter"), (GAUGES, "gauge")):
            for name, about in names.items():
                _head(lines, name, kind, about)
                lines.append(f"{name} {total[name]:.6g}")
        return "\n".join(lines) + "\n"


def _head(lines: list[str], name: str, kind: str, about: str) -> None:
    lines += [f"# HELP {name} {about}", f"# TYPE {name} {kind}"]


class Measured:
    """Wraps the application: counts what comes and how long it takes."""

    def __init__(self, app: App, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begin, status = time.perf_counter(), 500

        async def send_on(message: MutableMapping[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, send_on)
        finally:
            self.metrics.observe(kind_of(scope["method"], scope["path"]), time.perf_counter() - begin, status)


def kind_of(method: str, path: str) -> str:
    """What sort of request this is: what somebody waits for is counted apart from the rest."""
    first = path.split("/")[1] if path.startswith("/") else ""
    if first in ("static", "view"):
        return first
    if method == "POST" and path.rpartition("/")[2] in ("answer", "check", "undo", "skip"):
        return "answer"
    return "page" if first in ("s", "api") else "other"
