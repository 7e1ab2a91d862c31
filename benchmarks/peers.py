"""CQN beside other methods, as tables: problems solved, ratios of queries, and answers that are often wrong.

    python benchmarks/peers.py solved | ratios | noise          # --budget 10000 for a first look
    python benchmarks/peers.py ship                             # keeps the others' runs in the repository

A run that is kept (see `kept.py`) is not made again. It is kept by the sources of its own method, so after a change of
CQN only CQN's runs are made; `--stale` takes the others' runs also after a change of files that several methods share.
Criteria and judging are those of `cqn.py`. The paper's methods run with the paper's settings, the others with their
defaults, each with one seed.
"""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Callable
from functools import cache, partial

import foreign
import kept
import numpy as np
from cqn import LEVELS, NOISY, TOYS, groups, run_all
from kept import Run

PAPERS = ["stp,preset=paper", "gld,preset=paper", "cma-es,preset=paper", "scobo,preset=paper", "signopt,preset=paper"]
BEST = "best of these five, problem by problem"
PEERS = [
    *PAPERS, BEST, "pycma", "one-plus-one", "nelder-mead", "powell",
    "scipy-powell", "scipy-nelder-mead", "nlopt-newuoa",
]  # fmt: skip
# At n = 100 they take milliseconds of their own for each evaluation: .3 and 2 (COBYQA, left out, 20).
MOST = {"scipy-nelder-mead": 10_000, "nlopt-newuoa": 10_000}
PLAIN, MANY, ONE = "the paper's problems", "rotated, 3 seeds", "rotated, seed 1"
LEFT_OUT = {PLAIN: [], MANY: ["nlopt-newuoa"], ONE: [method for method in PEERS if method != "nlopt-newuoa"]}
IN_PACKAGE = ["stp", "gld", "cma-es", "scobo", "signopt", "nelder-mead", "powell", "pattern-search", "one-plus-one"]


def sets() -> dict[str, tuple[list[str], tuple[int, ...]]]:
    """Each set of problems and the numbers of queries at which it is judged; the last is what is run."""
    paper = groups(slow=False)["paper"]
    rotated = {seed: [f"{name}~rotated={seed}" for name in paper] for seed in (1, 2, 3)}
    return {
        PLAIN: (paper, (1_000, 10_000, 100_000)),
        MANY: ([name for names in rotated.values() for name in names], (1_000, 10_000, 100_000)),
        ONE: (rotated[1], (1_000, 10_000)),
    }


def peers(title: str, arguments: argparse.Namespace) -> list[str]:
    """The methods to show in the table of a set of problems."""
    return [m for m in PEERS if m not in arguments.without and m not in LEFT_OUT[title]]


def hits(method: str, names: list[str], budget: int, solve: Callable[..., list[Run]]) -> list[dict[str, int]]:
    """For each problem the queries at which each criterion was met."""
    if method == BEST:
        of_each = zip(*(hits(one, names, budget, solve) for one in PAPERS), strict=True)
        return [
            {c: min(run[c] for run in runs if c in run) for c in LEVELS if any(c in run for run in runs)}
            for runs in of_each
        ]
    return [run["hits"] for run in solve([(method, name, 1.0, 0) for name in names], budget)]


def show_solved(arguments: argparse.Namespace) -> None:
    for title, (names, budgets) in sets().items():
        budgets = tuple(b for b in budgets if b <= arguments.budget)
        print(f"\n{title} ({len(names)}), solved at {' / '.join(f'{b:,}' for b in budgets)} queries")
        print("| method | f5 | g5 | r3 | r6 |\n|---|---|---|---|---|")
        for method in ["cqn", *peers(title, arguments)]:
            seen = [b for b in budgets if b <= MOST.get(method, b)]
            found = hits(method, names, seen[-1], arguments.solve)
            cells = ["/".join(str(sum(h.get(c, np.inf) <= b for h in found)) for b in seen) for c in LEVELS]
            print(f"| {label(method)} | " + " | ".join(cells) + " |", flush=True)


