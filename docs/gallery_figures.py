"""The pictures of the gallery, drawn from what the examples do: `make figures` writes docs/images/gallery-*.svg."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from figures import COLOURS, STYLE, save
from matplotlib.figure import Figure

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))

import classifier_from_judgements as screening
import hard_label_attack as attack
import hearing_aid
import pool_of_prompts as prompts

import steelyard


def hearing() -> Figure:
    """The gains after none, 20 and 60 answers, and the listener's own."""
    space = hearing_aid.SPACE
    figure, axes = plt.subplots(figsize=(5.2, 3.0))
    for answers, colour in ((0, "0.6"), (20, COLOURS[4]), (60, COLOURS[0])):
        point = space.start
        if answers:
            listener = steelyard.LogisticOracle(
                hearing_aid.discomfort, scale=1.0, rng=np.random.default_rng(7), jnd=0.5
            )
            point = steelyard.minimize(
                listener, space.start, method="preference-gp", budget=answers, bounds=space.bounds, rng=0
            ).x
        label = f"after {answers} answers" if answers else "start"
        axes.plot(hearing_aid.BANDS, list(space.values(point).values()), "o-", color=colour, label=label)
    axes.plot(hearing_aid.BANDS, hearing_aid.IDEAL, "k:", label="what this listener would choose")
    axes.set_xscale("log")
    axes.set_xticks(hearing_aid.BANDS, [f"{band}" for band in hearing_aid.BANDS])
    axes.minorticks_off()
    axes.set(xlabel="Hz", ylabel="gain, dB", ylim=(0, 40))
    axes.legend(loc="upper left")
    return figure


def doctor() -> Figure:
    """Every table of errors that the doctor was shown, and the one that is recommended."""
    shown: list[tuple[int, int]] = []

    def watched(s: np.ndarray, t: np.ndarray) -> int:
        shown.extend((screening.report(s), screening.report(t)))
        return screening.doctor(s, t)

    space = screening.SPACE
    result = steelyard.minimize(
        watched, space.start, method="preference-gp", budget=50, bounds=space.bounds, rng=0, shuffle=False
    )
    figure, axes = plt.subplots(figsize=(5.2, 3.0))
    misses, alarms = np.array(shown).T
    axes.scatter(alarms, misses, c=np.repeat(np.arange(len(shown) // 2), 2), cmap="viridis", s=16)
    for point, mark, name in ((space.start, "s", "start"), (result.x, "*", "recommended")):
        missed, alarmed = screening.report(point)
        axes.plot(alarmed, missed, mark, ms=12, mfc="none", mec=COLOURS[1], mew=1.5, label=name)
    axes.set_xscale("symlog", linthresh=10)
    axes.set(xlabel="false alarms", ylabel="missed patients", xlim=(0, 1500))
    axes.set_title("each dot a table of errors that the doctor was shown; dark ones first", fontsize=9, loc="left")
    axes.legend()
    return figure


def fooled() -> Figure:
    """The picture, the smallest change found, and the picture that fools the model."""
    rng = np.random.default_rng(0)
    label = attack.train(rng)
    test, truth = attack.pictures(500, rng)
    oracle = attack.NearerBoundary(label, test[np.flatnonzero(label(test) == truth)[0]])
    start = attack.start_direction(oracle, rng)
    result = steelyard.minimize(oracle, start / np.linalg.norm(start), method="signopt", budget=1500, rng=0)
    change = oracle.distance(result.x) * result.x / np.linalg.norm(result.x)
    shown = {
        "the picture": oracle.picture,
        "the change, by labels alone": change,
        "fools the model": oracle.picture + change,
    }
    figure, panels = plt.subplots(1, 3, figsize=(6.0, 2.2))
    for axes, (title, values) in zip(panels, shown.items(), strict=True):
        axes.imshow(values.reshape(attack.SIDE, attack.SIDE), cmap="Greys", vmin=-0.4, vmax=1.2)
        axes.set_title(title, fontsize=9)
        axes.set_xticks([])
        axes.set_yticks([])
    return figure


def pool() -> Figure:
    """How likely each of thirty prompts is the best, after 80 comparisons, compared with how good it really is."""
    judge = prompts.simulated_judge(seed=3)
    result = steelyard.best_of(prompts.PROMPTS, judge, budget=80, rng=0)
    order = np.argsort([-judge.quality(prompt) for prompt in prompts.PROMPTS], kind="stable")
    figure, axes = plt.subplots(figsize=(5.2, 2.6))
    axes.bar(np.arange(1, len(order) + 1), np.array(result.probability_best)[order], color=COLOURS[0])
    axes.set(xlabel="prompts, the truly best first", ylabel="probability of being the best", xlim=(0, len(order) + 1))
    return figure


FIGURES = {"gallery-hearing": hearing, "gallery-doctor": doctor, "gallery-fooled": fooled, "gallery-pool": pool}

if __name__ == "__main__":
    mpl.rcParams.update(STYLE)
    save(FIGURES)
