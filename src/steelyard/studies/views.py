"""Candidates made visible or audible: by a template, a Python function or a command; cached, and ahead of time.

What a view returns is shown where it can do nothing: pictures and sounds as such, HTML in a frame without any rights.
"""

from __future__ import annotations

import base64
import logging
import queue
import subprocess
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from mimetypes import guess_type
from pathlib import Path
from typing import Protocol

from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import SandboxedEnvironment

from steelyard.errors import BadType, BadValue
from steelyard.space import Value
from steelyard.studies.render_process import RenderProcess
from steelyard.studies.sealing import seal, unseal
from steelyard.studies.study import ITEM, Study, inside
from steelyard.studies.turns import away
from steelyard.system import end_with_children

MOST_BYTES = 16 * 2**20
CACHE_BYTES = 128 * 2**20

MIME = {
    "html": "text/html; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "jpeg": "image/jpeg",
    "webp": "image/webp",
    "gif": "image/gif",
    "wav": "audio/wav",
    "mp3": "audio/mpeg",
    "mp4": "video/mp4",
    "webm": "video/webm",
    "text": "text/plain; charset=utf-8",
}
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Shown:
    """A rendered candidate: bytes of a type; or what went wrong, in words for the organiser."""

    key: str
    type: str
    body: bytes = b""
    error: str = ""


@dataclass(frozen=True)
class ViewTrouble:
    """What went wrong while a candidate was rendered, and what was printed: for the organiser, never for raters."""

    values: Mapping[str, Value]
    error: str
    printed: str


class Renderer:
    """Renders each candidate once. `key(values)` names a candidate without telling its values.

    `report` is told of every failure and of everything that the study's own code prints.
    """

    def __init__(
        self, study: Study, secret: bytes, workers: int = 2, report: Callable[[ViewTrouble], None] | None = None
    ) -> None:
        self.study = study
        self.report = report
        self._secret = secret
        self._make = _maker(study, workers)
        self._cache: OrderedDict[str, Shown] = OrderedDict()
        self._size = self._failures = 0  # bytes, and how many of those in the cache failed
        self._under_way: dict[str, Future[Shown]] = {}
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="render")

    def key(self, values: Mapping[str, Value]) -> str:
        return seal(self._secret, values)

    def show(self, values: Mapping[str, Value]) -> Shown:
        """The candidate, rendered now unless it was before; a failure comes back as such after at most the timeout."""
        key = self.key(values)
        if self._make.instant:
            with self._lock:
                known = self._cache.get(key)
            return known or self._render(key, dict(values))
        try:
            with away():
                return self._begin(key, values).result(self.study.view.timeout + 1.0)
        except TimeoutError:
            return Shown(key, self.study.view.type, error=f"not ready after {self.study.view.timeout:g} seconds")

    def prepare(self, values: Mapping[str, Value]) -> str:
        """Begin to render a candidate that may be wanted soon, if that takes time; returns its key."""
        key = self.key(values)
        if not self._make.instant:
            self._begin(key, values)
        return key

    def get(self, key: str) -> Shown | None:
        """A candidate by its key, whichever process has named it; None if the key was made up."""
        values = unseal(self._secret, key)
        return None if values is None else self.show(values)

    def failed(self, values: Mapping[str, Value]) -> bool:
        """Is it known that this candidate could not be rendered?"""
        if not self._failures:
            return False
        with self._lock:
            shown = self._cache.get(self.key(values))
        return shown is not None and bool(shown.error)

    def forget(self, values: Mapping[str, Value]) -> None:
        """Render the candidate anew the next time, if it failed."""
        with self._lock:
            shown = self._cache.get(self.key(values))
            if shown is not None and shown.error:
                self._drop(shown.key)

    def close(self) -> None:
        """End all rendering now, also what hangs."""
        self._make.close()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _begin(self, key: str, values: Mapping[str, Value]) -> Future[Shown]:
        with self._lock:
            if key in self._cache:
                self._cache.move_to_end(key)
                done: Future[Shown] = Future()
                done.set_result(self._cache[key])
                return done
            if key not in self._under_way:
                self._under_way[key] = self._pool.submit(self._render, key, dict(values))
            return self._under_way[key]

    def _render(self, key: str, values: dict[str, Value]) -> Shown:
        kind = self.study.view.type_of(values)
        body, error, printed = b"", "", ""
        try:
            body, printed = self._make(values)
            body = _checked(body)
        except _Failed as failure:
            error, printed = str(failure)[:300], failure.printed
        except Exception as failure:  # whatever a study's own code does, the page goes on
            error = f"{type(failure).__name__}: {failure}"[:300]
        shown = Shown(key, kind, b"" if error else body, error)
        with self._lock:
            if key in self._cache:  # somebody else was as quick
                self._drop(key)
            self._cache[key] = shown
            self._size += len(shown.body)
            self._failures += bool(error)
            self._under_way.pop(key, None)
            while self._size > CACHE_BYTES and len(self._cache) > 8:
                self._drop(next(iter(self._cache)))
        if error or printed:
            self._tell(ViewTrouble(values, error, printed))
        return shown

    def _tell(self, noise: ViewTrouble) -> None:
        log.warning("candidate %s: %s", dict(noise.values), noise.error or noise.printed)
        if self.report is not None:
            with suppress(Exception):  # a report that cannot be kept is in the log
                self.report(noise)

    def _drop(self, key: str) -> None:
        dropped = self._cache.pop(key)
        self._size -= len(dropped.body)
        self._failures -= bool(dropped.error)


