"""A judge that is another program: each comparison starts a command and reads its verdict.

The same twenty lines serve a language model behind a command line, a simulator, a compiler and its benchmark, or a
robot in the laboratory: anything that can be given two candidates and can say which of them is better.

    python examples/judge_command.py
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass

import numpy as np

import steelyard
from steelyard.typing import Array

# Stands for a program of yours. It knows what it wants (here: 3 parts flour, 2 parts water, a pinch of salt) and says
# only which of two recipes is nearer, or that it cannot tell.
TASTER = """
import json, sys
asked = json.load(sys.stdin)
off = [sum((x - ideal) ** 2 for x, ideal in zip(recipe, (3.0, 2.0, 0.1))) for recipe in (asked["a"], asked["b"])]
print("same" if abs(off[0] - off[1]) < 1e-4 else "a" if off[0] < off[1] else "b")
"""

VERDICTS = {"a": +1, "b": -1, "same": 0}


@dataclass(frozen=True)
class CommandJudge:
    """Writes {"a": [...], "b": [...]} to the command's input; it must print a, b or same."""

    command: tuple[str, ...]
    timeout: float = 60.0

    def __call__(self, x: Array, y: Array) -> int:
        asked = json.dumps({"a": x.tolist(), "b": y.tolist()})
        outcome = subprocess.run(self.command, input=asked, capture_output=True, text=True, timeout=self.timeout)
        said = outcome.stdout.strip()
        if outcome.returncode != 0 or said not in VERDICTS:
            raise RuntimeError(f"{self.command[0]} must print a, b or same, got {said!r} {outcome.stderr}")
        return VERDICTS[said]


def main(budget: int = 80) -> Array:
    judge = CommandJudge((sys.executable, "-S", "-c", TASTER))
    result = steelyard.minimize(judge, np.ones(3), budget=budget, bounds=[(0, 5)] * 3, rng=1)
    flour, water, salt = result.x
    print(f"after {result.ncmp} tastings: {flour:.2f} flour, {water:.2f} water, {salt:.2f} salt ({result.nties} ties)")
    return result.x


if __name__ == "__main__":
    main()
