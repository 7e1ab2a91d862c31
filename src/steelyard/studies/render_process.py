"""A study's function in a process of its own, which can be ended when it hangs."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from multiprocessing.connection import Connection
from pathlib import Path

from steelyard.errors import BadValue
from steelyard.space import Value
from steelyard.system import end_with_children, need_posix

WORKER = Path(__file__).with_name("render_worker.py")
LOADING = 60.0
"""Seconds within which a study's module must have been imported."""


class RenderProcess:
    """Calls `module:function` elsewhere. One call at a time; after one that hung, the next begins in a new process."""

    def __init__(self, function: str, folder: Path) -> None:
        self.function, self.folder = function, folder
        self._printed = tempfile.TemporaryFile()  # noqa: SIM115  # open as long as this
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._lock = threading.Lock()
        self._closed = False

    def start(self) -> None:
        """Begin, and load the function; a `ValueError` says what is wrong with it."""
        need_posix("a view made by a function")
        ours, theirs = socket.socketpair()
        path = json.dumps([str(self.folder), *sys.path])
        words = [sys.executable, str(WORKER), str(theirs.fileno()), path, self.function]
        with theirs:
            process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=self._printed, stderr=self._printed,
                pass_fds=[theirs.fileno()], start_new_session=True,
            )  # fmt: skip
        with self._lock:
            self._process, self._connection = process, Connection(ours.detach())
            closed = self._closed
        try:
            if closed:
                raise TimeoutError("this study is being closed")
            self._receive(LOADING, "loading the function")
        except (RuntimeError, TimeoutError) as error:
            self.end()
            raise BadValue(f"function of the view {self.function!r} cannot be loaded: {error}") from error

    def call(self, values: Mapping[str, Value], timeout: float) -> bytes:
        """What the function returns for these values; an error after `timeout` seconds, when the process is ended."""
        if self._process is None:
            self.start()
        assert self._connection is not None
        try:
            self._connection.send_bytes(json.dumps(values).encode())
            return self._receive(timeout, "the function")
        except (TimeoutError, OSError, EOFError) as error:
            self.end()
            if isinstance(error, TimeoutError):
                raise
            raise RuntimeError("the process that draws the candidates has crashed") from error

    def printed(self) -> str:
        """What was printed since this was asked last: the end of it, if it is much."""
        size = os.fstat(self._printed.fileno()).st_size
        self._printed.seek(max(0, size - 4000))
        text = self._printed.read().decode(errors="replace")
        self._printed.truncate(0)
        self._printed.seek(0)
        return text.strip()

    def end(self) -> None:
        """End the process and all that it started."""
        with self._lock:
            process, self._process = self._process, None
            connection, self._connection = self._connection, None
        if process is not None:
            end_with_children(process)
            process.wait()
        if connection is not None:
            connection.close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
        self.end()

    def _receive(self, timeout: float, what: str) -> bytes:
        connection = self._connection
        if connection is None or not connection.poll(timeout):
            raise TimeoutError(f"{what} took longer than {timeout:g} seconds")
        error = connection.recv_bytes().decode()
        body = connection.recv_bytes()
        if error:
            raise RuntimeError(error)
        return body
