"""Where results lie: a folder of this machine, or any storage that fsspec reaches (`s3://`, `gs://`, `memory://`).

Both write a file whole or not at all, which is all that the records ask of them.
"""

import contextlib
import errno
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from steelyard.extras import need


class Storage(Protocol):
    """Named files in one place."""

    def names(self) -> list[str]:
        """The names of all files, in order; none if the place does not exist yet."""
        ...

    def source(self, name: str) -> Any:
        """A path or an open file, for a reader."""
        ...

    def read(self, name: str) -> bytes: ...

    def write(self, name: str, data: bytes) -> None:
        """Write a file: after a crash it is there and whole, or not there."""
        ...

    def rename(self, name: str, new: str) -> None: ...

    def remove(self, name: str) -> None: ...


def storage(out: str | Path, folder: str = "") -> Storage:
    """The storage that a path or a URL names, or a folder in it."""
    if is_url(out):
        return Remote(f"{str(out).rstrip('/')}/{folder}".rstrip("/"))
    return Local(Path(out) / folder)


def is_url(out: str | Path) -> bool:
    return isinstance(out, str) and "://" in out


@dataclass(frozen=True)
class Local:
    """A folder of this machine."""

    path: Path

    def names(self) -> list[str]:
        return sorted(entry.name for entry in os.scandir(self.path) if entry.is_file()) if self.path.exists() else []

    def source(self, name: str) -> Any:
        return self.path / name

    def read(self, name: str) -> bytes:
        return (self.path / name).read_bytes()

    def write(self, name: str, data: bytes) -> None:
        unfinished = self.path / f"{name}.{os.getpid()}.tmp"
        with explained(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            try:
                unfinished.write_bytes(data)
                with unfinished.open("rb+") as file:
                    os.fsync(file.fileno())  # on the disk before its name is
                unfinished.replace(self.path / name)
                self._sync()
            except BaseException:
                with contextlib.suppress(OSError):
                    unfinished.unlink(missing_ok=True)  # a full disk leaves no half file behind
                raise

    def _sync(self) -> None:
        """Make the names in the folder outlast a loss of power, as far as the system can."""
        with contextlib.suppress(OSError):
            folder = os.open(self.path, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def rename(self, name: str, new: str) -> None:
        (self.path / name).replace(self.path / new)

    def remove(self, name: str) -> None:
        (self.path / name).unlink(missing_ok=True)


@dataclass(frozen=True)
class Remote:
    """A place that fsspec reaches; an object appears in it whole when it has been sent."""

    url: str

    def names(self) -> list[str]:
        fs, root = self._open()
        if not fs.exists(root):
            return []
        return sorted(entry.rsplit("/", 1)[-1] for entry in fs.ls(root, detail=False) if not fs.isdir(entry))

    def source(self, name: str) -> Any:
        return io.BytesIO(self.read(name))

    def read(self, name: str) -> bytes:
        fs, root = self._open()
        data: bytes = fs.cat_file(f"{root}/{name}")
        return data

    def write(self, name: str, data: bytes) -> None:
        fs, root = self._open()
        fs.makedirs(root, exist_ok=True)
        # Object stores show an object only once it is complete; elsewhere the rename makes it so.
        fs.pipe_file(f"{root}/{name}.tmp", data)
        fs.mv(f"{root}/{name}.tmp", f"{root}/{name}")

    def rename(self, name: str, new: str) -> None:
        fs, root = self._open()
        fs.mv(f"{root}/{name}", f"{root}/{new}")

    def remove(self, name: str) -> None:
        fs, root = self._open()
        fs.rm_file(f"{root}/{name}")

    def _open(self) -> tuple[Any, str]:
        fs, root = need("fsspec.core", "dask").url_to_fs(self.url)
        return fs, root.rstrip("/")


@contextlib.contextmanager
def explained(path: Path) -> Iterator[None]:
    """Say what to do about the errors that a user can mend."""
    reasons = {
        errno.ENOSPC: "the disk is full: make room and run again, finished runs are kept",
        errno.EDQUOT: "the disk quota is used up: make room and run again, finished runs are kept",
        errno.EROFS: "the file system is read-only: choose another output folder",
        errno.EACCES: "no permission to write there: choose another output folder",
        errno.ENOTDIR: "out must be a folder, not a file: choose another output folder",
        errno.EPERM: "no permission to write there: choose another output folder",
    }
    try:
        yield
    except OSError as error:
        if error.errno not in reasons:
            raise
        raise OSError(error.errno, f"{reasons[error.errno]} ({path})") from error
