"""Slow clients: a connection without the head of a request in time is closed, so that others are served.

Half-sent requests keep a server's connections busy without asking anything of it. Each may take `HEADER_SECONDS`
seconds and `MOST_HEAD` bytes; and when there are more than `MOST_HALF` of them, the oldest are closed at once.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEADER_SECONDS = 10.0
MOST_HEAD = 16 * 2**10
MOST_HALF = 1000


class Impatient(HttpToolsProtocol):
    """uvicorn's protocol with limits on the time and the bytes until a request has been understood.

    Requests are parsed in C: in Python it would take longer than most of them need otherwise.
    """

    # All connections without a whole request, the oldest first.
    _half: ClassVar[OrderedDict[int, Impatient]] = OrderedDict()

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._hurry: asyncio.TimerHandle | None = None
        self._begin()

    def data_received(self, data: bytes) -> None:
        if self._hurry is None and (self.cycle is None or self.cycle.response_complete):
            self._begin()  # the next request of a connection that is kept open
        if self._hurry is not None:
            self._head += len(data)
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._done()
        elif self._hurry is not None and self._head > MOST_HEAD:
            self._hang_up()

    def on_response_complete(self) -> None:
        self._done()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._done()
        super().connection_lost(exc)

    def _begin(self) -> None:
        self._head = 0
        self._hurry = self.loop.call_later(HEADER_SECONDS, self._hang_up)
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
