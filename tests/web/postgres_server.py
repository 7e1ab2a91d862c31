"""A PostgreSQL server for tests: Debian's, on a free port, in a temporary folder, ended with the tests."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from .serving import free_port

USER = "postgres"
MISSING = "no PostgreSQL server and psycopg here: tools/ensure.sh postgresql and steelyard[postgres] install them"


def binaries() -> Path | None:
    """The folder with initdb and postgres, of the newest version here."""
    found = [Path(path).parent for path in (shutil.which("initdb"),) if path]
    found += [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    return max(found, key=lambda path: [int(part) for part in path.parts if part.isdigit()], default=None)


def possible() -> bool:
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return False
    return binaries() is not None


class PostgresServer:
    """A database server of our own; `url` is its database. It refuses to run as root, so root lends it a user."""

    def __init__(self, *, sync: bool = False) -> None:
        found = binaries()
        assert found is not None, MISSING
        self.binaries = found
        self.folder = Path(tempfile.mkdtemp(prefix="steelyard-pg-"))
        self.port = free_port()
        self._as_user = ["runuser", "-u", USER, "--"] if os.getuid() == 0 else []
        if self._as_user:
            shutil.chown(self.folder, USER, USER)
        self._data = self.folder / "data"
        subprocess.run(
            [*self._as_user, str(self.binaries / "initdb"), "-D", str(self._data), "-U", USER, "-A", "trust", "-N"],
            check=True, stdout=subprocess.DEVNULL, cwd=self.folder,
        )  # fmt: skip
        with (self._data / "postgresql.conf").open("a") as settings:
            settings.write(f"port={self.port}\nlisten_addresses='127.0.0.1'\nunix_socket_directories='{self.folder}'\n")
            settings.write(f"fsync={'on' if sync else 'off'}\nmax_connections=200\nlog_min_messages=fatal\n")
        self.url = f"postgresql://{USER}@127.0.0.1:{self.port}/postgres"
        self.start()

    def _begin(self) -> None:
        self.process = subprocess.Popen(
            [*self._as_user, str(self.binaries / "postgres"), "-D", str(self._data)],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def start(self) -> None:
        import psycopg

        self._begin()
        until = time.monotonic() + 60.0
        while True:
            if self.process.poll() is not None:  # processes of one that was killed are still there
                self._begin()
            try:
                psycopg.connect(self.url, connect_timeout=2).close()
                return
            except psycopg.Error:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)

    @property
    def pid(self) -> int:
        """The postmaster's."""
        return int((self._data / "postmaster.pid").read_text().splitlines()[0])

    def kill(self) -> None:
        """The postmaster, as the power cut does it; its children notice and end."""
        os.kill(self.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        if self.process.poll() is None:
            os.kill(self.pid, signal.SIGQUIT)
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
