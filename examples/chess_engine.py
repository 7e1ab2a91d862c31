"""A chess engine with scrambled weights regains strength, by pairs of games with colours swapped.

Needs Debian's toga2 (apt-get install toga2) and chess (pip install 'steelyard[real]'). A small setting: searches of
depth 1, 24 pairs of games, Elo by 6. `steelyard bench --plan plans/real-chess.toml` is the whole protocol.
"""

import numpy as np

import steelyard
from steelyard import problems
from steelyard.real.chess_engine import strength
from steelyard.real.chess_games import elo
from steelyard.real.tasks import missing


def main(budget: int = 24, pairs: int = 6) -> tuple[float, float]:
    task = problems.get("real:chess", depth=1, pairs=pairs)
    judge = task.judge(np.random.default_rng(3))
    bounds = list(zip(*task.bounds, strict=True))
    result = steelyard.minimize(judge, task.x0, bounds=bounds, budget=budget, rng=0)
    found = []
    for when, x in (("scrambled", task.x0), (f"after {budget} pairs of games", result.x)):
        middle, low, high = elo(strength(x, pairs, depth=1))
        print(f"{when}: {middle:+.0f} Elo against the author's values (95 %: {low:+.0f} to {high:+.0f})")
        found.append(middle)
    return found[0], found[1]


if __name__ == "__main__":
    if reason := missing("chess"):
        raise SystemExit(reason)
    main()
