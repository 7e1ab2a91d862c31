"""The figures of the documentation, drawn by the library itself: `make figures` writes docs/images/*.svg.

Each figure is a function that computes and then draws; the same seeds give the same pictures.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.resources import files
from math import exp, lgamma, log
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

import steelyard
from steelyard import FunctionOracle, NoisyOracle, problems
from steelyard.algorithms.cqn import CQN
from steelyard.algorithms.cqn.tuning import DEFAULT
from steelyard.algorithms.stp import STP
from steelyard.dialogue import Compare
from steelyard.estimate import estimate
from steelyard.parts.questions import bubble_sort, insertion_sort, merge_insertion, merge_sort
from steelyard.typing import Array

IMAGES = Path(__file__).with_name("images")

# Okabe and Ito's colours, which everybody can distinguish.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")

STYLE = {
    "svg.hashsalt": "steelyard",  # the same figure, the same file
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": mpl.cycler(color=COLOURS),
    "figure.constrained_layout.use": True,
    "legend.frameon": False,
}


def gap_of(problem: problems.Problem, method: str, budget: int, seed: int = 0, p: float = 1.0) -> tuple[Array, Array]:
    """Comparisons asked, and how far f still is from its best value as a fraction of the start, at each step."""
    f0, best = problem.f(problem.x0), problem.f_best or 0.0
    trace: list[tuple[int, float]] = [(1, 1.0)]

    def watch(state: Any) -> None:
        if state.ncmp > 1.01 * trace[-1][0]:
            trace.append((state.ncmp, (problem.f(state.x) - best) / (f0 - best)))

    oracle: Any = FunctionOracle(problem)
    if p < 1.0:
        oracle = NoisyOracle(oracle, p, np.random.default_rng(1000 + seed))
    steelyard.minimize(oracle, problem.x0, method=method, budget=budget, rng=seed, callback=watch)
    asked, gap = np.array(trace).T
    return asked, gap


def label_ends(axes: Any, ends: list[tuple[str, float, float, str]], share: float = 0.065) -> None:
    """Names at the right ends of the lines, moved apart where they would touch: by a share of the y axis."""
    bottom, top = np.log10(axes.get_ylim())
    placed = -np.inf
    x = max(end[1] for end in ends)
    for name, _, y, colour in sorted(ends, key=lambda end: end[2]):
        placed = max(np.log10(y), placed + share * (top - bottom))
        axes.annotate(name, (x, 10**placed), xytext=(4, 0), textcoords="offset points", color=colour, va="center")


def gap() -> Figure:
    """The README's picture: how fast each method gets down to the minimum of a problem with 50 variables."""
    problem, budget = problems.get("CHNROSNB~rotated=1"), 100_000
    figure, axes = plt.subplots(figsize=(6.4, 3.6))
    ends = []
    for method, colour in zip(("cqn", "stp", "gld", "signopt", "cma-es", "scobo"), COLOURS, strict=False):
        asked, gaps = gap_of(problem, method, budget)
        floor = 1e-10
        axes.loglog(asked, np.maximum(gaps, floor), color=colour, lw=2.2 if method == "cqn" else 1.2)
        ends.append((method, asked[-1], max(gaps[-1], floor), colour))
    label_ends(axes, ends)
    axes.set(xlabel="comparisons asked", ylabel="gap to the minimum (start = 1)", xlim=(10, 6 * budget))
    axes.set_xticks([10, 100, 1000, 10_000, 100_000])
    axes.set_title("CHNROSNB, 50 variables, rotated: every method sees comparisons only", fontsize=9, loc="left")
    return figure


def comparison_only() -> Figure:
    """The same run on f and on an increasing transform of f: other values, the same answers, the same path."""

    def f(x: Array) -> Array:
        return (x[..., 0] ** 2 + 4 * x[..., 1] ** 2) / 4

    def g(x: Array) -> Array:
        return np.log1p(np.exp(3 * np.sqrt(f(x)))) ** 0.25

    grid = np.stack(np.meshgrid(np.linspace(-2.6, 2.6, 161), np.linspace(-1.7, 1.7, 121)), axis=-1)
    figure, panels = plt.subplots(1, 2, figsize=(6.4, 2.6), sharey=True)
    for axes, h, name in zip(panels, (f, g), ("f(x)", "an increasing transform of f(x)"), strict=True):
        path = [np.array([-2.2, 1.4])]
        steelyard.minimize(
            FunctionOracle(h), path[0], method=STP(step=0.5), budget=60, rng=3, callback=lambda s, p=path: p.append(s.x)
        )
        drawn = axes.contour(grid[..., 0], grid[..., 1], h(grid), levels=9, colors="0.7", linewidths=0.7)
        axes.clabel(drawn, fontsize=6)
        axes.plot(*np.array(path).T, "o-", color=COLOURS[0], ms=2.5, lw=1)
        axes.set_title(name, fontsize=9, loc="left")
        axes.set_aspect("equal")
    return figure


