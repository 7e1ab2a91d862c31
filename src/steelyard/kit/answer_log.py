"""The log of a run: one JSON line per answer, on disk before the next is waited for.

A file holds one run or several, one after another. Each begins with a line that says what is run (method, options,
start, bounds, space, seed, version); every further line is one answer with its points. A line that was cut short when
the process was killed is dropped, and its question asked again.
"""

from __future__ import annotations

import dataclasses
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TextIO

import numpy as np

from steelyard.algorithms.speculative import Speculative
from steelyard.errors import BadType, BadValue
from steelyard.kit.verdict import Reply
from steelyard.system import lock
from steelyard.typing import Array
from steelyard.version import __version__

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped]

    from steelyard.space import Space

FORMAT = 1
IDENTITY = ("method", "options", "x0", "bounds", "space", "items")
"""The entries of a first line by which a run is recognised; the seed too, if the call gives one."""


@dataclass(frozen=True)
class LoggedAnswer:
    """One answer of a log: the points of the two sides, the answer, and what it took."""

    batch: int
    row: int
    rows: int
    fingerprint: int
    a: tuple[float, ...]
    b: tuple[float, ...]
    answer: int
    neither: bool = False
    rater: str = ""
    time: float = 0.0
    latency: float = 0.0
    cost: float = 0.0
    calls: int = 1

    @classmethod
    def of(cls, place: tuple[int, int, int], a: Sequence[float], b: Sequence[float], reply: Reply, rows: int) -> Self:
        """A reply that has just come, about a and b; `place` is the batch, the row and the fingerprint."""
        batch, row, fingerprint = place
        said = (reply.answer, reply.neither, reply.rater, time.time(), reply.latency, reply.cost, reply.calls)
        return cls(batch, row, rows, fingerprint, tuple(a), tuple(b), *said)

    def reply(self) -> Reply:
        """The answer as it came from the judge."""
        return Reply(self.row, self.answer, self.neither, self.rater, self.latency, self.cost, self.calls)


@dataclass(frozen=True)
class LoggedRun:
    """One run of a log: its first line, and the answers that follow it."""

    header: Mapping[str, Any]
    answers: tuple[LoggedAnswer, ...] = ()

    @property
    def space(self) -> Space | None:
        """The space of named parameters, if the run has one that the file can hold."""
        from steelyard.space import Space

        given = self.header.get("space")
        return Space.from_json(given) if isinstance(given, list) else None


@dataclass(frozen=True)
class AnswerFile:
    """All that a file of answers holds: `runs`, and the length of the part that is whole."""

    path: Path
    runs: tuple[LoggedRun, ...] = ()
    whole: int = field(default=0, repr=False)

    @property
    def answers(self) -> tuple[LoggedAnswer, ...]:
        """The answers of all runs, in the order in which they came."""
        return tuple(answer for run in self.runs for answer in run.answers)

    def __len__(self) -> int:
        return sum(len(run.answers) for run in self.runs)

    def to_dataframe(self) -> pd.DataFrame:
        """One row per answer; the coordinates, or the settings by name, of either side in columns a.… and b.…"""
        try:
            import pandas as pd
        except ImportError:
            raise ImportError("a data frame needs pandas, which is not installed: pip install pandas") from None
        rows = []
        for number, run in enumerate(self.runs):
            space = run.space
            for answer in run.answers:
                rest = {k: v for k, v in dataclasses.asdict(answer).items() if k not in ("a", "b")}
                sides = {**_columns("a", answer.a, space), **_columns("b", answer.b, space)}
                rows.append({"run": number, "method": run.header.get("method"), **rest, **sides})
        return pd.DataFrame(rows)


def read_log(path: str | os.PathLike[str]) -> AnswerFile:
    """The answers that `minimize(..., log=path)` or a pool's run has written; a last line cut short is left out."""
    path = existing(path)
    runs: list[tuple[dict[str, Any], list[LoggedAnswer]]] = []
    whole = 0
    for number, line in enumerate(path.read_bytes().splitlines(keepends=True), 1):
        if not line.endswith(b"\n"):
            break  # the process was killed while it wrote
        try:
            entry = json.loads(line)
            if "steelyard" in entry:
                runs.append((entry, []))
            else:
                runs[-1][1].append(_answer(entry))
        except (ValueError, TypeError, KeyError, IndexError):
            raise BadValue(
                f"log must be a file of answers that steelyard wrote, got {str(path)!r}, whose line {number} is not one"
            ) from None
        whole += len(line)
    return AnswerFile(path, tuple(LoggedRun(header, tuple(answers)) for header, answers in runs), whole)


def existing(path: str | os.PathLike[str]) -> Path:
    """The path of a file that is there."""
    if not isinstance(path, str | os.PathLike):
        raise BadType(f"path must be the name of a file, got {path!r}")
    if not Path(path).is_file():
        raise FileNotFoundError(f"path must be a file, got {os.fspath(path)!r}: there is none")
    return Path(path)


