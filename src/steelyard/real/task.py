"""What a real task consists of, and where programs and files of Debian's packages are."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from steelyard.typing import Array

JudgeFactory = Callable[[np.random.Generator], Any]
"""Makes an oracle that draws from this random stream only."""


class Task(NamedTuple):
    """What a task's module makes: where a run starts, who answers, and how its end is measured."""

    x0: Array
    quality: Callable[[Array], float]
    """Of one point, less is better: the same point has the same quality. No method sees it; it may take seconds."""
    judge: JudgeFactory
    bounds: tuple[Array, Array]
    best: float
    """The quality of the reference: what the authors, a person or the field reached. It can be surpassed."""
    best_source: str
    notes: str = ""


def program(name: str) -> str | None:
    """Where a program is; Debian keeps games apart."""
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(str(root / "games") for root in _roots()))


def found_in(path: str) -> Path | None:
    """Where a file or a folder of a Debian package is, by its path below /usr."""
    return next((root / path for root in _roots() if (root / path).exists()), None)


def _roots() -> tuple[Path, Path]:
    """The system, and this Python environment, where tools/ensure.sh unpacks what is only read."""
    return Path("/usr"), Path(sys.prefix)


@contextmanager
def seeded(number: int) -> Iterator[None]:
    """NumPy's global random numbers, which some packages draw from, begun anew in here and left as they were."""
    before = np.random.get_state()  # noqa: NPY002
    np.random.seed(number % 2**32)  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002
