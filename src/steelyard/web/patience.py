"""Slow clients: whoever does not send the head of a request in time is hung up on, so that others are served.

Half-sent requests are what keeps a server's connections busy without asking anything of it. Each may take `HEADERS`
seconds; and when there are more than `MOST_HALF` of them, the oldest are closed at once.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

HEADERS = 10.0
MOST_HALF = 1000


class Impatient(H11Protocol):
    """uvicorn's protocol with a limit on the time until a request has been understood."""

    # All connections without a whole request, the oldest first.
    _half: ClassVar[OrderedDict[int, Impatient]] = OrderedDict()

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._hurry: asyncio.TimerHandle | None = None
        self._begin()

    def data_received(self, data: bytes) -> None:
        if self._hurry is None and (self.cycle is None or self.cycle.response_complete):
            self._begin()  # the next request of a connection that is kept open
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._done()

    def on_response_complete(self) -> None:
        self._done()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._done()
        super().connection_lost(exc)

    def _begin(self) -> None:
        self._hurry = self.loop.call_later(HEADERS, self._hang_up)
        self._half[id(self)] = self
        while len(self._half) > MOST_HALF:
            next(iter(self._half.values()))._hang_up()

    def _done(self) -> None:
        if self._hurry is not None:
            self._hurry.cancel()
            self._hurry = None
        self._half.pop(id(self), None)

    def _hang_up(self) -> None:
        self._done()
        if not self.transport.is_closing():
            self.transport.close()