def comparisons_of(sort: Callable[[Any], Any], values: Array) -> int:
    """How many comparisons a way of sorting asks for these values."""
    points = values[:, None]
    dialogue: Iterator[Any] = sort(points)
    asked, message = 0, next(dialogue)
    while True:
        assert isinstance(message, Compare)
        asked += len(message)
        try:
            message = dialogue.send(np.sign(message.b - message.a)[:, 0].astype(np.int8))  # type: ignore[attr-defined]
        except StopIteration:
            return asked


def sorting() -> Figure:
    """What it costs to sort m candidates, by the paper's bubble sort and by better ways, on average and at least."""
    rng, sizes = np.random.default_rng(0), np.arange(2, 41)
    ways = {"bubble (the paper's)": bubble_sort, "merge": merge_sort, "binary insertion": insertion_sort}
    ways["merge-insertion"] = merge_insertion
    least = np.array([lgamma(m + 1) / log(2) for m in sizes])
    figure, (all_of_it, beyond) = plt.subplots(1, 2, figsize=(7.2, 3.0))
    for name, sort in ways.items():
        mean = [np.mean([comparisons_of(sort, rng.permutation(m).astype(float)) for _ in range(100)]) for m in sizes]
        all_of_it.plot(sizes, mean, label=name)
        beyond.plot(sizes, mean - least)
    all_of_it.plot(sizes, least, "k:", lw=1, label="no way needs less: log2 m!")
    all_of_it.plot(sizes, sizes - 1, color="0.6", lw=1, label="only the best one: m - 1")
    all_of_it.set(xlabel="candidates m", ylabel="comparisons, mean of 100 orders", ylim=(0, 400))
    figure.legend(loc="outside upper center", ncols=3, fontsize=8)
    beyond.set(xlabel="candidates m", ylabel="comparisons beyond log2 m!", ylim=(0, 12))
    return figure


def noise() -> Figure:
    """What wrong answers do to each method: the paper's noisy oracle, on its SparseQuadratic and on a rotated QING."""
    named = {"SparseQuadratic": "SparseQuadratic", "QING?N=50~rotated=1": "QING, rotated"}
    budget = 20_000
    figure, panels = plt.subplots(2, 3, figsize=(7.6, 5.0), sharex=True, sharey="row")
    for row, (problem, title) in zip(panels, named.items(), strict=True):
        for axes, p in zip(row, (1.0, 0.9, 0.7), strict=True):
            ends = []
            for method, colour in zip(("cqn", "stp", "gld", "signopt", "scobo"), COLOURS, strict=False):
                asked, gaps = gap_of(problems.get(problem), method, budget, p=p)
                gaps = np.clip(gaps, 1e-8, 10.0)
                axes.loglog(asked, gaps, color=colour, lw=1.2)
                ends.append((method, asked[-1], gaps[-1], colour))
            axes.set(xlim=(10, 25 * budget), ylim=(5e-9, 30))
            axes.set_xticks([10, 1000, 10_000])
            label_ends(axes, ends, 0.085)
            axes.set_title("all answers right" if p == 1 else f"right with p = {p:g}", fontsize=9, loc="left")
        row[0].set_ylabel(f"{title}\ngap to the minimum")
    for axes in panels[-1]:
        axes.set_xlabel("comparisons")
    return figure


def limit() -> Figure:
    """Measured comparisons against the bits that a result holds: the table behind `steelyard estimate`."""
    table = json.loads(files("steelyard").joinpath("comparisons.json").read_text(encoding="utf-8"))
    figure, (all_of_it, by_n) = plt.subplots(1, 2, figsize=(7.4, 3.3))
    for rate, colour in zip(table["error_rates"], COLOURS, strict=False):
        known = [estimate(n, accuracy, rate) for n in table["variables"] for accuracy in table["accuracies"]]
        needed, used = np.array([(each.limit, each.half) for each in known]).T
        name = f"{rate:.0%} of answers wrong" if rate else "all answers right"
        all_of_it.loglog(needed, used, "o", color=colour, ms=3.5, label=name)
        at = [estimate(n, 0.01, rate) for n in table["variables"]]
        by_n.plot(table["variables"], [each.half / each.limit for each in at], "o-", color=colour, ms=3.5)
    ends = np.array([1.0, 1500.0])
    for times, style in ((1, "-"), (3, "--"), (10, ":")):
        name = "the limit" if times == 1 else f"{times} times the limit"
        all_of_it.plot(ends, times * ends, "k", ls=style, lw=0.8, label=name)
    all_of_it.set(xlabel="limit: answers that hold the result", ylabel="comparisons, half of the runs", ylim=(1, 3000))
    all_of_it.legend(fontsize=7, loc="lower right")
    by_n.set(xlabel="variables", ylabel="comparisons / limit, to 1 % of the first gap", ylim=(0, None))
    by_n.set_xticks(table["variables"])
    by_n.axhline(1.0, color="k", lw=0.8)
    return figure


