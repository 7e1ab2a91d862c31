"""The path of a run as a drawing: one small curve per parameter. The style sheet colours it."""

from xml.sax.saxutils import escape, quoteattr

import numpy as np

from steelyard.space import Parameter
from steelyard.studies.run_state import RunState
from steelyard.typing import Array

WIDTH, HEIGHT, LEFT, TOP = 320, 132, 10, 30


def path_plots(state: RunState) -> list[str]:
    """An SVG for each parameter: its recommended value after every answer."""
    points = np.array([state.start, *(decision.x for decision in state.decisions)])
    return [_plot(parameter, points[:, i]) for i, parameter in enumerate(state.study.space.parameters)]


def _plot(parameter: Parameter, t: Array) -> str:
    width, height = WIDTH - 2 * LEFT, HEIGHT - TOP - 24
    last = max(1, len(t) - 1)
    x = LEFT + width * np.arange(len(t)) / last
    y = TOP + height * (1.0 - t)
    # A recommendation holds until the next: steps, not slopes.
    steps = f"M{x[0]:.1f} {y[0]:.1f}" + "".join(f"H{x[i]:.1f}V{y[i]:.1f}" for i in range(1, len(t)))
    begin, end = parameter.text(parameter.from_unit(t[0])), parameter.text(parameter.from_unit(t[-1]))
    label = f"{parameter.label}: from {begin} to {end} in {len(t) - 1} answers"
    return (
        f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label={quoteattr(label)}>'
        f'<text class="plot-name" x="{LEFT}" y="18">{escape(parameter.label)}</text>'
        f'<text class="plot-value" x="{WIDTH - LEFT}" y="18" text-anchor="end">{escape(end)}</text>'
        f'<rect class="plot-area" x="{LEFT}" y="{TOP}" width="{width}" height="{height}" rx="4"/>'
        f'<path class="plot-line" d="{steps}"/>'
        f'<circle class="plot-end" cx="{x[-1]:.1f}" cy="{y[-1]:.1f}" r="4"/>'
        f'<text class="plot-axis" x="{LEFT}" y="{HEIGHT - 8}">start {escape(begin)}</text>'
        f'<text class="plot-axis" x="{WIDTH - LEFT}" y="{HEIGHT - 8}" text-anchor="end">{len(t) - 1} answers</text>'
        "</svg>"
    )


def progress_plot(points: list[tuple[float, int]]) -> str:
    """How many answers there were when, over all people."""
    times, counts = np.array([t for t, _ in points]), np.array([n for _, n in points])
    wide, high = 960, 200
    x = 50 + (wide - 70) * (times - times[0]) / max(times[-1] - times[0], 1.0)
    y = high - 34 - (high - 60) * counts / counts[-1]
    steps = f"M{x[0]:.1f} {high - 34}V{y[0]:.1f}" + "".join(f"L{a:.1f} {b:.1f}" for a, b in zip(x, y, strict=True))
    minutes = (times[-1] - times[0]) / 60.0
    span = (
        f"{minutes:.0f} minutes"
        if minutes < 180
        else f"{minutes / 60:.0f} hours"
        if minutes < 4320
        else f"{minutes / 1440:.0f} days"
    )
    label = f"{counts[-1]} answers in {span}"
    return (
        f'<svg class="plot" viewBox="0 0 {wide} {high}" role="img" aria-label={quoteattr(label)}>'
        f'<rect class="plot-area" x="50" y="26" width="{wide - 70}" height="{high - 60}" rx="4"/>'
        f'<path class="plot-line" d="{steps}"/>'
        f'<text class="plot-axis" x="44" y="34" text-anchor="end">{counts[-1]}</text>'
        f'<text class="plot-axis" x="44" y="{high - 34}" text-anchor="end">0</text>'
        f'<text class="plot-axis" x="50" y="{high - 12}">first answer</text>'
        f'<text class="plot-axis" x="{wide - 20}" y="{high - 12}" text-anchor="end">{span} later</text></svg>'
    )
