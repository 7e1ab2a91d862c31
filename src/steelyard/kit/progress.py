"""A line that says how a run is going: drawn by rich if it is installed, else printed now and then."""

import sys
import time
from collections.abc import Callable
from typing import Any, TextIO

LINE_EVERY = 2.0
"""Seconds between two lines where a line cannot be drawn over."""


class Progress:
    """Shows the state of a run; `state()` gives what there is to say, in order."""

    def __init__(self, budget: int, out: TextIO | None = None) -> None:
        self.budget = budget
        self._out = out or sys.stderr
        self._last = -LINE_EVERY
        self._live: Any = None
        if out is None and self._out.isatty():
            try:
                from rich.live import Live

                self._live = Live(refresh_per_second=8, transient=False)
                self._live.start()
            except ImportError:
                self._live = None

    def show(self, state: Callable[[], dict[str, str]], last: bool = False) -> None:
        """Say how the run is going, unless that was said just now."""
        now = time.monotonic()
        if not last and now - self._last < (LINE_EVERY if self._live is None else 0.1):
            return
        self._last = now
        line = " · ".join(f"{name} {value}" if name else value for name, value in state().items())
        if self._live is not None:
            self._live.update(line)
        else:
            print(line, file=self._out, flush=True)

    def close(self) -> None:
        """End the drawing."""
        if self._live is not None:
            self._live.stop()
