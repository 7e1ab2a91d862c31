"""Columns that tied are left alone for a while: in many problems they never mattered."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from steelyard.typing import Indices


@dataclass
class TieSkipping:
    """Which of n columns to ask about next."""

    n: int
    rounds: int = 4
    _left: NDArray[np.int8] = field(init=False)

    def __post_init__(self) -> None:
        self.wake()

    def awake(self) -> Indices:
        """The columns to ask about; all of them if all rest."""
        awake = np.flatnonzero(self._left == 0)
        return awake if awake.size else np.arange(self.n)

    def note(self, asked: Indices, tied: NDArray[np.bool_]) -> None:
        """After a round of questions: columns that tied now rest; those that rested return sooner."""
        self._left = np.maximum(self._left - 1, 0)
        self._left[asked[tied]] = self.rounds

    def wake(self) -> None:
        self._left = np.zeros(self.n, dtype=np.int8)
