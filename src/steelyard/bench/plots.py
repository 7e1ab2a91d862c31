"""Figures from arrays: nothing is computed here that a table would need.

Colours are Okabe and Ito's, which suit any colour vision, and every curve has a dash pattern of its own
as well. Curves are named where they end.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.bench.markdown import short
from steelyard.bench.profiles import Band, Curve
from steelyard.extras import need
from steelyard.typing import AnyArray, Array

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D1F")
DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (1, 1.3)), (0, (6, 2, 1, 2)), (0, (3, 1.5)), (0, (8, 2, 1, 1.5, 1, 2)))

STYLE = {
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.labelsize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "figure.dpi": 110,
    "savefig.dpi": 200,
    "pdf.fonttype": 42,
    "figure.constrained_layout.use": True,
}


PANEL_HEIGHT = 2.75
PANEL_SHARE = 0.78
"""Of a panel's height in inches, the share inside its axes."""
LABEL_POINTS = 10.8
HEAT_CELL = 0.48
"""Of a heat map, the width of a cell in inches: as wide as its number needs."""


@dataclass(frozen=True)
class CurveLook:
    """The same colour and dashes for a method in every figure."""

    colour: str
    dashes: Any


def looks(labels: Sequence[str]) -> dict[str, CurveLook]:
    """A look for each label, by its place in the list."""
    return {
        label: CurveLook(COLOURS[i % len(COLOURS)], DASHES[(i + i // len(COLOURS)) % len(DASHES)])
        for i, label in enumerate(labels)
    }


def gap_panels(panels: Mapping[str, Mapping[str, Band]], queries: AnyArray, look: Mapping[str, CurveLook]) -> Any:
    """Mean optimality gap against queries, one panel per problem; the shading is the range over repeats."""
    figure, axes = _panels(1, len(panels), width=3.15, height=PANEL_HEIGHT, extra_right=0.75)
    for axis, (title, bands) in zip(axes[0], panels.items(), strict=True):
        ends = {}
        for label, band in bands.items():
            mean, low, high = (np.where(np.isfinite(part) & (part > 0), part, np.nan) for part in band)
            axis.plot(queries, mean, color=look[label].colour, linestyle=look[label].dashes, linewidth=1.5)
            axis.fill_between(queries, low, high, color=look[label].colour, alpha=0.15, linewidth=0)
            finite = mean[np.isfinite(mean)]
            if finite.size:
                ends[label] = float(finite[-1])
        axis.set(yscale="log", xlim=(0, queries[-1]), title=title, xlabel="queries")
        axis.xaxis.set_major_formatter(_thousands())
        _label_ends(axis, ends, look)
    axes[0][0].set_ylabel("f(x) − f*")
    return figure


def profile_panels(
    panels: Mapping[str, tuple[Sequence[str], Curve]],
    look: Mapping[str, CurveLook],
    xlabel: str,
    ylabel: str = "fraction of problems",
    columns: int = 2,
    right: float | None = None,
) -> Any:
    """Profiles (performance, data) or ECDFs, one panel per entry: step curves on a logarithmic axis.

    The axis ends at `right`, for queries the budget, and otherwise just behind the last step: a curve goes no further
    than its data.
    """
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    figure, axes = _panels(rows, columns, width=3.7, height=PANEL_HEIGHT, extra_right=0.75)
    for axis, (title, (labels, curve)) in zip(axes.ravel(), panels.items(), strict=False):
        left = float(curve.x[0]) if len(curve.x) else 1.0
        end = right or (BEHIND_LAST_STEP * float(curve.x[-1]) if len(curve.x) else 10.0)
        end = max(end, BEHIND_LAST_STEP * left)  # all that happened, happened at once
        x = np.concatenate([curve.x, [end]]) if len(curve.x) else np.array([left, end])
        ends = {}
        for label, y in zip(labels, curve.y, strict=True):
            y = np.append(y, y[-1]) if len(y) else np.zeros(2)
            axis.plot(
                x, y, drawstyle="steps-post", color=look[label].colour, linestyle=look[label].dashes, linewidth=1.6
            )
            ends[label] = float(y[-1])
        axis.set(xscale="log", xlim=(left, end), ylim=(0, 1.02), title=title, xlabel=xlabel)
        _label_ends(axis, ends, look)
    _finish(axes, len(panels), ylabel)
    return figure


def gap_grid(
    panels: Mapping[tuple[str, str], Mapping[str, tuple[AnyArray, AnyArray]]],
    rows: Sequence[str],
    columns: Sequence[str],
    default: str,
) -> Any:
    """A grid of small panels of gaps against answers, both logarithmic, by (row, column).

    `default` is thick; the best of the others at each point is a second line, each of them a thin grey one.
    """
    figure, axes = _panels(len(rows), len(columns), width=1.5, height=1.15)
    for (i, row), (j, column) in product(enumerate(rows), enumerate(columns)):
        axis = axes[i][j]
        curves = panels.get((row, column), {})
        others: dict[float, float] = {}
        for name, (x, y) in curves.items():
            if name != default:
                axis.plot(x, y, color="#bdbdbd", linewidth=0.7, zorder=1)
                for at, gap in zip(x.tolist(), y.tolist(), strict=True):
                    others[at] = min(others.get(at, np.inf), gap)
        if others:
            axis.plot(list(others), list(others.values()), color=COLOURS[1], linestyle=DASHES[1], linewidth=1.3)
        if default in curves:
            axis.plot(*curves[default], color=COLOURS[0], linewidth=2.0)
        axis.set(xscale="log", yscale="log")
        axis.tick_params(labelsize=6, length=2)
        axis.minorticks_off()
        if i == 0:
            axis.set_title(column, fontsize=8)
        if i == len(rows) - 1:
            axis.set_xlabel("answers", fontsize=7)
        if j == 0:
            axis.set_ylabel(row, fontsize=6.5, rotation=0, ha="right", va="center")
        if not curves:
            axis.set_axis_off()
    lines = need("matplotlib.lines", "bench").Line2D
    handles = [
        lines([], [], color=COLOURS[0], linewidth=2.0, label=default),
        lines([], [], color=COLOURS[1], linestyle=DASHES[1], linewidth=1.3, label="best other at each point"),
        lines([], [], color="#bdbdbd", linewidth=0.7, label="other methods"),
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=3, fontsize=8, title="gap", title_fontsize=8)
    return figure


BEHIND_LAST_STEP = 1.05
"""How much further than its last step a curve is drawn, so that the step can be seen."""

DARK_IS_LOW = "Dark cells have low values, which are better; each panel has its own scale, logarithmic, at its right."
"""What a heat map's caption has to say about its colours."""

LEAST_SPREAD = np.log10(1.2)
"""A panel of values within a fifth of each other has one colour: shades that show nothing but chance would mislead."""


def heat_maps(
    panels: Mapping[str, Array], rows: Sequence[str], columns: Sequence[str], ylabel: str, xlabel: str, per_row: int = 3
) -> Any:
    """The final value over two hyper-parameters, one panel per entry: darker is lower, and the value is in the cell.

    A colour bar at each panel's right has the values of its colours; put `DARK_IS_LOW` into the caption.
    """
    lines = -(-len(panels) // per_row)
    width = max(1.2, HEAT_CELL * len(columns)) + 1.3
    figure, axes = _panels(lines, min(per_row, len(panels)), width, max(1.2, 0.5 * len(rows)) + 0.7)
    for axis, (title, values) in zip(axes.ravel(), panels.items(), strict=False):
        shade = np.log10(np.maximum(np.where(np.isfinite(values), values, np.nan), 1e-300))
        low = np.nanmin(shade)
        spread = max(np.nanmax(shade) - low, LEAST_SPREAD)
        picture = axis.imshow(shade, cmap="cividis", vmin=low, vmax=low + spread, aspect="auto")
        _colour_bar(figure, picture, axis, low, low + spread)
        for (i, j), value in np.ndenumerate(values):
            colour = "white" if (shade[i, j] - low) / spread < 0.55 else "black"
            axis.text(j, i, short(value, 3, 1e4), ha="center", va="center", fontsize=7.5, color=colour)
        axis.set_xticks(range(len(columns)), columns)
        axis.set_yticks(range(len(rows)), rows)
        axis.grid(False)
        axis.spines[:].set_visible(False)
        axis.tick_params(length=0)
        axis.set(title=title, xlabel=xlabel)
    _finish(axes, len(panels), ylabel)
    return figure


def search_history(scores: Sequence[float]) -> Any:
    """The score of each trial of a search, and the lowest so far."""
    figure, axes = _panels(1, 1, width=4.6, height=PANEL_HEIGHT)
    axis, trials = axes[0][0], np.arange(1, len(scores) + 1)
    axis.plot(trials, scores, "o", color=COLOURS[0], markersize=3.5)
    axis.plot(trials, np.minimum.accumulate(np.asarray(scores)), drawstyle="steps-post", color=COLOURS[1])
    axis.set(xlim=(0.5, len(scores) + 0.5), xlabel="trial", ylabel="score")
    return figure


def save(figure: Any, folder: Path, name: str) -> Path:
    """Write the figure as vector PDF and as PNG; returns the PNG."""
    folder.mkdir(parents=True, exist_ok=True)
    # Without the date a figure of the same data is the same file.
    figure.savefig(folder / f"{name}.pdf", metadata={"CreationDate": None})
    figure.set_layout_engine("none")  # it has its layout, and would take as long over it again
    figure.savefig(folder / f"{name}.png", metadata={"Software": None})
    need("matplotlib.pyplot", "bench").close(figure)
    return folder / f"{name}.png"


# --- inside


def _panels(rows: int, columns: int, width: float, height: float, extra_right: float = 0.0) -> tuple[Any, Any]:
    matplotlib = need("matplotlib", "bench")
    matplotlib.use("Agg")
    pyplot = need("matplotlib.pyplot", "bench")
    pyplot.rcParams.update(STYLE)
    figure, axes = pyplot.subplots(
        rows, columns, figsize=((width + extra_right) * columns, height * rows), squeeze=False
    )
    return figure, axes


def _finish(axes: Any, used: int, ylabel: str) -> None:
    """Leave out the panels that are not used, and name the vertical axis once in each row."""
    for axis in axes.ravel()[used:]:
        axis.set_axis_off()
    for row in axes:
        row[0].set_ylabel(ylabel)


def _label_ends(axis: Any, ends: Mapping[str, float], look: Mapping[str, CurveLook]) -> None:
    """Name each curve at its right end, moved apart just enough to be read."""
    if not ends:
        return
    right = axis.get_xlim()[1]
    axis.get_ylim()  # settles the limits, by which the places are reckoned
    to_axes = axis.transData - axis.transAxes
    places = {label: float(np.clip(to_axes.transform((right, value))[1], 0.0, 1.0)) for label, value in ends.items()}
    order = sorted(places, key=lambda label: places[label])
    apart = spread_out([places[label] for label in order], least=LABEL_POINTS / (72.0 * PANEL_HEIGHT * PANEL_SHARE))
    for label, y in zip(order, apart, strict=True):
        axis.annotate(
            label,
            xy=(1.0, places[label]),
            xytext=(1.035, y),
            xycoords="axes fraction",
            textcoords="axes fraction",
            va="center",
            ha="left",
            fontsize=8.5,
            color=look[label].colour,
            arrowprops={
                "arrowstyle": "-",
                "color": look[label].colour,
                "linewidth": 0.7,
                "relpos": (0.0, 0.5),  # to where the text begins, not through it
                "shrinkA": 0,
                "shrinkB": 0,
            },
            annotation_clip=False,
        )


def spread_out(places: Sequence[float], least: float) -> list[float]:
    """Sorted places moved apart to at least `least`, each cluster about its own middle, within [0, 1] if they fit."""
    groups: list[tuple[float, int]] = []  # centre and size of each cluster of touching labels
    for place in places:
        b, m = place, 1
        while groups and b - groups[-1][0] < least * (groups[-1][1] + m) / 2.0:  # they touch: one cluster
            a, k = groups.pop()
            b, m = (a * k + b * m) / (k + m), k + m
        groups.append((b, m))
    placed = [centre + least * (i - (size - 1) / 2.0) for centre, size in groups for i in range(size)]
    room = least * np.arange(len(placed))
    inside: list[float] = np.minimum(np.maximum(placed, room), 1.0 - room[::-1]).tolist()  # of the panel
    return inside


def _colour_bar(figure: Any, picture: Any, axis: Any, low: float, high: float) -> None:
    """The values of the colours, from log10 `low` to `high`: at most five powers of ten, or the two ends."""
    decades = np.arange(np.ceil(low), np.floor(high) + 1.0)
    ticks = decades[:: -(-len(decades) // 5)] if len(decades) > 1 else np.array([low, high])
    bar = figure.colorbar(picture, ax=axis, fraction=0.06, pad=0.03, ticks=ticks)
    bar.ax.set_yticklabels([short(10.0**tick, 3, 1e4) for tick in ticks], fontsize=6.5)
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=2, pad=2)


def _thousands() -> Any:
    ticker = need("matplotlib.ticker", "bench")
    return ticker.FuncFormatter(lambda value, _: f"{value / 1000:g}k" if value else "0")
