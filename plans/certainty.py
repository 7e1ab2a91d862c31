"""Is what the result page says about its certainty true? Simulated people of several kinds, and random clickers.

    steelyard bench --plan plans/certainty.py --into docs/results/studies.md --into docs/images/certainty.svg

Each person answers a study of 30 questions with its repeats, then the closing comparison. Measured are the ratio of the
evidence and the stated probability that the result is better than the start, both after the closing comparison, and
whether it is. What is told was chosen on the people 1000 to 1039 of `stp`; those from 0 on are for reporting.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.special import expit
from scipy.stats import beta

from steelyard.bench.markdown import markdown_table
from steelyard.bench.measurement import Case, MeasuredRow, Measurement, grouped
from steelyard.bench.oracle_spec import logistic_scale
from steelyard.problems import get
from steelyard.registry import parse_spec
from steelyard.space import Parameter, Space
from steelyard.studies.consistency import RATIO
from steelyard.studies.decided import Asked
from steelyard.studies.study import Study, View
from steelyard.typing import Array
from steelyard.web.server import open_file

Person = Callable[[Asked, float], str]
HONEST = ("careful", "noisy", "biased", "lapsing", "drifting")
KINDS = (*HONEST, "random")
SLOW, FEW = "preference-gp", 10
"""The method that thinks for long, and how many seeds it is measured with."""


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

    def choose(asked: Asked, time: float) -> str:
        if kind == "random" or (kind == "lapsing" and rng.random() < 0.15):
            return ("left", "right")[int(rng.integers(2))]
        if kind == "biased" and rng.random() < 0.2:
            return "left"
        left = rng.random() < expit((bad(asked.right, time) - bad(asked.left, time)) / scale)
        return "left" if left else "right"

    return choose, bad


def simulated(case: Case) -> list[MeasuredRow]:
    """A study with one person: what they are told, and what is true."""
    if case.algorithm == SLOW and case.seed >= FEW:
        return []
    kind, options = parse_spec(case.problem)
    d = options["d"]
    choose, bad = person(kind, d, case.seed)
    space = Space(tuple(Parameter(f"p{i}") for i in range(d)))
    view = View(command=("true", "{output}"))  # nobody looks
    study = Study("simulated", space, view, method=case.algorithm, budget=case.budget, seed=case.seed)
    with tempfile.TemporaryDirectory(dir=_fast()) as folder:
        opened = open_file(study, Path(folder, "study.db"), ahead=False)
        try:
            rater, _ = opened.add_rater("simulated")
            number = 0
            while (asked := opened.runs.question(rater)) is not None:
                number += 1
                opened.runs.answer(rater, asked.id, choose(asked, min(1.0, number / case.budget)))  # type: ignore[arg-type]
            state = opened.run_state(rater)
            closing = 0
            while questions := state.check_questions(rater.id):
                closing += 1
                opened.runs.check(rater, questions[0].id, choose(questions[0], 1.0))  # type: ignore[arg-type]
            found = state.consistency(rater.id)
            stated, better = found.better(state.best, state.start), bad(state.best) < bad(state.start)
        finally:
            opened.close()
    return [{"kind": kind, "ratio": found.ratio, "stated": stated, "better": better, "closing": closing}]


def _fast() -> str | None:
    """A folder in memory, where there is one: what is simulated need not survive a power cut."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def told(people: list[MeasuredRow]) -> list[MeasuredRow]:
    """Those who are told something other than that their answers look like chance."""
    return [each for each in people if each["ratio"] >= RATIO]


def tables(people: list[MeasuredRow]) -> dict[str, str]:
    """Who is told that answers look like chance, and how often what is said to the others is true; by kind as well."""
    head = ["method", "people", "number", "told chance", "closing comparisons", "stated", "true", "apart by"]
    rows, by_kind = [], []
    for (method,), some in grouped(people, "algorithm").items():
        honest = [each for each in some if each["kind"] in HONEST]
        clicking = [each for each in some if each["kind"] not in HONEST]
        rows += [_row(method, "all five kinds", honest), *([_row(method, "random", clicking)] if clicking else [])]
        by_kind += [_row(method, kind, each) for (kind,), each in grouped(honest, "kind").items()]
    return {"table": markdown_table(head, rows), "kinds": markdown_table(head, by_kind)}


def _row(method: str, name: str, some: list[MeasuredRow]) -> list[str]:
    heard = told(some)
    chance = len(some) - len(heard)
    low, high = between(chance, len(some))
    row = [f"`{method}`", name, str(len(some))]
    row.append(f"{100 * chance / len(some):.1f} % ({chance}; {100 * low:.1f} to {100 * high:.1f} %)")
    row.append(f"{np.mean([each['closing'] for each in some]):.1f}")
    if some[0]["kind"] not in HONEST or not heard:  # what somebody prefers who clicks at random is nothing
        return [*row, "", "", ""]
    stated, true = (100 * float(np.mean([each[what] for each in heard])) for what in ("stated", "better"))
    return [*row, f"{stated:.1f} %", f"{true:.1f} %", f"{abs(stated - true):.1f}"]


def between(count: int, total: int) -> tuple[float, float]:
    """The 95 % interval of a share (Clopper and Pearson 1934)."""
    low = float(beta.ppf(0.025, count, total - count + 1)) if count else 0.0
    high = float(beta.ppf(0.975, count + 1, total - count)) if count < total else 1.0
    return low, high


def draw(people: list[MeasuredRow], path: Path) -> None:
    """For every kind of person: the ratio of the evidence, and what is stated against what is true."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "certainty"
    found = grouped(people, "algorithm", "kind")
    methods, kinds = (list(dict.fromkeys(each[what] for each in people)) for what in ("algorithm", "kind"))
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained", width_ratios=(3, 2))
    for number, method in enumerate(methods):
        colour = f"C{number}"
        places = np.arange(len(kinds)) + 0.3 * (number - 0.5 * (len(methods) - 1))
        ratios = [[np.log10(each["ratio"]) for each in found[method, kind]] for kind in kinds]
        left.boxplot(
            ratios, positions=places, widths=0.24, whis=(2, 98), showfliers=False, manage_ticks=False,
            boxprops={"color": colour}, medianprops={"color": colour},
        )  # fmt: skip
        left.plot([], [], color=colour, label=method)
        for kind, marker in zip(HONEST, "osD^v", strict=True):
            if heard := told(found.get((method, kind), [])):
                true = sum(each["better"] for each in heard)
                low, high = between(true, len(heard))
                stated, share = np.mean([each["stated"] for each in heard]), true / len(heard)
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


PLAN = Measurement(
    measure=simulated,
    tables=tables,
    figure=draw,
    problems=[f"{kind},d={d}" for d in (2, 4) for kind in KINDS],
    algorithms=("stp", SLOW),
    seeds=60,
    budget=30,
)