class _Failed(Exception):
    """A study's own code failed, having printed something."""

    def __init__(self, error: Exception, printed: str) -> None:
        name = "" if isinstance(error, RuntimeError | TimeoutError) else f"{type(error).__name__}: "
        super().__init__(f"{name}{error}")
        self.printed = printed


def _checked(body: object) -> bytes:
    if isinstance(body, str):
        body = body.encode()
    if not isinstance(body, bytes | bytearray):
        raise BadType(f"a view must return bytes or text, got {type(body).__name__}")
    if not 0 < len(body) <= MOST_BYTES:
        raise BadValue(f"a view must return 1 to {MOST_BYTES} bytes, got {len(body)}")
    return bytes(body)


class Maker(Protocol):
    """Renders: the candidate's body, and what was printed meanwhile."""

    instant: bool
    """Does it take less time than to hand the work to somebody else?"""

    def __call__(self, values: dict[str, Value], /) -> tuple[bytes, str]: ...

    def close(self) -> None:
        """End what is under way."""


def _maker(study: Study, workers: int) -> Maker:
    if study.view.template:
        return _Template(study)
    if study.view.function:
        return _Function(study, workers)
    if study.view.files:
        return _Files(study)
    return _Command(study)


class _Template:
    instant = True

    def __init__(self, study: Study) -> None:
        environment = SandboxedEnvironment(autoescape=True, undefined=StrictUndefined)
        environment.globals["asset"] = lambda name: _data_uri(study.folder, name)
        path = inside(study.folder, study.view.template)
        try:
            self._template = environment.from_string(path.read_text(encoding="utf-8"))
            self._template.render(study.space.values(study.space.start))
        except TemplateError as error:
            raise BadValue(f"template {study.view.template!r} cannot be filled: {error}") from error

    def __call__(self, values: dict[str, Value]) -> tuple[bytes, str]:
        return self._template.render(values).encode(), ""

    def close(self) -> None:
        pass


def _data_uri(folder: Path, name: str) -> str:
    """A file of the study's folder, inlined: a view can load nothing from anywhere."""
    body = _checked(inside(folder, name).read_bytes())
    return f"data:{guess_type(name)[0] or 'application/octet-stream'};base64,{base64.b64encode(body).decode()}"


class _Files:
    instant = True

    def __init__(self, study: Study) -> None:
        self._paths = {name: inside(study.folder, file) for name, file in study.view.files.items()}

    def __call__(self, values: dict[str, Value]) -> tuple[bytes, str]:
        return self._paths[str(values[ITEM])].read_bytes(), ""

    def close(self) -> None:
        pass


class _Function:
    """In processes of their own: one that hangs can be ended, and plotting libraries are seldom safe in threads."""

    instant = False

    def __init__(self, study: Study, workers: int) -> None:
        self._timeout = study.view.timeout
        self._all = [RenderProcess(study.view.function, study.folder) for _ in range(workers)]
        self._all[0].start()  # a function that cannot be loaded is refused at once; the others begin when needed
        self._free: queue.LifoQueue[RenderProcess] = queue.LifoQueue()
        for process in reversed(self._all):
            self._free.put(process)

    def __call__(self, values: dict[str, Value]) -> tuple[bytes, str]:
        process = self._free.get()
        try:
            return process.call(values, self._timeout), process.printed()
        except Exception as error:
            raise _Failed(error, process.printed()) from error
        finally:
            self._free.put(process)

    def close(self) -> None:
        for process in self._all:
            process.close()


class _Command:
    instant = False

    def __init__(self, study: Study) -> None:
        self._study = study
        self._running: set[subprocess.Popen[bytes]] = set()

    def __call__(self, values: dict[str, Value]) -> tuple[bytes, str]:
        view = self._study.view
        with tempfile.TemporaryDirectory(prefix="steelyard-") as folder:
            output = Path(folder, f"candidate.{view.type}")
            words = {name: str(value) for name, value in values.items()} | {"output": str(output)}
            printed = self._run([_filled(word, words) for word in view.command], view.timeout)
            if not output.is_file():
                raise _Failed(RuntimeError("the command ended well but wrote no file"), printed)
            if output.stat().st_size > MOST_BYTES:
                raise BadValue(f"the command wrote more than {MOST_BYTES} bytes")
            return output.read_bytes(), printed

    def _run(self, words: list[str], timeout: float) -> str:
        """Run a command without a shell; when it takes too long, it and all that it started are ended."""
        process = subprocess.Popen(
            words, cwd=self._study.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
        self._running.add(process)
        try:
            output, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            end_with_children(process)
            output, _ = process.communicate()
            raise _Failed(TimeoutError(f"the command took longer than {timeout:g} seconds"), _text(output)) from None
        finally:
            self._running.discard(process)
        if process.returncode != 0:
            last = _text(output).splitlines()[-1:] or ["no message"]
            raise _Failed(RuntimeError(f"the command ended with code {process.returncode}: {last[0]}"), _text(output))
        return _text(output)

    def close(self) -> None:
        for process in list(self._running):
            end_with_children(process)


def _text(output: bytes) -> str:
    return output.decode(errors="replace").strip()[-4000:]


def _filled(word: str, words: Mapping[str, str]) -> str:
    for name, value in words.items():
        word = word.replace("{" + name + "}", value)
    return word
