"""Candidates made visible or audible: by a template, a Python function or a command; cached, and ahead of time.

What a view returns is shown where it can do nothing: pictures and sounds as such, HTML in a frame without any rights.
"""

from __future__ import annotations

import base64
import importlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from mimetypes import guess_type
from pathlib import Path

from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import SandboxedEnvironment

from steelyard.space import Value
from steelyard.studies.sealing import seal, unseal
from steelyard.studies.study import Study, inside

MOST_BYTES = 16 * 2**20
CACHE_BYTES = 128 * 2**20

MIME = {
    "html": "text/html; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "jpeg": "image/jpeg",
    "wav": "audio/wav",
    "mp3": "audio/mpeg",
    "text": "text/plain; charset=utf-8",
}


@dataclass(frozen=True)
class Shown:
    """A rendered candidate: bytes of a type; or what went wrong, in words, for the person to see."""

    key: str
    type: str
    body: bytes = b""
    error: str = ""


class Renderer:
    """Renders each candidate once. `key(values)` names a candidate without telling its values."""

    def __init__(self, study: Study, secret: bytes, workers: int = 2) -> None:
        self.study = study
        self._secret = secret
        self._make = _maker(study)
        self._cache: OrderedDict[str, Shown] = OrderedDict()
        self._size = 0
        self._under_way: dict[str, Future[Shown]] = {}
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="render")

    def key(self, values: Mapping[str, Value]) -> str:
        return seal(self._secret, values)

    def show(self, values: Mapping[str, Value]) -> Shown:
        """The candidate, rendered now unless it was before; a failure comes back as such after at most the timeout."""
        key = self.key(values)
        try:
            return self._begin(key, values).result(self.study.view.timeout + 1.0)
        except TimeoutError:
            return Shown(key, self.study.view.type, error=f"not ready after {self.study.view.timeout:g} seconds")

    def prepare(self, values: Mapping[str, Value]) -> None:
        """Begin to render a candidate that may be wanted soon."""
        self._begin(self.key(values), values)

    def get(self, key: str) -> Shown | None:
        """A candidate by its key, whichever process has named it; None if the key was made up."""
        values = unseal(self._secret, key)
        return None if values is None else self.show(values)

    def forget(self, values: Mapping[str, Value]) -> None:
        """Render the candidate anew the next time, if it failed."""
        with self._lock:
            shown = self._cache.get(self.key(values))
            if shown is not None and shown.error:
                self._drop(shown.key)

    def close(self) -> None:
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
        kind = self.study.view.type
        try:
            shown = Shown(key, kind, _checked(self._make(values)))
        except Exception as error:  # whatever a study's own code does, the page goes on
            shown = Shown(key, kind, error=f"{type(error).__name__}: {error}"[:300])
        with self._lock:
            self._cache[key] = shown
            self._size += len(shown.body)
            self._under_way.pop(key, None)
            while self._size > CACHE_BYTES and len(self._cache) > 8:
                self._drop(next(iter(self._cache)))
        return shown

    def _drop(self, key: str) -> None:
        self._size -= len(self._cache.pop(key).body)


def _checked(body: object) -> bytes:
    if isinstance(body, str):
        body = body.encode()
    if not isinstance(body, bytes | bytearray):
        raise TypeError(f"a view must return bytes or text, got {type(body).__name__}")
    if not 0 < len(body) <= MOST_BYTES:
        raise ValueError(f"a view must return 1 to {MOST_BYTES} bytes, got {len(body)}")
    return bytes(body)


Maker = Callable[[dict[str, Value]], object]


def _maker(study: Study) -> Maker:
    if study.view.template:
        return _template(study)
    if study.view.function:
        return _function(study)
    return _command(study)


def _template(study: Study) -> Maker:
    environment = SandboxedEnvironment(autoescape=True, undefined=StrictUndefined)
    environment.globals["asset"] = lambda name: _data_uri(study.folder, name)
    path = inside(study.folder, study.view.template)
    try:
        template = environment.from_string(path.read_text(encoding="utf-8"))
        template.render(study.space.values(study.space.start))
    except TemplateError as error:
        raise ValueError(f"template {study.view.template!r} cannot be filled: {error}") from error
    return lambda values: template.render(values)


def _data_uri(folder: Path, name: str) -> str:
    """A file of the study's folder, inlined: a view can load nothing from anywhere."""
    body = _checked(inside(folder, name).read_bytes())
    return f"data:{guess_type(name)[0] or 'application/octet-stream'};base64,{base64.b64encode(body).decode()}"


def _function(study: Study) -> Maker:
    module, _, name = study.view.function.partition(":")
    sys.path.insert(0, str(study.folder))
    try:
        function = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"function of the view {study.view.function!r} cannot be loaded: {error}") from error
    finally:
        sys.path.remove(str(study.folder))
    one_at_a_time = threading.Lock()  # plotting libraries are seldom safe in threads

    def make(values: dict[str, Value]) -> object:
        with one_at_a_time:
            return function(**values)

    return make


def _command(study: Study) -> Maker:
    view = study.view

    def make(values: dict[str, Value]) -> bytes:
        with tempfile.TemporaryDirectory(prefix="steelyard-") as folder:
            output = Path(folder, f"candidate.{view.type}")
            words = {name: str(value) for name, value in values.items()} | {"output": str(output)}
            run_command([_filled(word, words) for word in view.command], study.folder, view.timeout)
            if not output.is_file():
                raise FileNotFoundError("the command ended well but wrote no file")
            if output.stat().st_size > MOST_BYTES:
                raise ValueError(f"the command wrote more than {MOST_BYTES} bytes")
            return output.read_bytes()

    return make


def _filled(word: str, words: Mapping[str, str]) -> str:
    for name, value in words.items():
        word = word.replace("{" + name + "}", value)
    return word


def run_command(words: list[str], folder: Path, timeout: float) -> None:
    """Run a command without a shell; when it takes too long, it and all that it started are ended."""
    process = subprocess.Popen(
        words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip
    try:
        _, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise TimeoutError(f"the command took longer than {timeout:g} seconds") from None
    if process.returncode != 0:
        last = errors.decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
        raise RuntimeError(f"the command ended with code {process.returncode}: {last[0]}")
