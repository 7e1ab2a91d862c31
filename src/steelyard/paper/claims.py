"""The claims of the paper's results and discussion. Thresholds are ours, and each check states the one it uses."""

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

import numpy as np

from steelyard.dialogue import Compare, Question, drive
from steelyard.paper import plans as paper
from steelyard.paper.evidence import Evidence
from steelyard.paper.ledger import Check, Claim
from steelyard.parts.questions import bubble_sort, comp_min
from steelyard.typing import Answers

CHECKPOINTS = (1000, 2000, 5000, 10_000)
NEAR_PAPER = 0.10
"""How far a solved fraction may be from the one the paper reads off its figure."""


def _lowest_on(problem: str, label: str) -> Claim:
    def test(e: Evidence) -> Iterator[Check]:
        for q in CHECKPOINTS:
            means = {name: e.toy_mean(problem, name, q) for name in paper.TOY_METHODS}
            best = min(means, key=lambda name: means[name])
            text = (
                f"after {q:,} queries the lowest mean gap has {best} ({means[best]:.3g}); {label}: {means[label]:.3g}"
            )
            yield Check(text, best == label)

    return Claim("Toy problems", f"{label} optimises {problem} the fastest.", test)


def _slow_methods(e: Evidence) -> Iterator[Check]:
    for problem in paper.TOYS:
        fast = max(e.toy_mean(problem, label) for label in ("GLD", "SCOBO"))
        for label in ("SignOPT", "CMA-ES"):
            gap = e.toy_mean(problem, label)
            yield Check(
                f"{problem}: final mean gap of {label} {gap:.3g}, of GLD and SCOBO at most {fast:.3g}", gap > fast
            )


def _gld_over_scobo(e: Evidence) -> Iterator[Check]:
    for q in CHECKPOINTS:
        gld, scobo = (e.toy_mean("NonSparseQuadratic", label, q) for label in ("GLD", "SCOBO"))
        yield Check(f"after {q:,} queries: GLD {gld:.3g}, SCOBO {scobo:.3g}", gld < scobo)


def _cutest_figures(e: Evidence) -> Iterator[Check]:
    end = np.array([e.programme.budget], dtype=np.float64)
    for problem in paper.FIGURE_PROBLEMS:
        means = {label: float(e.figure_gaps(problem, label, end).mean()) for label in paper.METHODS}
        order = sorted(means, key=lambda label: means[label])
        shown = ", ".join(f"{label} {means[label]:.3g}" for label in order)
        yield Check(f"{problem}: SCOBO ends with the largest mean gap ({shown})", order[-1] == "SCOBO")
        yield Check(f"{problem}: GLD and STP end with the two smallest", set(order[:2]) == {"GLD", "STP"})


def _fractions(criterion: str, budget: int, expected: float, apart_from: str = "") -> Claim:
    condition = "f(x) ≤ .05 f(x₀)" if criterion == "f05" else "‖∇f(x)‖ ≤ .05 ‖∇f(x₀)‖"
    rest = f", apart from {apart_from}" if apart_from else ""
    statement = f"Each algorithm solves about {expected:.0%} by {condition} within {budget:,} queries{rest}."
    return _solves(statement, criterion, budget, expected, [label for label in paper.METHODS if label != apart_from])


def _solves(statement: str, criterion: str, budget: int, expected: float, labels: Iterable[str]) -> Claim:
    def test(e: Evidence) -> Iterator[Check]:
        solved = e.solved(criterion, budget)
        for label in labels:
            text = f"{label} solves {solved[label]:.0%} of its runs (within {NEAR_PAPER:.0%} of {expected:.0%}?)"
            yield Check(text, abs(solved[label] - expected) <= NEAR_PAPER)

    return Claim("Performance profiles", statement, test, budget)


