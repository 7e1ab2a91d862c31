"""What `minimize` returns: scipy's OptimizeResult, which can also be read and drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import OptimizeResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_SHOWN = 8
"""How many coordinates are shown; of more, the first and the last."""


class Result(OptimizeResult):
    """The outcome of a run: a `scipy.optimize.OptimizeResult` with `settings` and `history` where they apply."""

    def __repr__(self) -> str:
        settings = self.get("settings")
        shown = f"settings={settings!r}" if settings is not None else f"x={_short(self.x)}"
        word = "converged" if self.get("success") else "not converged"
        counts = f"{self.get('ncmp', 0)} comparisons, {self.get('nties', 0)} ties, {self.get('nit', 0)} steps"
        return f"<Result {shown}: {self.get('message', word)}; {counts}>"

    def _repr_html_(self) -> str:
        rows = {"message": self.get("message", ""), "comparisons": self.get("ncmp"), "ties": self.get("nties")}
        settings = self.get("settings")
        rows |= dict(settings) if isinstance(settings, dict) else {"x": _short(self.x)}
        rows |= {name: self[name] for name in ("calls", "cost") if self.get(name)}
        cells = "".join(f"<tr><th>{_html(name)}</th><td>{_html(value)}</td></tr>" for name, value in rows.items())
        return f"<table>{cells}</table>"

    def plot(self) -> Figure:
        """The recommendation over the comparisons: one line per coordinate of `history`. Needs matplotlib."""
        from steelyard.extras import need  # slow to import

        history = self.history
        figure: Figure = need("matplotlib.figure", "bench").Figure(figsize=(7, 4), layout="constrained")
        axes = figure.subplots()
        x = history.x
        names = self.get("names") or [f"x[{i}]" for i in range(self.x.size)]
        if len(history):
            for i in range(min(x.shape[1], MOST_SHOWN)):
                axes.step(history.queries, x[:, i], where="post", label=names[i])
            axes.legend(frameon=False)
        axes.set(xlabel="comparisons", ylabel="recommendation")
        return figure


def _short(x: Any) -> str:
    x = np.asarray(x)
    numbers = [f"{value:.4g}" for value in (x if x.size <= MOST_SHOWN else [*x[:4], *x[-2:]])]
    if x.size > MOST_SHOWN:
        numbers.insert(4, "…")
    return f"[{', '.join(numbers)}]"


def _html(value: object) -> str:
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text.replace("&", "&amp;").replace("<", "&lt;")
