"""Where a method stands after some answers: all that a server needs to know of it, as plain data.

A position can be written to the store and read by any process, so that nobody has to think it again.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from steelyard.typing import AnyArray, Array

RowPlace = tuple[int, int, str]
"""What a question is known by in its run: after how many decided questions it was thought of, its number among those,
and a checksum of its two points."""


@dataclass(frozen=True, eq=False)
class Position:
    """A method after `decided` answers: row i of `a` against row i of `b` is asked at `places[i]`; `x` is recommended.

    With a `choice` ("best" or "ranking") it is one question instead, about all rows of `a`, and `b` is empty.
    Without any row the method has stopped, for a `reason`. `models` says that it can say how certain it is; `memory` is
    what it wants to be reminded of when it resumes.
    """

    decided: int
    a: Array
    b: Array
    places: tuple[RowPlace, ...]
    x: Array
    reason: str | None = None
    models: bool = False
    memory: Mapping[str, Array] = field(default_factory=dict)
    choice: str = ""

    def points(self, row: int) -> Array:
        """What question number `row` shows."""
        return self.a if self.choice else np.stack([self.a[row], self.b[row]])

    def rows_at(self, decided: int) -> int:
        """How many questions have been thought of after this many answers: the next one's number."""
        return 1 + max((row for batch, row, _ in self.places if batch == decided), default=-1)

    def pack(self) -> bytes:
        """As bytes: what they are, in JSON, and the numbers one after another. Reading them runs no code."""
        arrays = {"a": self.a, "b": self.b, "x": self.x, **{f"memory.{k}": v for k, v in self.memory.items()}}
        arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        head = {
            "decided": self.decided,
            "places": self.places,
            "reason": self.reason,
            "models": self.models,
            "choice": self.choice,
            "arrays": [[name, array.dtype.str, np.shape(self._array(name))] for name, array in arrays.items()],
        }
        return b"".join([json.dumps(head).encode(), b"\n", *(array.tobytes() for array in arrays.values())])

    def _array(self, name: str) -> AnyArray:
        return self.memory[name[7:]] if name.startswith("memory.") else getattr(self, name)

    @classmethod
    def unpack(cls, packed: bytes) -> Position:
        text, _, body = packed.partition(b"\n")
        head = json.loads(text)
        arrays, at = {}, 0
        for name, kind, shape in head["arrays"]:
            count = int(np.prod(shape, dtype=int))
            arrays[name] = np.frombuffer(body, np.dtype(kind), count, at).reshape(shape)
            at += arrays[name].nbytes
        return cls(
            decided=head["decided"],
            a=arrays.pop("a"),
            b=arrays.pop("b"),
            places=tuple((batch, row, points) for batch, row, points in head["places"]),
            x=arrays.pop("x"),
            reason=head["reason"],
            models=head["models"],
            memory={name[7:]: array for name, array in arrays.items()},
            choice=head.get("choice", ""),
        )


def place_of(question: str) -> RowPlace:
    """The place of a question, from its id."""
    batch, row, _, points = question.split("-")
    return int(batch), int(row), points


def checksum(a: Array, b: Array) -> str:
    """What distinguishes a pair of points."""
    return f"{zlib.crc32(np.ascontiguousarray(b).data, zlib.crc32(np.ascontiguousarray(a).data)):08x}"
