"""Is what the result page says about its certainty true? Simulated people of several kinds, and random clickers.

    python benchmarks/certainty.py --method stp --people 50 --out benchmarks/certainty.jsonl
    python benchmarks/certainty.py --method preference-gp --people 12 --out benchmarks/certainty.jsonl
    python benchmarks/certainty.py --out benchmarks/certainty.jsonl --into PAGE --figure docs/images/certainty.svg

Each person answers a study of 30 questions with its repeats, then the closing comparison. Kept are the ratio of the
evidence and the stated probability that the result is better than the start, before and after the closing comparison,
and whether it is. What is in the file already is not run again. What is told was chosen on the people 1000 to 1039 of
`stp`; those from 0 on are for reporting.
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
from scipy.stats import beta

from steelyard.bench.markdown import fill
from steelyard.bench.oracle_spec import logistic_scale
from steelyard.problems import get
from steelyard.space import Parameter, Space
from steelyard.studies.consistency import RATIO
from steelyard.studies.decided import Asked
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
    parser.add_argument("--into", type=Path, help="a page with the mark <!-- bench: certainty/table -->")
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
    print(table(known))
    if arguments.into:
        fill(arguments.into, {"table": lambda: f"{table(known, each_kind=False)}\n"}, "certainty")
    if arguments.figure:
        draw(known, arguments.figure)


def _fast() -> str | None:
    """A folder in memory, where there is one: what is simulated need not survive a power cut."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def told(outcomes: list[Outcome]) -> list[Outcome]:
    """Those who are told something other than that their answers look like chance."""
    return [o for o in outcomes if o.ratio_closing >= RATIO]


def table(outcomes: list[Outcome], each_kind: bool = True) -> str:
    """Who is told that answers look like chance, and how often what is said to the others is true."""
    lines = [
        "| method | people | number | told chance | closing comparisons | stated | true | apart by |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for method in sorted({o.method for o in outcomes}, reverse=True):
        of_method = [o for o in outcomes if o.method == method]
        kinds: list[tuple[str, tuple[str, ...]]] = [(kind, (kind,)) for kind in HONEST + CLICKERS]
        honest = kinds[: len(HONEST)] if each_kind else []
        for name, some_kinds in (*honest, ("all five kinds", HONEST), *kinds[len(HONEST) :]):
            some = [o for o in of_method if o.kind in some_kinds]
            if some:
                lines.append(f"| `{method}` | {name} | {len(some)} | {_cells(some, some_kinds[0] in HONEST)} |")
    return "\n".join(lines)


def _cells(some: list[Outcome], honest: bool) -> str:
    heard = told(some)
    chance = len(some) - len(heard)
    low, high = between(chance, len(some))
    cells = [
        f"{100 * chance / len(some):.1f} % ({chance}; {100 * low:.1f} to {100 * high:.1f} %)",
        f"{np.mean([o.closing for o in some]):.1f}",
    ]
    if not honest or not heard:  # what somebody prefers who clicks at random is nothing
        return " | ".join([*cells, "", "", ""])
    stated, true = (100 * float(np.mean([getattr(o, name) for o in heard])) for name in ("stated_closing", "better"))
    return " | ".join([*cells, f"{stated:.1f} %", f"{true:.1f} %", f"{abs(stated - true):.1f}"])


def between(count: int, total: int) -> tuple[float, float]:
    """The 95 % interval of a share (Clopper and Pearson 1934)."""
    low = float(beta.ppf(0.025, count, total - count + 1)) if count else 0.0
    high = float(beta.ppf(0.975, count + 1, total - count)) if count < total else 1.0
    return low, high


def draw(outcomes: list[Outcome], path: Path) -> None:
    """For every kind of person: the ratio of the evidence, and what is stated against what is true."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "certainty"
    kinds = [kind for kind in HONEST + CLICKERS if any(o.kind == kind for o in outcomes)]
    methods = sorted({o.method for o in outcomes}, reverse=True)
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained", width_ratios=(3, 2))
    for number, method in enumerate(methods):
        colour = f"C{number}"
        places = np.arange(len(kinds)) + 0.3 * (number - 0.5 * (len(methods) - 1))
        ratios = [[np.log10(o.ratio_closing) for o in outcomes if (o.kind, o.method) == (k, method)] for k in kinds]
        left.boxplot(
            ratios, positions=places, widths=0.24, whis=(2, 98), showfliers=False, manage_ticks=False,
            boxprops={"color": colour}, medianprops={"color": colour},
        )  # fmt: skip
        left.plot([], [], color=colour, label=method)
        for kind, marker in zip(HONEST, "osD^v", strict=True):
            heard = told([o for o in outcomes if (o.kind, o.method) == (kind, method)])
            if heard:
                true = sum(o.better for o in heard)
                low, high = between(true, len(heard))
                stated, share = np.mean([o.stated_closing for o in heard]), true / len(heard)
                error = [[100 * (share - low)], [100 * (high - share)]]
                right.errorbar(100 * stated, 100 * share, error, fmt=marker, color=colour, capsize=2, markersize=5)
                right.annotate(f" {kind}", (100 * stated, 100 * share), fontsize=7, color=colour)
    left.axhline(np.log10(RATIO), color="0.4", linestyle="--", linewidth=1)
    left.set_xticks(range(len(kinds)), kinds)
    left.set_ylabel("evidence for a preference (log10 of the ratio)")
    left.set_title("Below the line: told that the answers look like chance.\nWhiskers: 2 % and 98 %", fontsize=9)
    left.legend(fontsize=8)
    ends = np.array([70.0, 100.0])
    right.plot(ends, ends, color="0.4", linewidth=1)
    right.fill_between(ends, ends - 5, ends + 5, color="0.9")
    right.set_xlabel("stated (%)")
    right.set_ylabel("true (%), with 95 % intervals")
    right.set_title("Is the result better than the start? Grey: within 5 points", fontsize=9)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


if __name__ == "__main__":
    main()
