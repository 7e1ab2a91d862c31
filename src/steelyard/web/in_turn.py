"""Who is served when: what raters ask for is done in threads, a few at a time (see `steelyard.studies.turns`).

The organiser's pages take no turn: they may compute for long, and must not keep raters waiting. Nor do style sheets.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from steelyard.studies.turns import Turns
from steelyard.web.security import App, Receive, Scope, Send

P = ParamSpec("P")
T = TypeVar("T")

_turns = Turns()


async def in_turn(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call `work` in a thread when there is a turn."""
    return await asyncio.wrap_future(_turns.call(work, *args, **kwargs))


class OneByOne:
    """Wraps the application: one request begins in each round of the event loop, and static files begin at once.

    When everybody comes at the same time, as after a restart, to find out what each of them wants takes the loop about
    a millisecond; the last one, who may need no more than a file, would wait for all of that.
    """

    def __init__(self, app: App) -> None:
        self.app = app
        self._line = _Line()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and "/static/" not in scope["path"]:
            turn = asyncio.get_running_loop().create_future()
            self._line.waiting.append(turn)
            if len(self._line.waiting) == 1:
                turn.get_loop().call_soon(self._begin)
            await turn
        await self.app(scope, receive, send)

    def _begin(self) -> None:
        turn = self._line.waiting.popleft()
        if not turn.done():  # otherwise the one who waited has given up
            turn.set_result(None)
        if self._line.waiting:
            turn.get_loop().call_soon(self._begin)


class _Line(threading.local):
    """Who waits to begin, for each event loop by itself: one application may be served by several, a thread each."""

    def __init__(self) -> None:
        self.waiting: deque[asyncio.Future[None]] = deque()
