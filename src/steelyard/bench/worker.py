"""A worker process: `python -m steelyard.bench.worker` reads cells from standard input and writes their records."""

from __future__ import annotations

import os
import sys

from steelyard.bench.executors import outcome, receive, send


def main() -> None:
    """Serve until the input ends. What a method prints must not get into the answers, so it goes to standard error."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    while (cell := receive(sys.stdin.buffer)) is not None:
        send(answers, outcome(cell))


if __name__ == "__main__":
    main()
