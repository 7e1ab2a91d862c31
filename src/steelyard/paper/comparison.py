"""Our numbers compared with the published ones: where they agree, where they do not, and why."""

from dataclasses import dataclass
from itertools import product
from math import sqrt
from typing import NamedTuple

import numpy as np

from steelyard.bench.profiles import median_times
from steelyard.paper import plans as paper
from steelyard.paper.evidence import Evidence
from steelyard.typing import Array

REASONS = {
    "STP": "The method and its settings are the same; what is left is chance.",
    "GLD": "Run with the radii that the published code used (it halves log10(R/r) times, so it never comes near r).",
    "SignOPT": "The method and its settings are the same; what is left is chance.",
    "CMA-ES": "As the paper writes it, with the tutorial's weights and learning rates; the published code has equal "
    "weights and fixed rates, with which it diverges.",
    "SCOBO": "The published code draws Rademacher directions, once, so that half of space may stay out of reach; ours "
    "draws them from the sphere, anew in every iteration.",
}


class Fraction(NamedTuple):
    """The solved fraction of one method by one criterion: ours, their code run again, and as they recorded it."""

    criterion: str
    budget: int
    label: str
    ours: float
    rerun: float
    recorded: float
    error: float
    """Two standard errors of the difference to the re-run, as if runs were independent."""

    @property
    def agrees(self) -> bool:
        """Within sampling error of the re-run or of the recorded fraction, which themselves differ."""
        low, high = min(self.rerun, self.recorded), max(self.rerun, self.recorded)
        return low - self.error <= self.ours <= high + self.error


def fractions(evidence: Evidence) -> list[Fraction]:
    """For each budget, criterion and method of the paper."""
    numbers = paper.published_numbers()
    rows = []
    runs = len(evidence.problems) * evidence.programme.seeds
    for budget, criterion, label in product(evidence.programme.budgets, ("f05", "g05"), paper.METHODS):
        key = f"{criterion} 1e{round(np.log10(budget))}"
        rerun, recorded = numbers["solved_fraction"][key][label], numbers["solved_fraction_authors"][key][label]
        error = 2.0 * sqrt(rerun * (1.0 - rerun) * (1.0 / runs + 1.0 / (5 * len(evidence.problems))))
        ours = evidence.solved(criterion, budget)[label]
        rows.append(Fraction(criterion, budget, label, ours, rerun, recorded, error))
    return rows


@dataclass(frozen=True)
class Medians:
    """Our median query counts over the authors' recorded ones, problem by problem."""

    criterion: str
    budget: int
    label: str
    ratios: dict[str, float]
    """Of the problems that both solve in at least half of the runs."""
    only_ours: tuple[str, ...]
    only_theirs: tuple[str, ...]

    @property
    def typical(self) -> float:
        """The geometric mean of the ratios."""
        return float(np.exp(np.mean(np.log(list(self.ratios.values()))))) if self.ratios else float("nan")


def medians(evidence: Evidence) -> list[Medians]:
    """For each budget, criterion and method of the paper."""
    recorded = paper.published_numbers()["queries"]
    rows = []
    problems = evidence.problems
    for budget, criterion in product(evidence.programme.budgets, ("f05", "g05")):
        theirs_by = recorded[f"{criterion[0]}_1e{round(np.log10(budget))}"]
        ours = median_times(evidence.times(criterion, budget, list(paper.METHODS)))
        for label, column in zip(paper.METHODS, ours.T.tolist(), strict=True):
            mine = {p: q for p, q in zip(problems, column, strict=True) if np.isfinite(q)}
            counts = {p: [np.inf if q is None else q for q in theirs_by[label][p]] for p in problems}
            theirs = {p: float(np.median(counts[p])) for p in problems if np.isfinite(np.median(counts[p]))}
            ratios = {p: mine[p] / theirs[p] for p in problems if p in mine and p in theirs}
            only_ours, only_theirs = (tuple(p for p in a if p not in b) for a, b in ((mine, theirs), (theirs, mine)))
            rows.append(Medians(criterion, budget, label, ratios, only_ours, only_theirs))
    return rows


class Final(NamedTuple):
    """The mean final gap on a toy problem compared with that of the published code."""

    problem: str
    p: float
    label: str
    ours: float
    theirs: float
    overlap: bool
    """Whether the ranges of the repeats overlap."""


def finals(evidence: Evidence) -> list[Final]:
    """Of every toy problem, noise level and method."""
    rows = []
    for row in paper.published_numbers()["toy_final_gap"]:
        ours = evidence.toy_gaps(row["problem"], row["method"], row["p"])[:, -1]
        theirs = np.array(row["finals"])
        overlap = bool(ours.min() <= theirs.max() and theirs.min() <= ours.max())
        rows.append(Final(row["problem"], row["p"], row["method"], float(ours.mean()), float(theirs.mean()), overlap))
    return rows


def differing(evidence: Evidence) -> list[str]:
    """The methods that differ by more than chance in some solved fraction, typical median or final gap."""
    found = {f.label for f in fractions(evidence) if not f.agrees}
    found |= {m.label for m in medians(evidence) if m.ratios and not 0.75 <= m.typical <= 1.33}
    found |= {f.label for f in finals(evidence) if not f.overlap}
    return [label for label in paper.METHODS if label in found]


class GridAgreement(NamedTuple):
    """One heat map compared with the published code's: the median over cells of |log10(ours / theirs)|."""

    name: str
    problem: str
    queries: int
    typical: float
    worst: float


def grids(evidence: Evidence) -> list[GridAgreement]:
    """Of every heat map; GLD with the radii that the published code used."""
    numbers = paper.published_numbers()
    rows = []
    for problem in paper.TUNING_PROBLEMS:
        for q in paper.GLD_QUERIES:
            cells = {
                (c["R"], c["r"]): c["mean"] for c in numbers["gld_grid"] if (c["problem"], c["queries"]) == (problem, q)
            }
            theirs = np.array([[cells[R, r] for r in paper.GLD_r] for R in paper.GLD_R])
            rows.append(_compare("GLD", problem, q, evidence.gld_grid(problem, q, published=True), theirs))
        for second, values in (("r", paper.SCOBO_r), ("m", paper.SCOBO_m)):
            for q in paper.SCOBO_QUERIES:
                mine = [c for c in numbers["scobo_grid"] if c["problem"] == problem and c["grid"] == f"s_{second}"]
                found = {(c["s"], c[second]): c[f"f_{q}"] for c in mine}
                theirs = np.array([[found[s, v] for v in values] for s in paper.SCOBO_s])
                rows.append(_compare(f"SCOBO s×{second}", problem, q, evidence.scobo_grid(problem, q, second), theirs))
    return rows


def _compare(name: str, problem: str, queries: int, ours: Array, theirs: Array) -> GridAgreement:
    apart = np.abs(np.log10(np.maximum(ours, 1e-300) / np.maximum(theirs, 1e-300)))
    return GridAgreement(name, problem, queries, float(np.median(apart)), float(apart.max()))
