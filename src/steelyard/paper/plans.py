"""What the paper ran (Slavin and McKenzie 2022), as plans, and the numbers that it published."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from steelyard.bench.plan import Plan

# The settings of the published code, also where they are not what the paper says.
METHODS = {
    "STP": "stp,preset=paper",
    "GLD": "gld,preset=published",
    "SignOPT": "signopt,preset=paper",
    "CMA-ES": "cma-es,preset=paper",
    "SCOBO": "scobo,preset=paper",
}
TOY_METHODS = {
    "STP": "stp,preset=paper-toy",
    "GLD": "gld,preset=published-toy",
    "SignOPT": "signopt,preset=paper-toy",
    "CMA-ES": "cma-es,preset=paper-toy",
    "SCOBO": "scobo,preset=published-toy",
}
OUR_METHODS = {"CQN": "cqn", "CMA-ES ours": "cma-es", "STP ours": "stp"}
"""With our defaults: shown next to the paper's, and no claim is judged by them."""

TOYS = ("SparseQuadratic", "MaxK", "NonSparseQuadratic")
FIGURE_PROBLEMS = ("VAREIGVL", "LUKSAN17LS", "CHNRSNBM")
TUNING_PROBLEMS = ("ROSENBR", "HILBERTA", "WATSON")
NOISE_LEVELS = (0.9, 0.7)

GLD_R, GLD_r = (10000, 1000, 100, 10), (0.001, 0.01, 0.1, 1.0)
GLD_QUERIES = (100, 5000)
SCOBO_s, SCOBO_r, SCOBO_m = (100, 50, 20, 10), (0.001, 0.01, 0.1, 1.0), (100, 200, 500, 1000)
SCOBO_QUERIES = (1000, 10_000)


@dataclass(frozen=True)
class Programme:
    """How much of it to run."""

    name: str
    budget: int
    seeds: int
    """Of the profiles over the 22 problems."""
    repeats: int
    """Of the toy problems, the noisy oracle and the three CUTEst figures."""
    grid_seeds: int
    ours: tuple[str, ...] = ()
    """Which of our own methods are shown as well."""

    @property
    def methods(self) -> dict[str, str]:
        """Label and spec of every method in the profiles."""
        return {**METHODS, **{label: OUR_METHODS[label] for label in self.ours}}

    @property
    def toy_methods(self) -> dict[str, str]:
        """Label and spec of every method on the toy problems."""
        return {**TOY_METHODS, **{label: OUR_METHODS[label] for label in self.ours}}

    @property
    def budgets(self) -> tuple[int, ...]:
        """The budgets at which profiles are drawn: a run for the larger one contains the run for the smaller."""
        return tuple(b for b in (10_000, 100_000) if b <= self.budget)

    def plans(self) -> dict[str, Plan]:
        """All experiments by name."""
        toy, profile = tuple(self.toy_methods.values()), tuple(self.methods.values())
        return {
            "profiles": Plan(("suite:paper22",), profile, self.budget, self.seeds),
            "toy": Plan(TOYS, toy, 10_000, self.repeats),
            **{
                f"noise p={p:g}": Plan(("SparseQuadratic",), toy, 10_000, self.repeats, oracle=noisy(p))
                for p in NOISE_LEVELS
            },
            "figures": Plan(FIGURE_PROBLEMS, profile, self.budget, self.repeats),
            "GLD as written": self._grid([gld(R, r) for R in GLD_R for r in GLD_r], 5000, GLD_QUERIES),
            "GLD as published": self._grid(
                [gld(R, r, published=True) for R in GLD_R for r in GLD_r], 5000, GLD_QUERIES
            ),
            "SCOBO s and r": self._grid([scobo(s, r=r) for s in SCOBO_s for r in SCOBO_r], 10_000, SCOBO_QUERIES),
            "SCOBO s and m": self._grid([scobo(s, m=m) for s in SCOBO_s for m in SCOBO_m], 10_000, SCOBO_QUERIES),
        }

    def _grid(self, methods: list[str], budget: int, checkpoints: tuple[int, ...]) -> Plan:
        return Plan(TUNING_PROBLEMS, methods, budget, self.grid_seeds, checkpoints=checkpoints)


QUICK = Programme("quick", budget=10_000, seeds=3, repeats=5, grid_seeds=5, ours=("CMA-ES ours",))
FULL = Programme("full", budget=100_000, seeds=5, repeats=5, grid_seeds=10, ours=tuple(OUR_METHODS))


def noisy(p: float) -> str:
    return f"noisy,p={p:g}"


def gld(R: float, r: float, published: bool = False) -> str:
    """GLD at a point of the paper's grid: as the paper writes it, or with the radii that the published code used."""
    if not published:
        return f"gld,step={R:g},smallest={r:g}"
    count = next(row["radii"] for row in published_numbers()["gld_grid"] if row["R"] == R and row["r"] == r)
    return f"gld,step={R:g},smallest={R / 2 ** (count - 1):g},directions=gaussian,over_n=True"


def scobo(s: int, r: float = 0.1, m: int = 100) -> str:
    """SCOBO at a point of the paper's grid."""
    return f"scobo,step=.01,s={s},m={m},radius={r:g},line_search=False"


@cache
def published_numbers() -> dict[str, Any]:
    """The authors' recorded query counts, and what their code reaches when it is run again."""
    numbers: dict[str, Any] = json.loads(files(__package__).joinpath("data/published.json").read_text(encoding="utf-8"))
    return numbers
