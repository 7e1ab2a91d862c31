"""A chess engine behind the Universal Chess Interface, spoken to over a pipe, one question at a time."""

import atexit
import contextlib
import os
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from steelyard.errors import BadValue
from steelyard.real.task import program

HASH_MEGABYTES = 4


class EngineReply(NamedTuple):
    """The engine's move (empty if there is none), and its value of the position for the side to move, in centipawns."""

    move: str
    value: int


class Engine:
    """One process of an engine. Its settings stay until others are given."""

    def __init__(self, name: str) -> None:
        path = program(name)
        if path is None:
            raise BadValue(f"the engine must be a program that is installed, got {name!r}")
        self._process = subprocess.Popen(
            [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1
        )
        self._settings: dict[str, int] = {}
        self._say("uci")
        self._until("uciok")
        self._say(f"setoption name Hash value {HASH_MEGABYTES}\nsetoption name OwnBook value false")
        atexit.register(self.close)

    def new_game(self, settings: Mapping[str, int]) -> None:
        """Forget all games before, and play with these settings from now on."""
        changed = {name: value for name, value in settings.items() if self._settings.get(name) != value}
        self._settings.update(changed)
        lines = [f"setoption name {name} value {value}" for name, value in changed.items()]
        self._say("\n".join([*lines, "ucinewgame", "isready"]))
        self._until("readyok")

    def think(self, moves: Sequence[str], depth: int) -> EngineReply:
        """The engine's move after these moves from the start."""
        played = f" moves {' '.join(moves)}" if moves else ""
        self._say(f"position startpos{played}\ngo depth {depth}")
        value = 0
        while True:
            words = self._line().split()
            if words[:1] == ["info"] and "score" in words:
                at = words.index("score")
                kind, number = words[at + 1], int(words[at + 2])
                value = number if kind == "cp" else 30_000 if number > 0 else -30_000
            elif words[:1] == ["bestmove"]:
                return EngineReply("" if words[1] in ("(none)", "0000", "a1a1") else words[1], value)

    def close(self) -> None:
        """End the process."""
        with contextlib.suppress(OSError, ValueError):
            self._say("quit")
        self._process.kill()
        self._process.wait()

    def _say(self, text: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(text + "\n")
        self._process.stdin.flush()

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise OSError("the chess engine has ended by itself")
        return line

    def _until(self, word: str) -> None:
        while self._line().strip() != word:
            pass


def engine(name: str, number: int) -> Engine:
    """Engine number so-and-so of this process: started once, then used again."""
    return _started(name, number, os.getpid())


@cache
def _started(name: str, number: int, process: int) -> Engine:
    return Engine(name)