def _equal_robustness(e: Evidence) -> Iterator[Check]:
    for criterion, budget, solved in _solved(e):
        if (criterion, budget) == ("g05", 100_000):
            del solved["GLD"]  # the exception the paper makes
        low, high = min(solved, key=lambda x: solved[x]), max(solved, key=lambda x: solved[x])
        text = f"{criterion}, {budget:,}: from {low} {solved[low]:.0%} to {high} {solved[high]:.0%}"
        yield Check(f"{text} (15% apart at most?)", solved[high] - solved[low] <= 0.15)


def _solved(e: Evidence) -> Iterator[tuple[str, int, dict[str, float]]]:
    """For each budget and criterion the solved fractions of the paper's methods."""
    for budget, criterion in product(e.programme.budgets, ("f05", "g05")):
        solved = e.solved(criterion, budget)
        yield criterion, budget, {label: solved[label] for label in paper.METHODS}


def _early(e: Evidence, criterion: str, budget: int) -> dict[str, float]:
    """The profile at tau = 2: the fraction solved with at most twice the fewest queries."""
    labels = list(paper.METHODS)
    curve = e.profile(criterion, budget, labels)
    place = max(int(np.searchsorted(curve.x, 2.0, side="right")) - 1, 0)
    return dict(zip(labels, curve.y[:, place].tolist(), strict=True))


def _fast_starters(e: Evidence) -> Iterator[Check]:
    for criterion, budget, _ in _solved(e):
        early = _early(e, criterion, budget)
        order = sorted(early, key=lambda label: -early[label])
        shown = ", ".join(f"{label} {early[label]:.2f}" for label in order)
        yield Check(f"{criterion}, {budget:,}: profile at τ = 2: {shown}", set(order[:2]) == {"STP", "SignOPT"})


def _scobo_struggles(e: Evidence) -> Iterator[Check]:
    for criterion, budget, solved in _solved(e):
        least = [label for label in solved if solved[label] == min(solved.values())]
        text = f"{criterion}, {budget:,}: the fewest runs are solved by {', '.join(least)} ({solved[least[0]]:.0%})"
        yield Check(f"{text}; SCOBO: {solved['SCOBO']:.0%}", least == ["SCOBO"])


def _gld_late(e: Evidence) -> Iterator[Check]:
    for criterion, budget, solved in _solved(e):
        early = _early(e, criterion, budget)
        slower = early["GLD"] < max(early["STP"], early["SignOPT"])
        rank = sorted(solved.values(), reverse=True).index(solved["GLD"]) + 1
        yield Check(f"{criterion}, {budget:,}: at τ = 2 GLD is at {early['GLD']:.2f}, behind the fastest", slower)
        yield Check(f"{criterion}, {budget:,}: in the end GLD solves {solved['GLD']:.0%}, rank {rank} of 5", rank <= 2)


def _gld_corner(e: Evidence) -> Iterator[Check]:
    kinds = {"radii of the published code": True, "radii halved down to r": False}
    for radii, problem, q in product(kinds, paper.TUNING_PROBLEMS, paper.GLD_QUERIES):
        grid = e.gld_grid(problem, q, kinds[radii])
        corner = grid[-1, 0]  # R = 10, r = .001
        rank = int((grid < corner).sum()) + 1
        i, j = np.unravel_index(int(np.nanargmin(grid)), grid.shape)
        lowest = f"lowest: R = {paper.GLD_R[i]:g}, r = {paper.GLD_r[j]:g}, {grid[i, j]:.3g}"
        text = f"{radii}, {problem}, {q:,} queries: R = 10, r = .001 ends at {corner:.3g}"
        yield Check(f"{text}, rank {rank} of 16 ({lowest})", rank == 1)


def _s_without_effect(e: Evidence) -> Iterator[Check]:
    for problem, q in product(paper.TUNING_PROBLEMS, paper.SCOBO_QUERIES):
        grid = e.scobo_grid(problem, q, "m")
        ratio = float((grid.max(axis=0) / grid.min(axis=0)).max())
        text = f"{problem}, {q:,} queries: s changes the value by a factor of {ratio:.3g} (1.1 at most?)"
        yield Check(text, ratio <= 1.1)


