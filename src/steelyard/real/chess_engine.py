"""A chess engine tuned by games: weights and margins of Toga II, scrambled, to be regained by pairs of short games.

A comparison is two games from one balanced opening with colours swapped; who has more points is better, equal points
are a tie. Searches are of fixed depth, so a game depends on nothing but the two settings and the opening: the noise is
the choice of the opening. The hidden quality is the Elo that the author's values are ahead, from games with other
openings.
"""

from typing import NamedTuple

import numpy as np

from steelyard.real.chess_games import elo, opening, pair_score
from steelyard.real.task import Task
from steelyard.typing import Answers, Array

TUNING_OPENINGS = 500
"""A comparison draws one of this many openings; the quality is measured with others."""


class Option(NamedTuple):
    """A number of the engine: its name, its author's value and the range in which it is tuned."""

    name: str
    author: int
    low: int
    high: int


ENGINE_OPTIONS = (
    Option("Material", 100, 0, 400),
    Option("Piece Activity", 100, 0, 400),
    Option("Piece Square Activity", 100, 0, 400),
    Option("King Safety", 100, 0, 400),
    Option("Pawn Structure", 100, 0, 400),
    Option("Passed Pawns", 100, 0, 400),
    Option("Futility Margin", 100, 0, 500),
    Option("Extended Futility Margin", 200, 0, 900),
    Option("Delta Margin", 50, 0, 500),
    Option("History Threshold", 70, 0, 100),
    Option("Toga Lazy Eval Margin", 200, 0, 900),
    Option("Toga Lazy Eval Mobility Margin", 125, 0, 900),
    Option("Toga King Pawn Endgame Bonus", 30, 0, 100),
    Option("Toga Rook Pawn Endgame Penalty", 10, 0, 100),
    Option("NullMove Reduction", 3, 1, 4),
)
"""Named as the engine names them; the ranges are the engine's own."""

MATERIAL = 0
"""The place of the weight of material among the options."""
LOW = np.array([option.low for option in ENGINE_OPTIONS], dtype=np.float64)
HIGH = np.array([option.high for option in ENGINE_OPTIONS], dtype=np.float64)
AUTHOR = np.array([option.author for option in ENGINE_OPTIONS], dtype=np.float64)


def engine_settings(x: Array) -> dict[str, int]:
    """The engine's settings at a point of the unit box."""
    whole = np.clip(np.rint(LOW + (HIGH - LOW) * x), LOW, HIGH).astype(int)
    return {option.name: int(value) for option, value in zip(ENGINE_OPTIONS, whole, strict=True)}


def point(values: Array) -> Array:
    """The point of the unit box at which the engine has these values."""
    return np.asarray((values - LOW) / (HIGH - LOW))


class GamePairs:
    """The judge: a pair of games from a random opening decides."""

    def __init__(self, rng: np.random.Generator, depth: int) -> None:
        self._rng, self._depth = rng, depth

    def compare(self, a: Array, b: Array) -> Answers:
        answers = [
            np.sign(pair_score(engine_settings(x), engine_settings(y), self._opening(), self._depth))
            for x, y in zip(a, b, strict=True)
        ]
        return np.array(answers, dtype=np.int8)

    def _opening(self) -> tuple[str, ...]:
        return opening(int(self._rng.integers(TUNING_OPENINGS)))


def strength(x: Array, pairs: int, depth: int, first: int = TUNING_OPENINGS) -> Array:
    """The scores of pairs of games against the author's values, from the openings numbered from `first` on."""
    mine, author = engine_settings(x), engine_settings(point(AUTHOR))
    scores = [pair_score(mine, author, opening(first + k), depth) for k in range(pairs)]
    return np.array(scores, dtype=np.float64)


def load_chess(scramble: int = 0, depth: int = 2, pairs: int = 50) -> Task:
    """Toga II with its values drawn anew from their ranges by seed `scramble`, to be tuned at this search depth.

    Material is drawn from the lowest fifth of its range: drawn from all of it, the start is only some 50 Elo behind at
    depth 2, which few games can neither show nor regain. `pairs` pairs of games measure the quality of a point.
    """
    start = np.random.default_rng([scramble, 15]).random(len(ENGINE_OPTIONS))
    start[MATERIAL] *= 0.2
    box = (np.zeros(len(ENGINE_OPTIONS)), np.ones(len(ENGINE_OPTIONS)))
    return Task(
        x0=start,
        quality=lambda x: -elo(strength(x, pairs, depth))[0],
        judge=lambda rng: GamePairs(rng, depth),
        bounds=box,
        best=0.0,
        best_source="the author's values",
        notes=f"Elo behind the author's values, from {pairs} pairs of games of depth {depth}",
    )
