"""The figures of the real tasks: `python docs/real_figures.py [NAME ...]` writes docs/images/NAME.svg.

Each needs what its task needs; one that cannot be drawn here is skipped with a sentence.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from figures import COLOURS, IMAGES, STYLE
from matplotlib.figure import Figure

import steelyard
from steelyard import problems
from steelyard.bench import Plan
from steelyard.bench.like_recorded import simulated
from steelyard.bench.methods import label
from steelyard.bench.records import load_plan
from steelyard.bench.task_tables import elo_behind, measuring_pairs, pooled_elo
from steelyard.real import control, dessert
from steelyard.real.habits import habits
from steelyard.real.photo import HIGH, LOW, badness, mended, picture, spoilt
from steelyard.real.recorded import recorded
from steelyard.real.tasks import missing
from steelyard.typing import Array

ROOT = Path(__file__).parents[1]
JUDGES = ("chooser,right=.9,tied=.11", "chooser,right=.75,tied=.23", "typical,right=.85", "typical,right=.95", "person")


def recorded_figure() -> Figure:
    """Ties and circles, of recorded people and of simulated ones in the same design; and the fitted dessert."""
    names = ("universities", "parties", "names", "sound-quality", "dessert", "sound-fields")
    without_ties = ("parties", "names", "sound-quality")  # these people were not offered one
    rows = [(name, habits(recorded(name)), COLOURS[0]) for name in names]
    rows += [(judge, habits(simulated(judge)), COLOURS[1]) for judge in JUDGES]
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.4))
    for k, (name, found, colour) in enumerate(rows):
        print(f"{name}: ties {found.ties}, circles {found.circles}")
        for share, marker in ((found.ties, "o"), (found.circles, "s")):
            if share.value is not None and not (marker == "o" and name in without_ties):
                left.plot(100 * share.value, k, marker, color=colour, ms=5, mfc=colour if marker == "o" else "white")
    left.set_yticks(range(len(rows)), [name for name, _, _ in rows])
    left.invert_yaxis()
    left.set(xlabel="per cent: ties (dots), circles among three (squares)", title="people (blue) and simulated ones")
    fitted = dessert.fitted_taste()
    grid = np.stack(np.meshgrid(*[np.linspace(0, 1, 81)] * 2), axis=-1)
    drawn = right.contour(
        0.6 + 8.4 * grid[..., 0],
        4.8 * grid[..., 1],
        dessert.utility(fitted, grid.reshape(-1, 2)).reshape(81, 81),
        levels=10,
    )
    right.clabel(drawn, fontsize=6)
    right.set(xlabel="flavour", ylabel="gel", title="fitted utility of the dessert")
    return figure


def control_figure() -> Figure:
    """The acrobot's tip, before and after 80 comparisons, from the start of the median attempt after."""
    task = problems.get("real:acrobot")
    bounds = list(zip(*task.bounds, strict=True))
    found = steelyard.minimize(task.judge(np.random.default_rng(1)), task.x0, bounds=bounds, budget=80, rng=0)
    print(f"acrobot: {task.f(task.x0):.1f} steps before, {task.f(found.x):.1f} after 80 comparisons")
    figure, axes = plt.subplots(figsize=(6.4, 2.6))
    env = control.environment("Acrobot-v1")
    starts = control.INITIAL_STATES + np.arange(control.STARTS_MEASURED)
    returns = [control.rollout(env, control.discrete, found.x, int(start)) for start in starts]
    shown = int(starts[np.argsort(returns)[len(starts) // 2]])
    for weights, name, colour in ((task.x0, "before", COLOURS[6]), (found.x, "after 80 comparisons", COLOURS[0])):
        seen, _ = env.reset(seed=shown)
        heights, over = [tip(seen)], False
        while not over:
            seen, _, ended, cut, _ = env.step(control.discrete(weights, seen))
            heights.append(tip(seen))
            over = ended or cut
        axes.plot(heights, color=colour, label=name)
    axes.axhline(1.0, color="0.6", lw=0.8)
    axes.set(xlabel="step", ylabel="height of the tip")
    axes.legend()
    return figure


def tip(seen: Array) -> float:
    """The height of the acrobot's tip above its upper joint, by what a policy sees."""
    c1, s1, c2, s2 = (float(each) for each in seen[:4])
    return -c1 - (c1 * c2 - s1 * s2)


def learned_figure() -> Figure:
    """What BRISQUE thinks of sliders, and how far the photo is from what it was."""
    original = picture("astronaut")
    bad = spoilt(original, 0)
    sliders = np.random.default_rng(4).random((60, len(LOW)))
    photos = [mended(bad, LOW + (HIGH - LOW) * x) for x in sliders]
    scores = [badness(photo) for photo in photos]
    apart = [float(np.sqrt(np.mean((photo - original) ** 2))) for photo in photos]
    from scipy.stats import kendalltau

    agreement = float(kendalltau(scores, apart).statistic)
    print(f"photo: BRISQUE orders {0.5 + 0.5 * agreement:.0%} of pairs of sliders as the truth does")
    figure, axes = plt.subplots(figsize=(4.6, 3.0))
    axes.plot(apart, scores, "o", ms=4)
    axes.set(xlabel="difference from the photo as it was", ylabel="BRISQUE (less is better)")
    return figure


def simulation_figure() -> Figure:
    """Single noisy values of COCO's sphere along a line, and the medians that no method sees."""
    task = problems.get("real:noisy")
    steps = np.linspace(-1.0, 1.0, 41)
    points = np.clip(task.x0 + steps[:, None] * np.linspace(-3, 3, task.n), -5, 5)
    from steelyard.problems.adapters.bbob import coco_problem

    single = coco_problem("bbob-noisy", 107, task.n, 1)
    figure, axes = plt.subplots(figsize=(5.4, 2.8))
    for x, step in zip(points, steps, strict=True):
        axes.semilogy([step] * 12, [single(x) for _ in range(12)], ".", color="0.7", ms=3)
    axes.semilogy(steps, [task.f(x) for x in points], color=COLOURS[0], label="median of 200")
    axes.set(xlabel="along a line through the start", ylabel="noisy values")
    axes.legend()
    return figure


def chess_figure() -> Figure:
    """Elo against the author's values during the runs of plans/real-chess.toml, which must have been run before."""
    plan = Plan.load(ROOT / "plans" / "real-chess.toml")
    results = load_plan(plan, ROOT / "results" / "real-chess")
    if not len(results):
        raise SystemExit("the figure of chess needs its runs: steelyard bench --plan plans/real-chess.toml")
    counts, pairs = [0, *plan.checkpoints], measuring_pairs(plan)
    figure, axes = plt.subplots(figsize=(5.4, 3.2))
    for k, method in enumerate(plan.algorithms):
        found = np.array([pooled_elo(column, pairs) for column in elo_behind(plan, results, method).T], dtype=float)
        middle, low, high = found.T
        shifted = np.array(counts) + 1.5 * (k - 2)
        axes.errorbar(
            shifted, middle, (middle - low, high - middle), color=COLOURS[k], lw=1.2, capsize=2, label=label(method)
        )
    axes.axhline(0.0, color="0.6", lw=0.8)
    axes.set(xlabel="pairs of games", ylabel="Elo against the author's values")
    axes.legend()
    return figure


FIGURES = {
    "real-chess": ("chess", chess_figure),
    "real-recorded": ("dessert", recorded_figure),
    "real-learned": ("photo", learned_figure),
    "real-simulation": ("noisy", simulation_figure),
    "real-control": ("acrobot", control_figure),
}


def main(names: list[str]) -> None:
    mpl.rcParams.update(STYLE)
    for name in names or list(FIGURES):
        task, draw = FIGURES[name]
        if reason := missing(task):
            print(reason)
            continue
        draw().savefig(IMAGES / f"{name}.svg", metadata={"Date": None})
        plt.close("all")
        print(IMAGES / f"{name}.svg", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
