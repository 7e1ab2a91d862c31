"""Numbers that the workers of one server share: a file mapped into the memory of each."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from steelyard.studies.rates import SLOTS
from steelyard.typing import Array
from steelyard.web.metrics import COLUMNS


@dataclass(frozen=True, eq=False)
class Shared:
    """What workers share: a row of counters for each of them, and the rates of tokens and of strangers."""

    counters: Array
    per_token: Array
    per_stranger: Array


def shared_by(path: str | Path, workers: int) -> Shared:
    """The numbers in a file of the right size."""
    numbers = np.memmap(path, dtype=float, mode="r+", shape=(_size(workers),))
    counters, rates = numbers[: workers * COLUMNS], numbers[workers * COLUMNS :]
    per_token, per_stranger = rates.reshape(2, SLOTS, 2)
    return Shared(counters.reshape(workers, COLUMNS), per_token, per_stranger)


@contextmanager
def shared_file(workers: int) -> Iterator[str]:
    """A file for `shared_by`, all zeros, which is removed in the end."""
    with tempfile.TemporaryDirectory(prefix="steelyard-") as folder:
        path = Path(folder, "shared")
        path.write_bytes(bytes(8 * _size(workers)))
        yield str(path)


def _size(workers: int) -> int:
    return workers * COLUMNS + 2 * SLOTS * 2
