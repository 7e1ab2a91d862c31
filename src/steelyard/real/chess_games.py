"""Games between two settings of one engine: balanced openings, colours swapped, adjudicated by material."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from steelyard.real.uci import Engine, engine
from steelyard.typing import Array

TOGA = "toga2"
OPENING_PLIES = 6
BALANCED = 50
"""An opening counts as balanced if the engine, with its author's values, finds at most this many centipawns."""
OPENING_DEPTH = 6
LONGEST = 160
"""Plies after which a game is a draw."""
AHEAD, FOR_PLIES = 6, 8
"""Who is this many pawns of material ahead for this many plies in a row has won."""

Settings = Mapping[str, int]


def pair_score(first: Settings, second: Settings, opening: tuple[str, ...], depth: int) -> int:
    """Two games from one opening with colours swapped: the first's wins minus its losses, from -2 to 2."""
    one, two = engine(TOGA, 0), engine(TOGA, 1)
    one.new_game(first)
    two.new_game(second)
    as_white = play(one, two, opening, depth)
    one.new_game(first)  # what they remember of the first game would favour nobody, but change the second
    two.new_game(second)
    return as_white - play(two, one, opening, depth)


def play(white: Engine, black: Engine, opening: tuple[str, ...], depth: int) -> int:
    """One game: 1 if White wins, -1 if Black does, 0 for a draw. The same players play the same game again."""
    chess = _chess()
    board = chess.Board()
    for move in opening:
        board.push_uci(move)
    moves = list(opening)
    ahead = 0
    while len(moves) < LONGEST:
        outcome = board.outcome()
        if outcome is not None:
            return 0 if outcome.winner is None else 1 if outcome.winner else -1
        if board.halfmove_clock >= 100 or board.is_repetition(3):
            return 0
        material = _material(board)
        ahead = ahead + 1 if abs(material) >= AHEAD else 0
        if ahead >= FOR_PLIES:
            return 1 if material > 0 else -1
        player = white if board.turn else black
        move = player.think(moves, depth).move
        board.push(chess.Move.from_uci(move))
        moves.append(move)
    return 0


@cache
def opening(number: int) -> tuple[str, ...]:
    """Opening number so-and-so: random moves that leave a balanced position, the same for the same number."""
    chess = _chess()
    rng = np.random.default_rng([number, 7])
    judge = engine(TOGA, 2)
    judge.new_game({})
    while True:
        board = chess.Board()
        for _ in range(OPENING_PLIES):
            legal = sorted(move.uci() for move in board.legal_moves)
            board.push_uci(legal[int(rng.integers(len(legal)))])
        moves = tuple(move.uci() for move in board.move_stack)
        if board.outcome() is None and abs(judge.think(moves, OPENING_DEPTH).value) <= BALANCED:
            return moves


def elo(scores: Array) -> tuple[float, float, float]:
    """The difference in Elo that pair scores (-2 to 2) amount to, with its 95 % interval.

    The interval comes from the variance between pairs, as in engine testing, since the two games of a pair depend on
    each other. A share of points of 0 or 1 counts as half a game from it.
    """
    n = len(scores)
    shares = (scores + 2.0) / 4.0
    edge = 0.25 / n
    spread = 1.96 * float(np.std(shares, ddof=1)) / np.sqrt(n) if n > 1 else 0.5
    mean = float(np.mean(shares))
    low, middle, high = (
        float(-400.0 * np.log10(1.0 / np.clip(share, edge, 1.0 - edge) - 1.0))
        for share in (mean - spread, mean, mean + spread)
    )
    return middle, low, high


def _material(board: Any) -> int:
    """White's material minus Black's, in pawns."""
    values = ((1, 1), (2, 3), (3, 3), (4, 5), (5, 9))
    white, black = board.occupied_co[True], board.occupied_co[False]
    masks = (board.pawns, board.knights, board.bishops, board.rooks, board.queens)
    return sum(
        value * ((mask & white).bit_count() - (mask & black).bit_count())
        for mask, (_, value) in zip(masks, values, strict=True)
    )


@cache
def _chess() -> Any:
    import chess

    return chess
