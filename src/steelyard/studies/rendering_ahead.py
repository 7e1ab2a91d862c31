"""What may be shown next is rendered while people look at what is shown now."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np

from steelyard.studies.decided import Decision
from steelyard.studies.positions import Live
from steelyard.studies.study import Study
from steelyard.studies.views import Renderer
from steelyard.typing import Array

MOST_RENDERED_AHEAD = 32
"""How many runs may wait for it at most."""


class RenderingAhead:
    """Renders the open questions of a run; and, if its method is `replayed`, the next one after either answer."""

    def __init__(self, study: Study, renderer: Renderer, replayed: bool) -> None:
        self.study, self.renderer, self.replayed = study, renderer, replayed
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="ahead")
        self._waiting = 0

    def begin(self, live: Live) -> None:
        """Do it when there is time; those who read or change the run meanwhile need not wait."""
        if self._waiting < MOST_RENDERED_AHEAD:
            self._waiting += 1
            self._thread.submit(self._render, live, live.state.last)

    def prepare(self, points: Array) -> None:
        """Begin to render what these points stand for."""
        for point in points:
            self.renderer.prepare(self.study.space.values(point))

    def close(self) -> None:
        self._thread.shutdown(wait=True, cancel_futures=True)

    def _render(self, live: Live, last: int) -> None:
        self._waiting -= 1
        with live.lock:
            state = live.state
            if state.last != last or state.position is None:
                return
            position, rows, decisions = state.position, state.undecided, list(state.decisions)
        with suppress(Exception):  # a guess that fails costs nothing: the answer itself will meet the error and show it
            for row in rows:
                self.prepare(position.points(row))
            if len(rows) == 1 and self.replayed and self.study.raters.mode == "own":
                self._branch(live, decisions, position.places[rows[0]][1], last)

    def _branch(self, live: Live, decisions: list[Decision], row: int, last: int) -> None:
        for value in (1, -1):
            if live.state.last == last:  # not answered in the meantime
                found = live.replay.after(decisions, row, value)
                if len(found.a):
                    self.prepare(np.stack([found.a[0], found.b[0]]))