def _small_m(e: Evidence) -> Iterator[Check]:
    for problem, q in product(paper.TUNING_PROBLEMS, paper.SCOBO_QUERIES):
        values = e.scobo_grid(problem, q, "m").mean(axis=0)
        shown = ", ".join(f"m = {m}: {value:.3g}" for m, value in zip(paper.SCOBO_m, values, strict=True))
        yield Check(f"{problem}, {q:,} queries: {shown} (increasing?)", bool(np.all(np.diff(values) > 0)))


def _hilberta_flat(e: Evidence) -> Iterator[Check]:
    for q in paper.SCOBO_QUERIES:
        grid = e.scobo_grid("HILBERTA", q, "r")
        ratio = float(grid.max() / grid.min())
        yield Check(f"{q:,} queries: largest over smallest value {ratio:.3g} (1.1 at most?)", ratio <= 1.1)


def _large_r_poor(e: Evidence) -> Iterator[Check]:
    for problem, q in product(("ROSENBR", "WATSON"), paper.SCOBO_QUERIES):
        values = e.scobo_grid(problem, q, "r").mean(axis=0)
        others = float(values[:-1].max())
        text = f"{problem}, {q:,} queries: r = 1 ends at {values[-1]:.3g}, any smaller r at {others:.3g} or below"
        yield Check(text, bool(values[-1] > others))


def _best_r(e: Evidence) -> Iterator[Check]:
    for problem, best in (("ROSENBR", {0.01}), ("WATSON", {0.01, 0.001})):
        values = e.scobo_grid(problem, 10_000, "r").mean(axis=0)
        order = [paper.SCOBO_r[i] for i in np.argsort(values)]
        shown = ", ".join(f"{r:g}: {value:.3g}" for r, value in zip(paper.SCOBO_r, values, strict=True))
        yield Check(f"{problem}: value by r: {shown}", set(order[: len(best)]) == best)


def _noise_ratio(e: Evidence, label: str, p: float) -> float:
    return e.toy_mean("SparseQuadratic", label, p=p) / e.toy_mean("SparseQuadratic", label)


def _growth(statement: str, labels: Iterable[str], levels: Iterable[float], least: float, most: float) -> Claim:
    """How much the final mean gap grows by noise: between `least`, which is excluded, and `most`."""
    limit = f"{most:g} at most" if least == 0.0 else f"above {least:g}"

    def test(e: Evidence) -> Iterator[Check]:
        for label, p in product(labels, levels):
            ratio = _noise_ratio(e, label, p)
            text = f"{label}: the final mean gap grows by a factor of {ratio:.3g} at p = {p:g} ({limit}?)"
            yield Check(text, least < ratio <= most)

    return Claim("Noisy oracle", statement, test)


def _more_robust(e: Evidence) -> Iterator[Check]:
    for fragile in ("GLD", "CMA-ES"):
        growth, gap = _noise_ratio(e, fragile, 0.7), e.toy_mean("SparseQuadratic", fragile, p=0.7)
        for label in ("SCOBO", "SignOPT", "STP"):
            mine = _noise_ratio(e, label, 0.7)
            text = f"growth of the final mean gap at p = .7: {label} {mine:.3g}, {fragile} {growth:.3g}"
            yield Check(text, mine < growth)
            mine = e.toy_mean("SparseQuadratic", label, p=0.7)
            yield Check(f"final mean gap at p = .7: {label} {mine:.3g}, {fragile} {gap:.3g}", mine < gap)


def _margins(e: Evidence) -> Iterator[Check]:
    def margin(label: str, p: float) -> float:
        final = e.toy_gaps("SparseQuadratic", label, p)[:, -1]
        return float((final.max() - final.min()) / final.mean())

    for p in paper.NOISE_LEVELS:
        calm = max(margin(label, p) for label in ("SCOBO", "GLD"))
        for label in ("STP", "SignOPT", "CMA-ES"):
            wide = margin(label, p)
            text = f"p = {p:g}: range over mean of the final gap: {label} {wide:.2g}, SCOBO and GLD at most {calm:.2g}"
            yield Check(text, wide > calm)


