"""What differs between operating systems, in one place: locks, processes and their ends. See docs/platforms.md."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

from steelyard.errors import BadValue

if TYPE_CHECKING:
    import subprocess

LOCKED_BYTE = 2**30
"""On Windows a lock also forbids others to read, so the byte that is locked is one that no file has."""


def lock(file: IO[Any]) -> bool:
    """Lock a file for as long as it is open, without waiting; False if somebody else has it."""
    if sys.platform == "win32":
        import msvcrt

        here = os.lseek(file.fileno(), 0, os.SEEK_CUR)
        try:
            os.lseek(file.fileno(), LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(file.fileno(), here, os.SEEK_SET)
        return True
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def processes(preload: list[str]) -> Any:
    """How processes are started: from a server that has these modules already, or afresh where that cannot be."""
    from multiprocessing import get_all_start_methods, get_context

    if "forkserver" not in get_all_start_methods():
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload(preload)
    return context


def end_with_children(process: subprocess.Popen[Any]) -> None:
    """End a process that was started in a session of its own, and all that it has started."""
    if sys.platform == "win32":
        import subprocess

        subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False)
        return
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def lower_priority(steps: int) -> None:
    """Let other processes go first, if the system knows of that."""
    if sys.platform != "win32":
        with suppress(OSError):
            os.nice(steps)


def need_posix(what: str) -> None:
    """Refuse what is not supported on Windows, in words."""
    if sys.platform == "win32":
        raise BadValue(f"{what} must run on Linux or macOS: it is not supported on Windows")