def opened_log(log: str | os.PathLike[str] | None) -> AnswerFile | None:
    """What the file of a run's answers holds so far, if there is to be one; an empty one if it is not there yet."""
    if log is None:
        return None
    if not isinstance(log, str | os.PathLike) or not os.fspath(log):
        raise BadType(f"log must be the path of a file, got {log!r}")
    path = Path(log)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"log must be in a folder that exists, got {os.fspath(log)!r}")
    return read_log(path) if path.exists() else AnswerFile(path)


class LogWriter:
    """Appends to a file of answers; each line leaves this process at once. One process at a time may write."""

    def __init__(self, path: Path, keep: int) -> None:
        """`keep` bytes of the file are whole; what follows is cut off."""
        self._file: TextIO = path.open("a", encoding="utf-8")
        _lock(self._file, path)
        self._file.truncate(keep)

    def __enter__(self) -> LogWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()

    def begin(self, header: Mapping[str, Any]) -> None:
        """Write the first line of a run."""
        self._write(header)

    def answer(self, answer: LoggedAnswer) -> None:
        entry = dataclasses.asdict(answer)
        self._write({k: v for k, v in entry.items() if k in _ALWAYS or v != _DEFAULTS[k]})

    def _write(self, entry: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(entry, default=_plain) + "\n")
        self._file.flush()


def header_of(
    method: object, x0: Array | None, bounds: object, seed: np.random.SeedSequence, **more: Any
) -> dict[str, Any]:
    """The first line of a run."""
    name, options = described(method)
    return {
        "steelyard": __version__,
        "format": FORMAT,
        "method": name,
        "options": options,
        "x0": None if x0 is None else x0.tolist(),
        "bounds": bounds,
        "seed": {"entropy": seed.entropy, "spawn_key": list(seed.spawn_key)},
        "time": time.time(),
        **more,
    }


def described(method: object) -> tuple[str, dict[str, Any]]:
    """A method's name, as `minimize` takes it if it is registered, and its options, so that JSON can hold them."""
    from steelyard.registry import registered_name

    if isinstance(method, Speculative):
        name, options = described(method.method)
        return name, {**options, "parallel": method.parallel}
    kind = type(method)
    name = registered_name(kind) or f"{kind.__module__}:{kind.__qualname__}"
    options = {}
    if dataclasses.is_dataclass(method):
        for item in dataclasses.fields(method):
            value = getattr(method, item.name)
            if item.name != "earlier" and not _is_default(value, item):  # earlier answers are in the file themselves
                options[item.name] = json.loads(json.dumps(value, default=_plain))
    return name, options


def same_run(header: Mapping[str, Any], other: Mapping[str, Any], seed_given: bool) -> list[str]:
    """The entries in which two first lines describe different runs; none if the one continues the other."""
    names = [*IDENTITY, *(["seed"] if seed_given else [])]
    mine = json.loads(json.dumps(dict(other), default=_plain))
    return [name for name in names if header.get(name) != mine.get(name)]


def seed_of(header: Mapping[str, Any]) -> np.random.SeedSequence:
    """The seed that a first line holds."""
    seed = header["seed"]
    return np.random.SeedSequence(seed["entropy"], spawn_key=tuple(seed["spawn_key"]))


def by_question(answers: Sequence[LoggedAnswer]) -> dict[tuple[int, int], list[LoggedAnswer]]:
    """The answers by the number and the fingerprint of their batch."""
    found: dict[tuple[int, int], list[LoggedAnswer]] = {}
    for answer in answers:
        found.setdefault((answer.batch, answer.fingerprint), []).append(answer)
    return found


def _answer(entry: Mapping[str, Any]) -> LoggedAnswer:
    answer = LoggedAnswer(**{**entry, "a": tuple(entry["a"]), "b": tuple(entry["b"])})
    if answer.answer not in (-1, 0, 1):
        raise BadValue(answer.answer)
    return answer


_ALWAYS = ("batch", "row", "rows", "fingerprint", "a", "b", "answer", "time", "latency")
_DEFAULTS = {item.name: item.default for item in dataclasses.fields(LoggedAnswer)}


def _columns(side: str, point: Sequence[float], space: Space | None) -> dict[str, Any]:
    values = space.values(np.array(point)) if space is not None else dict(enumerate(point))
    return {f"{side}.{name}": value for name, value in values.items()}


def _is_default(value: object, item: dataclasses.Field[Any]) -> bool:
    return item.default is not dataclasses.MISSING and type(value) is type(item.default) and value == item.default


def _plain(value: Any) -> Any:
    """What JSON makes of a value that it does not know."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Iterator | set | frozenset):
        return list(value)
    return repr(value)


def _lock(file: TextIO, path: Path) -> None:
    if not lock(file):
        file.close()
        raise RuntimeError(f"log must not be in use by another run, got {str(path)!r}, which is being written to")
