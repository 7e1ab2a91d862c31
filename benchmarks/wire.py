"""What the benchmarks of the server share: a client that costs little, and a measure of how late it is itself."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Wire:
    """A connection kept open, in as few lines as possible: a client that costs more than the server measures itself."""

    port: int
    token: str = ""
    _reader: asyncio.StreamReader | None = None
    _writer: asyncio.StreamWriter | None = None

    async def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Call the HTTP interface."""
        status, data = await self.fetch(method, f"/api/v1{path}", body)
        answer: dict[str, Any] = json.loads(data)
        if not 200 <= status < 300:
            raise RuntimeError(f"{path}: {answer}")
        return answer

    async def fetch(self, method: str, path: str, body: dict[str, Any] | None = None) -> tuple[int, bytes]:
        """Send it, again on a new connection if the old one was closed; nothing counts twice."""
        sent = json.dumps(body).encode() if body is not None else b""
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAuthorization: Bearer {self.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(sent)}\r\n\r\n"
        )
        for _ in range(5):
            try:
                if self._writer is None:
                    self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self.port)
                assert self._reader is not None
                self._writer.write(head.encode() + sent)
                answer = (await self._reader.readuntil(b"\r\n\r\n")).decode().lower()
                length = int(answer.split("content-length:")[1].split("\r\n")[0])
                return int(answer.split(" ", 2)[1]), await self._reader.readexactly(length)
            except (OSError, asyncio.IncompleteReadError):
                self._writer = None
        raise ConnectionError("the server closes every connection")


@dataclass
class Lag:
    """How late this process is: it wants to wake up every 10 ms, and notes by how much it is late."""

    times: list[float] = field(default_factory=list)

    async def watch(self) -> None:
        while True:
            begin = time.perf_counter()
            await asyncio.sleep(0.01)
            self.times.append(time.perf_counter() - begin - 0.01)
