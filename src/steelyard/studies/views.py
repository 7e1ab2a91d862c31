"""Candidates made visible or audible: cached, and ahead of time. How each is made is in `view_makers`.

What a view returns is shown where it can do nothing: pictures and sounds as such, HTML in a frame without any rights.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

from steelyard.space import Value
from steelyard.studies.sealing import seal, unseal
from steelyard.studies.study import Study
from steelyard.studies.turns import away
from steelyard.studies.view_makers import ViewFailed, checked_body, maker_of

CACHE_BYTES = 128 * 2**20
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
        self._make = maker_of(study, workers)
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
            body = checked_body(body)
        except ViewFailed as failure:
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
