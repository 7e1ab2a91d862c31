"""How a candidate is rendered: by a template, a Python function, a command, or as a finished file."""

import base64
import queue
import subprocess
import tempfile
from collections.abc import Mapping
from mimetypes import guess_type
from pathlib import Path
from typing import Protocol

from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import SandboxedEnvironment

from steelyard.errors import BadType, BadValue
from steelyard.space import Value
from steelyard.studies.render_process import RenderProcess
from steelyard.studies.study import ITEM, Study, path_inside
from steelyard.system import end_with_children

MOST_BYTES = 16 * 2**20
"""The largest candidate."""


class ViewFailed(Exception):
    """A study's own code failed, having printed something."""

    def __init__(self, error: Exception, printed: str) -> None:
        name = "" if isinstance(error, RuntimeError | TimeoutError) else f"{type(error).__name__}: "
        super().__init__(f"{name}{error}")
        self.printed = printed


def checked_body(body: object) -> bytes:
    """What a view returned, as bytes."""
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


def maker_of(study: Study, workers: int) -> Maker:
    """How the candidates of a study are rendered."""
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
        path = path_inside(study.folder, study.view.template)
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
    body = checked_body(path_inside(folder, name).read_bytes())
    return f"data:{guess_type(name)[0] or 'application/octet-stream'};base64,{base64.b64encode(body).decode()}"


class _Files:
    instant = True

    def __init__(self, study: Study) -> None:
        self._paths = {name: path_inside(study.folder, file) for name, file in study.view.files.items()}

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
            raise ViewFailed(error, process.printed()) from error
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
                raise ViewFailed(RuntimeError("the command ended well but wrote no file"), printed)
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
            raise ViewFailed(TimeoutError(f"the command took longer than {timeout:g} seconds"), _text(output)) from None
        finally:
            self._running.discard(process)
        if process.returncode != 0:
            last = _text(output).splitlines()[-1:] or ["no message"]
            raise ViewFailed(
                RuntimeError(f"the command ended with code {process.returncode}: {last[0]}"), _text(output)
            )
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