def show_ratios(arguments: argparse.Namespace) -> None:
    for title, (names, budgets) in sets().items():
        last = min(budgets[-1], arguments.budget)
        print(f"\n{title} ({len(names)}), at most {last:,} queries: queries of the other / queries of CQN, median")
        print("(problems both solve; CQN only, the other only)\n| other | f5 | g5 | r3 | r6 |\n|---|---|---|---|---|")
        for method in peers(title, arguments):
            budget = min(last, MOST.get(method, last))
            ours, theirs = (hits(one, names, budget, arguments.solve) for one in ("cqn", method))
            cells = [ratio_cell(ours, theirs, criterion) for criterion in LEVELS]
            print(f"| {label(method)} | " + " | ".join(cells) + " |", flush=True)


def ratio_cell(ours: list[dict[str, int]], theirs: list[dict[str, int]], criterion: str) -> str:
    pairs = [(a.get(criterion), b.get(criterion)) for a, b in zip(ours, theirs, strict=True)]
    both = [b / a for a, b in pairs if a and b]
    alone = sum(bool(a and not b) for a, b in pairs), sum(bool(b and not a) for a, b in pairs)
    return (f"{np.median(both):.3g}" if both else "-") + f" ({len(both)}; {alone[0]}, {alone[1]})"


def show_noise(arguments: argparse.Namespace) -> None:
    methods = ["cqn", *IN_PACKAGE]
    for p in (0.9, 0.7):
        print(f"\nqueries to f5 / r3 at p = {p}, at most {arguments.budget:,}, median of {arguments.seeds} run(s)")
        print("| problem | " + " | ".join(map(label, methods)) + " |\n" + "|---" * (len(methods) + 1) + "|")
        behind = []
        for name in [*TOYS, *NOISY]:
            medians = {method: noisy_medians(method, name, p, arguments) for method in methods}
            for i, criterion in enumerate(("f5", "r3")):
                first = min(medians, key=lambda method, i=i, medians=medians: (medians[method][i], method != "cqn"))
                if first != "cqn":
                    behind.append(f"{name} {criterion} ({first})")
            cells = [" / ".join("-" if q == np.inf else f"{q:.0f}" for q in medians[method]) for method in methods]
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
        print(f"CQN is not first at: {', '.join(behind) or 'none'}", flush=True)


def noisy_medians(method: str, name: str, p: float, arguments: argparse.Namespace) -> list[float]:
    jobs = [(method, name, p, seed) for seed in range(arguments.seeds)]
    runs = arguments.solve(jobs, arguments.budget, until=("f5", "r3"))
    return [float(np.median([run["hits"].get(c, np.inf) for run in runs])) for c in ("f5", "r3")]


def ship_all() -> None:
    methods = [method for method in PEERS if method != BEST] + IN_PACKAGE
    print(f"{kept.ship(sorted(set(methods)))} runs kept in {kept.SHIPPED.name}")


def label(method: str) -> str:
    name, _, preset = method.partition(",preset=")
    if name == "cqn":
        return f"**cqn** ({commit()})"
    return name + (f", {preset}'s settings" if preset else "") + (", values" if name in foreign.WITH_VALUES else "")


@cache
def commit() -> str:
    """The commit that last changed what CQN asks, with a + if there are changes since."""
    files = [str(path) for path in foreign.files("cqn")]
    git = partial(subprocess.run, capture_output=True, text=True, check=True, cwd=foreign.SOURCES)
    last = git(["git", "log", "-1", "--format=%h", "--", *files]).stdout.strip()
    return last + "+" * bool(git(["git", "status", "--porcelain", "--", *files]).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    show = {"solved": show_solved, "ratios": show_ratios, "noise": show_noise, "ship": lambda _: ship_all()}
    parser.add_argument("what", choices=list(show))
    parser.add_argument("--budget", type=int, default=100_000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=1, help="of the noise")
    parser.add_argument("--without", nargs="+", default=[], choices=PEERS, metavar="METHOD")
    parser.add_argument("--stale", action="store_true", help="others' runs will do though shared sources have changed")
    arguments = parser.parse_args()
    arguments.solve = partial(run_all, processes=arguments.processes, stale=arguments.stale)
    show[arguments.what](arguments)


if __name__ == "__main__":
    main()