def answers_by_repeating(p: Array, sure: float = 0.99) -> Array:
    """Answers per question, relative to a judge that does not err, until one side leads enough to be `sure`."""
    odds = p / (1.0 - p)
    lead = np.ceil(np.log(sure / (1.0 - sure)) / np.log(odds))
    right = 1.0 / (1.0 + odds**-lead)
    return np.asarray(lead * (2.0 * right - 1.0) / (2.0 * p - 1.0))  # Wald's identity


def repeating() -> Figure:
    """What errors cost by repeating each question, and at least; and who repeats in vain."""
    p = np.linspace(0.55, 0.99, 400)
    entropy = -(p * np.log2(p) + (1.0 - p) * np.log2(1.0 - p))
    figure, (cost, vain) = plt.subplots(1, 2, figsize=(7.2, 3.0))
    cost.semilogy(p, answers_by_repeating(p), color=COLOURS[1], label="repeating until 99 % sure")
    cost.semilogy(p, 1.0 / (1.0 - entropy), "k:", label="no method needs less: 1 / (1 - H(p))")
    cost.set(xlabel="probability p of a right answer", ylabel="answers, relative to p = 1", ylim=(0.8, 400))
    cost.legend(fontsize=7)
    asked, k = np.arange(1, 42, 2), np.arange(42)
    for part, colour in ((0.9, COLOURS[2]), (0.75, COLOURS[3])):
        counts = np.array(
            [[exp(lgamma(m + 1) - lgamma(j + 1) - lgamma(m - j + 1)) if j <= m else 0.0 for j in k] for m in asked]
        )
        wins = (
            (k[None] > asked[:, None] / 2.0)
            * counts
            * part ** k[None]
            * (1.0 - part) ** np.maximum(asked[:, None] - k[None], 0)
        )
        vain.plot(asked, wins.sum(axis=1), color=colour, label=f"errors drawn anew, p = {part}")
        vain.plot(asked, np.full(asked.size, part), "--", color=colour, label=f"persistent errors, p = {part}")
    vain.set(xlabel="times the same question is asked", ylabel="the majority is right", ylim=(0.7, 1.01))
    vain.legend(fontsize=7)
    return figure


def decades(problem: problems.Problem, method: CQN, last: int) -> Array:
    """Comparisons per variable for each decade of f down to 10 to the power of minus `last`."""
    f0, reached = problem.f(problem.x0), np.full(last + 1, np.nan)

    def watch(state: Any) -> None:
        fallen = problem.f(state.x) <= f0 * 10.0 ** -np.arange(last + 1)
        reached[fallen & np.isnan(reached)] = state.ncmp

    steelyard.minimize(
        FunctionOracle(problem), problem.x0, method=method, budget=300 * problem.n, rng=0, callback=watch
    )
    return np.diff(reached, prepend=0.0)[1:] / problem.n


def tail() -> Figure:
    """What each decade costs CQN on quadratics, with and without asking what a direction has missed, and at least."""
    n, last = 30, 14
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 3.0), sharex=True)
    ways = {"before": replace(DEFAULT, remnant_from=n + 1), "now": DEFAULT}
    for axes, condition in zip(panels, (1, 100), strict=True):
        runs = [
            problems.get(f"Ellipsoid?n={n}&condition={condition}~rotated={seed}~moved={seed}") for seed in range(11, 16)
        ]
        for (name, tuning), colour in zip(ways.items(), (COLOURS[1], COLOURS[0]), strict=True):
            spent = np.mean([decades(problem, CQN(tuning=tuning), last) for problem in runs], axis=0)
            axes.plot(np.arange(1, last + 1), spent, "o-", ms=3, color=colour, label=name)
            print(f"condition {condition}, {name}, per two decades from 1e-4 to 1e-12 and from 1e-10 to 1e-14:")
            print(f"    {spent[4:12].mean() * 2:.1f} n, {spent[10:].mean() * 2:.1f} n")
        axes.axhline(0.5 * log(10.0, 2.0), color="k", ls=":", lw=1, label="no method needs less")
        axes.set_title("sphere" if condition == 1 else f"condition {condition}", fontsize=9, loc="left")
        axes.set(xlabel="decades of f below its start", ylim=(0, None))
    panels[0].set_ylabel("comparisons per variable and decade")
    panels[0].legend(fontsize=7)
    return figure


FIGURES = {
    "gap": gap,
    "comparison-only": comparison_only,
    "sorting": sorting,
    "noise": noise,
    "limit": limit,
    "repeating": repeating,
    "tail": tail,
}


def save(figures: dict[str, Callable[[], Figure]]) -> None:
    """Draw these figures, or those of them that the command names."""
    IMAGES.mkdir(exist_ok=True)
    for name, draw in figures.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        figure = draw()
        figure.savefig(IMAGES / f"{name}.svg", metadata={"Date": None})
        plt.close(figure)
        print(IMAGES / f"{name}.svg")


if __name__ == "__main__":
    mpl.rcParams.update(STYLE)
    save(FIGURES)