def _costs(e: Evidence) -> Iterator[Check]:
    rng = np.random.default_rng(0)
    most_min, most_sort = 0, 0
    for m in np.repeat(np.arange(2, 13), 20).tolist():
        values = rng.permutation(m).astype(np.float64)[:, None]
        most_min = max(most_min, _count(comp_min(values, rng)) - (m - 1))
        most_sort = max(most_sort, _count(bubble_sort(values)) - m * (m - 1) // 2)
    yield Check(f"CompMin of m points asks m − 1 questions; most beyond that: {most_min}", most_min == 0)
    yield Check(f"CompSort asks at most m(m − 1)/2 ≤ m²; most beyond that: {most_sort}", most_sort <= 0)


def _count(question: Question[Any]) -> int:
    """How many comparisons a question asks about points whose value is their coordinate."""
    asked = 0

    def answer(message: Compare) -> Answers:
        nonlocal asked
        asked += len(message)
        return np.sign(message.b[:, 0] - message.a[:, 0]).astype(np.int8)

    drive(question, answer)
    return asked


CLAIMS = (
    Claim("From ZOO to CBO", "CompMin makes at most m − 1 queries and CompSort at most m².", _costs),
    _lowest_on("MaxK", "SCOBO"),
    _lowest_on("SparseQuadratic", "GLD"),
    _lowest_on("NonSparseQuadratic", "GLD"),
    Claim("Toy problems", "SignOPT and CMA-ES lag on all three; GLD and SCOBO optimise them fast.", _slow_methods),
    Claim("Toy problems", "Without sparse gradients GLD is faster than SCOBO.", _gld_over_scobo),
    Claim(
        "CUTEst figures",
        "SCOBO does not generalise to problems of higher dimension, where GLD and STP do best.",
        _cutest_figures,
    ),
    _fractions("f05", 10_000, 0.55),
    _fractions("f05", 100_000, 0.65),
    _fractions("g05", 10_000, 0.55),
    _fractions("g05", 100_000, 0.65, apart_from="GLD"),
    _solves("GLD solves 80% by the gradient within 100,000 queries.", "g05", 100_000, 0.8, ["GLD"]),
    Claim("Performance profiles", "All algorithms are about equally robust.", _equal_robustness),
    Claim("Performance profiles", "STP and SignOPT solve the easier problems the fastest.", _fast_starters),
    Claim("Performance profiles", "SCOBO struggles the most on CUTEst.", _scobo_struggles),
    Claim("Performance profiles", "GLD starts more slowly yet levels off high.", _gld_late),
    Claim("Tuning GLD", "The smallest radii tested, r = .001 and R = 10, are the best.", _gld_corner),
    Claim("Tuning SCOBO", "s has no effect (with m varied).", _s_without_effect),
    Claim("Tuning SCOBO", "Smaller m is better.", _small_m),
    Claim("Tuning SCOBO", "On HILBERTA neither s nor r makes a difference.", _hilberta_flat),
    Claim("Tuning SCOBO", "On ROSENBR and WATSON r = 1 is poor, any smaller r good.", _large_r_poor),
    Claim("Tuning SCOBO", "r = .01 is best on ROSENBR; r = .01 and .001 on WATSON.", _best_r),
    _growth("At p = .9 there is hardly a difference.", paper.TOY_METHODS, [0.9], 0.0, 3.0),
    _growth("At p = .7 the algorithms are noticeably noisier.", paper.TOY_METHODS, [0.7], 1.0, np.inf),
    _growth("GLD is considerably changed at p = .7.", ["GLD"], [0.7], 10.0, np.inf),
    Claim("Noisy oracle", "SCOBO, SignOPT and STP are more robust to noise than GLD or CMA-ES.", _more_robust),
    _growth("SCOBO maintains its performance under noise.", ["SCOBO"], paper.NOISE_LEVELS, 0.0, 2.0),
    Claim("Noisy oracle", "STP, SignOPT and CMA-ES have a greater margin of error than SCOBO and GLD.", _margins),
)
