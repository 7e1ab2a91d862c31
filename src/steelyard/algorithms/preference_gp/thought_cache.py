"""Thoughts are remembered, so that undoing an answer or replaying a log in the same process need not think them again.

A thought is a function of the method, its start, its seed and all answers so far; it draws from a stream of its own and
leaves no trace but its result.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from steelyard.typing import Answers

T = TypeVar("T")

CAPACITY = 512

_thoughts: OrderedDict[Hashable, Any] = OrderedDict()
_thoughts_lock = Lock()


class ThoughtCache:
    """The line of thought of one run."""

    def __init__(self, run: Hashable, seed: int) -> None:
        self._run, self._seed = run, seed
        self._heard: list[tuple[int, str]] = []

    def heard(self, answers: Answers, raters: tuple[str, ...]) -> None:
        self._heard.extend(zip(answers.tolist(), raters or ("",) * len(answers), strict=True))

    def remember(self, think: Callable[[np.random.Generator], T]) -> T:
        """think(rng), or what it gave when it was thought before."""
        key = (self._run, self._seed, tuple(self._heard))
        with _thoughts_lock:
            if key in _thoughts:
                _thoughts.move_to_end(key)
                known: T = _thoughts[key]
                return known
        thought = think(np.random.default_rng([self._seed, len(self._heard)]))
        with _thoughts_lock:
            _thoughts[key] = thought
            while len(_thoughts) > CAPACITY:
                _thoughts.popitem(last=False)
        return thought
