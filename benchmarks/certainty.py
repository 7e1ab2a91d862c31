"""Is what the result page says about its certainty true? Simulated people of several kinds, and random clickers.

    python benchmarks/certainty.py --method stp --people 200 --out certainty.jsonl
    python benchmarks/certainty.py --method preference-gp --people 50 --out certainty.jsonl
    python benchmarks/certainty.py --out certainty.jsonl --figure docs/images/certainty.svg

Each person answers a study of 30 questions with its repeats, then the closing comparison. Kept are the ratio of the
evidence and the stated probability that the result is better than the start, before and after the closing comparison,
and whether it is. What is in the file already is not run again.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from scipy.special import expit

from steelyard.bench.oracle_spec import logistic_scale
from steelyard.problems import get
from steelyard.space import Parameter, Space
from steelyard.studies.consistency import RATIO
from steelyard.studies.run_state import Asked
from steelyard.studies.study import Study, View
from steelyard.typing import Array
from steelyard.web.server import open_file

Person = Callable[[Asked, float], str]
HONEST = ("careful", "noisy", "biased", "lapsing", "drifting")
CLICKERS = ("random", "left", "alternating")


@dataclass(frozen=True)
class Outcome:
    """What one simulated person was told, and what is true; `closing` is after the closing comparison."""

    kind: str
    method: str
    d: int
    seed: int
    ratio: float
    ratio_closing: float
    stated: float
    stated_closing: float
    better: bool
    closing: int


def person(kind: str, d: int, seed: int) -> tuple[Person, Callable[[Array], float]]:
    """The person (a function of a question and of how far the study is, 0 to 1) and how bad they find a point."""
    rng = np.random.default_rng([seed, d, 31])
    u = get(f"Person?d={d}&seed={seed}&edge={seed // 6 % 2}")
    pairs = rng.random((2, 2000, d))
    gaps = np.abs(u.f(pairs[0]) - u.f(pairs[1]))
    scale = logistic_scale(gaps, 0.85 if kind == "noisy" else 0.95)
    drift = rng.normal(size=d)
    drift *= 0.2 / np.linalg.norm(drift)  # a fifth of the edge, from the first answer to the last

    def bad(x: Array, time: float = 1.0) -> float:
        moved = x - drift * (time - 1.0) if kind == "drifting" else x
        return float(u.f(np.clip(moved, 0.0, 1.0)[None])[0])

    clicks = 0

    def choose(asked: Asked, time: float) -> str:
        nonlocal clicks
        clicks += 1
        if kind == "left":
            return "left"
        if kind == "alternating":
            return ("left", "right")[clicks % 2]
        if kind == "random" or (kind == "lapsing" and rng.random() < 0.15):
            return ("left", "right")[int(rng.integers(2))]
        if kind == "biased" and rng.random() < 0.2:
            return "left"
        left = rng.random() < expit((bad(asked.right, time) - bad(asked.left, time)) / scale)
        return "left" if left else "right"

    return choose, bad


def simulate(kind: str, method: str, d: int, seed: int, folder: str, budget: int = 30) -> Outcome:
    space = Space(tuple(Parameter(f"p{i}") for i in range(d)))
    view = View(command=("true", "{output}"))  # nobody looks
    study = Study("simulated", space, view, method=method, budget=budget, seed=seed)
    opened = open_file(study, Path(folder, f"{kind}-{method}-{d}-{seed}.db"), ahead=False)
    try:
        rater, _ = opened.add_rater("simulated")
        choose, bad = person(kind, d, seed)
        number = 0
        while (asked := opened.runs.question(rater)) is not None:
            number += 1
            opened.runs.answer(rater, asked.id, choose(asked, min(1.0, number / budget)))  # type: ignore[arg-type]
        state = opened.run_state(rater)
        before = state.consistency(rater.id)
        said = [before.ratio, before.better(state.best, state.start)]
        closing = 0
        while questions := state.check_questions(rater.id):
            closing += 1
            opened.runs.check(rater, questions[0].id, choose(questions[0], 1.0))  # type: ignore[arg-type]
        after = state.consistency(rater.id)
        said += [after.ratio, after.better(state.best, state.start)]
        better = bad(state.best) < bad(state.start)
    finally:
        opened.close()
    return Outcome(kind, method, d, seed, said[0], said[2], said[1], said[3], bool(better), closing)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--method", default="stp")
    parser.add_argument("--people", type=int, default=0, help="of each kind and dimension")
    parser.add_argument("--kinds", default=",".join(HONEST + CLICKERS[:1]))
    parser.add_argument("--dims", default="2,4")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("certainty.jsonl"))
    parser.add_argument("--figure", type=Path)
    arguments = parser.parse_args()
    known = (
        [Outcome(**json.loads(line)) for line in arguments.out.read_text().splitlines()]
        if arguments.out.exists()
        else []
    )
    done = {(o.kind, o.method, o.d, o.seed) for o in known}
    with arguments.out.open("a") as file, tempfile.TemporaryDirectory(dir=_fast()) as folder:
        for seed in range(arguments.first, arguments.first + arguments.people):
            for d in map(int, arguments.dims.split(",")):
                for kind in arguments.kinds.split(","):
                    if (kind, arguments.method, d, seed) in done:
                        continue
                    outcome = simulate(kind, arguments.method, d, seed, folder)
                    known.append(outcome)
                    print(json.dumps(asdict(outcome)), file=file, flush=True)
    report(known)
    if arguments.figure:
        draw(known, arguments.figure)


def _fast() -> str | None:
    """A folder in memory, where there is one: what is simulated need not survive a power cut."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def report(outcomes: list[Outcome]) -> None:
    """A table: who is told that answers look like chance, and how often what is said is true."""
    print("| method | kind | people | told chance | closing | stated | true | stated before the closing | true |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for method in sorted({o.method for o in outcomes}):
        for kind in HONEST + CLICKERS:
            some = [o for o in outcomes if (o.method, o.kind) == (method, kind)]
            if not some:
                continue
            chance = 100.0 * np.mean([o.ratio_closing < RATIO for o in some])
            cells = []
            for ratio, stated in (("ratio_closing", "stated_closing"), ("ratio", "stated")):
                told = [o for o in some if getattr(o, ratio) >= RATIO]
                cells.append(f"{100 * np.mean([getattr(o, stated) for o in told]):.1f} %" if told else "–")
                cells.append(f"{100 * np.mean([o.better for o in told]):.1f} %" if told else "–")
            closing = np.mean([o.closing for o in some])
            print(f"| {method} | {kind} | {len(some)} | {chance:.1f} % | {closing:.1f} | {' | '.join(cells)} |")


def draw(outcomes: list[Outcome], path: Path) -> None:
    """The ratio of the evidence after the closing comparison, for every kind of person."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    kinds = [kind for kind in HONEST + CLICKERS if any(o.kind == kind for o in outcomes)]
    figure, axes = plt.subplots(figsize=(8, 3.6), layout="constrained")
    ratios = [[np.log10(o.ratio_closing) for o in outcomes if o.kind == kind] for kind in kinds]
    axes.boxplot(ratios, tick_labels=kinds, whis=(2, 98), showfliers=False)
    axes.axhline(np.log10(RATIO), color="0.4", linestyle="--", linewidth=1)
    axes.set_ylabel("evidence for a preference (log10 of the ratio)")
    axes.set_title("Below the line: told that the answers look like chance. Whiskers: 2 % and 98 %", fontsize=9)
    figure.savefig(path)


if __name__ == "__main__":
    main()
