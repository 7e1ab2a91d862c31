"""A real server process for tests: started, killed, started again on the same port and database."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

STUDY = """
title = "Small study"
question = "Which is nicer?"
method = "{method}"
budget = {budget}
checks = 2
repeats = 0.0

[options]
{options}

[view]
{view}

[[parameters]]
name = "size"
low = 8
high = 40
scale = "log"
start = 10

[[parameters]]
name = "warmth"
low = 0
high = 1
"""

PAGE = "<!doctype html><title>x</title><p style='font-size:{{ size }}px'>{{ size }} and {{ warmth }}</p>"


def write_study(
    folder: Path,
    budget: int = 8,
    view: str = 'template = "view.html"',
    method: str = "stp",
    options: str = "step = 0.3",
) -> Path:
    """The small study as a file with its template."""
    (folder / "view.html").write_text(PAGE)
    path = folder / "study.toml"
    path.write_text(STUDY.format(budget=budget, view=view, method=method, options=options))
    return path


class Server:
    """`steelyard ARGUMENTS` in a process of its own; `answer` and `organiser` are the links it prints."""

    def __init__(self, *arguments: str, port: int | None = None) -> None:
        self.arguments = arguments
        self.port = port or free_port()
        self.start()

    def start(self, patience: float = 0.0) -> None:
        """Start it, again for some seconds while the workers of one that was killed hold the port."""
        until = time.monotonic() + patience
        while True:
            try:
                self._begin()
                return
            except RuntimeError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)

    def _begin(self) -> None:
        command = [sys.executable, "-u", "-m", "steelyard", *self.arguments, "--no-browser", "--port", str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            self._wait()
        except BaseException:
            self.stop()
            raise

    def _wait(self) -> None:
        """Until it has printed its links and answers."""
        links: dict[str, str] = {}
        assert self.process.stdout is not None
        while "Organiser" not in links:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(f"the server ended with code {self.process.wait()}")
            if found := re.match(r"(\w+):\s+(http\S+)", line):
                links[found[1]] = found[2]
        self.answer, self.organiser = links["Answer"], links["Organiser"]
        self.token = self.answer.rsplit("/", 1)[1]
        self.base = f"http://127.0.0.1:{self.port}"
        wait_until_up(self.base)

    @property
    def workers(self) -> list[int]:
        """The processes that serve."""
        arguments = [*self.arguments, "--workers", "1"]
        if arguments[arguments.index("--workers") + 1] == "1":
            return [self.process.pid]
        return [pid for helper in children(self.process.pid) for pid in children(helper)]

    @property
    def thinkers(self) -> list[int]:
        """The processes that think."""
        return [pid for server in self.workers for helper in children(server) for pid in children(helper)]

    def kill(self) -> None:
        """As the power cut does it."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def stop(self) -> None:
        if self.process.poll() is None:
            self.kill()


def children(pid: int) -> list[int]:
    """The processes that a process has started (Linux)."""
    found: list[int] = []
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found.extend(map(int, thread.read_text().split()))
    return found


def wait_until_up(base: str, seconds: float = 120.0) -> None:
    until = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(f"{base}/healthz", timeout=5):
                return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


os.environ.setdefault("NO_PROXY", "127.0.0.1")
