"""The processor time of two revisions, taken in turn in one run.

    python benchmarks/against.py 03574e0

The pieces are those of speed.py: whole runs of four methods on QING (n = 100), and single comparisons. One process
holds the revision (in a worktree of its own, which is removed again), another the sources as they are here. They are
asked for one piece at a time, in turn and in changing order, and the least time of each is compared: what the work
costs when nobody disturbs it. The spread is that of the ratio over the four quarters of the rounds.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parent
QUARTERS = 4


class Worker:
    """A process that imports the package from one folder and times pieces of work when asked."""

    def __init__(self, sources: Path, queries: int) -> None:
        one_thread = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        environment = {**os.environ, **one_thread, "PYTHONPATH": os.pathsep.join([str(sources), str(HERE)])}
        command = [sys.executable, __file__, "--serve", "--queries", str(queries)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True)
        self.pieces = self._line().split("|")
        imported = Path(self._line())
        if not imported.is_relative_to(sources):
            raise RuntimeError(f"steelyard was imported from {imported}, not from {sources}")

    def seconds(self, piece: str) -> float:
        assert self._process.stdin is not None
        print(piece, file=self._process.stdin, flush=True)
        return float(self._line())

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().rstrip("\n")


def serve(queries: int) -> None:
    """The worker's side: a line per piece."""
    from speed import cpu_seconds, single_comparisons, whole_runs

    import steelyard
    from steelyard import problems

    runs = {f"QING, {name}": work for name, work in whole_runs(problems.get("QING"), queries).items()}
    works = runs | {f"one comparison, {name}": work for name, work in single_comparisons(queries).items()}
    print("|".join(works), flush=True)
    print(steelyard.__file__, flush=True)
    for line in sys.stdin:
        print(cpu_seconds(works[line.rstrip("\n")]), flush=True)


@contextmanager
def worktree(revision: str) -> Iterator[Path]:
    """The sources of a revision."""
    with tempfile.TemporaryDirectory() as folder:
        place, git = Path(folder, "then"), ["git", "-C", str(HERE.parent), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(place), revision], check=True)
        try:
            yield place / "src"
        finally:
            subprocess.run([*git, "remove", "--force", str(place)], check=True)


def compare(then: Worker, now: Worker, rounds: int) -> Iterator[str]:
    yield "| | then | now | ratio | quarters |\n|---|---|---|---|---|"
    times: dict[str, list[tuple[float, float]]] = {piece: [] for piece in now.pieces}
    for k in range(rounds):
        for piece in now.pieces:
            later = now.seconds(piece) if k % 2 else None
            earlier = then.seconds(piece)
            times[piece].append((earlier, now.seconds(piece) if later is None else later))
    for piece, pairs in times.items():
        parts = [pairs[i::QUARTERS] for i in range(QUARTERS)]
        ratios = [min(b for _, b in part) / min(a for a, _ in part) for part in parts]
        before, after = min(a for a, _ in pairs), min(b for _, b in pairs)
        spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
        yield f"| {piece} | {before * 1e3:.1f} ms | {after * 1e3:.1f} ms | {after / before:.2f} | {spread} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("revision", nargs="?", help="what to compare the present sources with")
    parser.add_argument("--queries", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve(arguments.queries)
        return
    if arguments.revision is None:
        parser.error("which revision?")
    with worktree(arguments.revision) as sources:
        workers = [Worker(place, arguments.queries) for place in (sources, HERE.parent / "src")]
        print(*compare(*workers, max(arguments.rounds, QUARTERS)), sep="\n")
        print(f"load: {os.getloadavg()[0]:.1f}")
        for worker in workers:
            worker.close()


if __name__ == "__main__":
    main()
