"""A worker process: `python -m steelyard.bench.worker` reads cells from standard input and writes their records."""

import os
import signal
import sys
import threading
import time

from steelyard.bench.executors import attempt, receive, send


def main() -> None:
    """Serve until the input ends. What a method prints must not get into the answers, so it goes to standard error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the driver's, which ends us
    threading.Thread(target=_die_with, args=(os.getppid(),), daemon=True).start()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    while (cell := receive(sys.stdin.buffer)) is not None:
        send(answers, attempt(cell))


def _die_with(driver: int) -> None:
    """End in the middle of a cell if the driver is gone: nobody is left to take the records."""
    while os.getppid() == driver:
        time.sleep(1.0)
    os._exit(1)


if __name__ == "__main__":
    main()
