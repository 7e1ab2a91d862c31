"""An audit of a judge before money is spent on it: how consistent, biased, transitive and expensive it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.checks import check_whole
from steelyard.errors import BadType, BadValue
from steelyard.kit.concurrent import Concurrent
from steelyard.kit.judges import as_judge
from steelyard.kit.verdict import Pair, never
from steelyard.pools.bradley_terry import AnswerCounts, fit
from steelyard.seeds import Seed, generator_of
from steelyard.space import Space
from steelyard.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEAST = 12
"""Fewer questions than this say nothing."""
POINTS_FROM_A_SPACE = 12
SLOW = 0.05
"""Seconds per call from which asking several at once pays off."""
CHANCE_OF_A_CIRCLE = 0.25
"""The share of triples that go round in a circle if answers are given at random."""


@dataclass(frozen=True)
class Share:
    """A number out of a total."""

    count: int
    of: int

    @property
    def value(self) -> float | None:
        return self.count / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval."""
        if not self.of:
            return 0.0, 1.0
        z, n, p = 1.96, self.of, self.count / self.of
        middle, half = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        scale = 1.0 + z * z / n
        return max((middle - half) / scale, 0.0), min((middle + half) / scale, 1.0)

    def __str__(self) -> str:
        if not self.of:
            return "not asked"
        low, high = self.interval
        return f"{self.count / self.of:.0%} of {self.of} ({low:.0%} to {high:.0%})"


@dataclass(frozen=True)
class Audit:
    """What an audit found; `print` shows a table, `plot()` draws it.

    same_again : the same question, the sides as before: how often the same answer came again.
    turned : the same question with the sides swapped: how often the answer changed to the other candidate.
    first : how often the side shown first won, of all answers that were no tie. An even judge has 50 %.
    circles : of three candidates, how often a beat b, b beat c and c beat a. At random it is 25 %.
    ties : how often it could not say.
    wrong_close, wrong_far : answers against the order that explains all answers best, among the half of the questions
        whose candidates are closest in that order, and among the other half.
    latency, cost : mean per question, in seconds and in the units of the judge.
    method, wrappers, advice : what is recommended, and why.
    """

    same_again: Share
    turned: Share
    first: Share
    circles: Share
    ties: Share
    wrong_close: Share
    wrong_far: Share
    latency: float
    cost: float
    calls: int
    method: str
    wrappers: tuple[str, ...]
    advice: tuple[str, ...] = field(default=())

    @property
    def rows(self) -> list[tuple[str, str]]:
        """The table: what was measured, and how much it is."""
        return [
            ("the same answer again", str(self.same_again)),
            ("another answer with the sides swapped", str(self.turned)),
            ("the side shown first wins", str(self.first)),
            ("circles among three", f"{self.circles}; {CHANCE_OF_A_CIRCLE:.0%} at random"),
            ("ties", str(self.ties)),
            ("against the best order, close", str(self.wrong_close)),
            ("against the best order, far", str(self.wrong_far)),
            ("seconds per question", f"{self.latency:.3g}"),
            ("cost per question", f"{self.cost:.3g}"),
            ("recommended method", self.method),
            ("recommended wrappers", ", ".join(self.wrappers) or "none"),
        ]

    def __str__(self) -> str:
        width = max(len(name) for name, _ in self.rows)
        return "\n".join([*(f"{name:<{width}}  {value}" for name, value in self.rows), *self.advice])

    def plot(self) -> Figure:
        """The shares with their 95 % intervals. Needs matplotlib."""
        from steelyard.extras import need  # slow to import

        names = ("same_again", "turned", "first", "circles", "ties", "wrong_close", "wrong_far")
        shares: list[Share] = [getattr(self, name) for name in names]
        figure: Figure = need("matplotlib.figure", "bench").Figure(figsize=(7, 3.5), layout="constrained")
        axes = figure.subplots()
        for k, share in enumerate(shares):
            axes.plot(share.interval, [k, k], color="tab:gray")
            if share.value is not None:
                axes.plot(share.value, k, "o", color="tab:blue")
        axes.set_yticks(range(len(names)), [name.replace("_", " ") for name in names])
        axes.invert_yaxis()
        axes.set_xlim(0.0, 1.0)
        axes.axvline(0.5, color="tab:gray", linewidth=0.5)
        axes.set_xlabel("share, with 95 % interval")
        return figure


def audit(judge: Any, points: Any, budget: int = 120, rng: Seed = None) -> Audit:
    """How far a judge can be trusted, from `budget` questions about pairs of `points`.

    Half of the questions are about triples of points, to find circles; of those, some are asked again as they were, and
    as many with the sides swapped.

    Parameters
    ----------
    judge : as for `minimize`; it is asked as it is, without shuffling.
    points : at least three candidates: rows of an array, settings, items of any kind; or a `Space`, of which twelve
        random settings are taken.
    budget : the number of questions, at least 12.
    rng : a seed or generator.
    """
    generator = generator_of(rng)
    candidates = _candidates(points, generator)
    budget = check_whole("budget", budget, LEAST)
    asked = _plan(len(candidates), budget, generator)
    pairs = [Pair(candidates[i], candidates[j], number) for number, (i, j) in enumerate(asked)]
    answers = np.zeros(len(pairs), dtype=np.int8)
    latency = cost = 0.0
    calls = 0
    judged = as_judge(judge)
    for reply in judged.stream(pairs, never):
        answers[reply.row] = reply.answer
        latency, cost, calls = latency + reply.latency, cost + reply.cost, calls + reply.calls
    return _summary(asked, answers, len(candidates), latency / len(pairs), cost / len(pairs), calls, judged, points)


# --- inside


def _candidates(points: Any, rng: np.random.Generator) -> Sequence[Any]:
    if isinstance(points, Space):
        return [points.values(rng.random(len(points))) for _ in range(POINTS_FROM_A_SPACE)]
    try:
        candidates = [*points]
    except TypeError:
        raise BadType(f"points must be a list of candidates or a Space, got {points!r}") from None
    if len(candidates) < 3:
        raise BadValue(f"points must be at least three candidates, got {len(candidates)}")
    return candidates


def _plan(n: int, budget: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Triples first (three questions each, sides at random), then repeats, then the same with the sides swapped."""
    base: list[tuple[int, int]] = []
    for _ in range(budget // 6):
        a, b, c = (int(k) for k in rng.choice(n, 3, replace=False))
        for i, j in ((a, b), (b, c), (c, a)):
            base.append((i, j) if rng.random() < 0.5 else (j, i))
    again = budget - len(base)
    chosen = rng.choice(len(base), again // 2, replace=again // 2 > len(base))
    repeats = [base[k] for k in chosen]
    return base + repeats + [(j, i) for i, j in repeats] + [base[0]] * (again % 2)


def _summary(
    asked: list[tuple[int, int]], answers: Any, n: int, latency: float, cost: float, calls: int, judge: Any, points: Any
) -> Audit:
    triples = len(asked) // 6
    base, again = 3 * triples, (len(asked) - 3 * triples) // 2
    winners: list[int | None] = [i if y > 0 else j if y < 0 else None for (i, j), y in zip(asked, answers, strict=True)]
    known: dict[tuple[int, int], int | None] = dict(zip(asked[:base], winners[:base], strict=True))
    same = sum(winners[base + k] == known[asked[base + k]] for k in range(again))
    turned = [
        (winners[base + again + k], winners[base + k])
        for k in range(again)
        if None not in (winners[base + again + k], winners[base + k])
    ]
    decided = [k for k in range(len(asked)) if winners[k] is not None]
    first = sum(winners[k] == asked[k][0] for k in decided)
    circles = whole = 0
    for t in range(triples):
        three = winners[3 * t : 3 * t + 3]
        if None not in three:
            whole += 1
            circles += len(set(three)) == 3  # each of the three won once
    i, j = (np.array([pair[side] for pair in asked], dtype=np.intp) for side in (0, 1))
    strengths = fit(AnswerCounts.of(i, j, answers), n).average
    close, far = _against(strengths, i, j, answers)
    shares = {
        "same_again": Share(same, again),
        "turned": Share(sum(a != b for a, b in turned), len(turned)),
        "first": Share(first, len(decided)),
        "circles": Share(circles, whole),
        "ties": Share(len(asked) - len(decided), len(asked)),
        "wrong_close": close,
        "wrong_far": far,
    }
    method, wrappers, advice = _recommended(shares, latency, judge, points)
    return Audit(**shares, latency=latency, cost=cost, calls=calls, method=method, wrappers=wrappers, advice=advice)


def _against(strengths: Array, i: Any, j: Any, answers: Any) -> tuple[Share, Share]:
    decided = np.flatnonzero(answers)
    difference = (strengths[i] - strengths[j])[decided]
    wrong = np.sign(difference) == -np.sign(answers[decided])
    order = np.argsort(np.abs(difference))
    halves = order[: len(order) // 2], order[len(order) // 2 :]
    close, far = (Share(int(wrong[half].sum()), len(half)) for half in halves)
    return close, far


def _recommended(
    shares: dict[str, Share], latency: float, judge: Any, points: Any
) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    from steelyard.registry import algorithm_names

    wrappers, advice = [], []
    low, high = shares["first"].interval
    if not low <= 0.5 <= high:
        # A judge that follows the side rather than the candidate in many questions is worth two calls each.
        strong = (shares["turned"].value or 0.0) > 0.3
        wrappers.append("BothWays" if strong else "Shuffled")
        advice.append(f"It prefers the side shown {'first' if low > 0.5 else 'second'}.")
    elif shares["turned"].count:
        wrappers.append("Shuffled")
        advice.append("Some answers change with the sides: show them in random order.")
    if latency > SLOW and not isinstance(judge, Concurrent):
        wrappers.append("Concurrent")
        advice.append("It is slow: ask several questions at once, with `parallel`.")
    errs = shares["same_again"].value != 1.0 or any(shares[name].count for name in ("turned", "circles", "wrong_far"))
    if (shares["circles"].value or 0.0) > 0.8 * CHANCE_OF_A_CIRCLE:
        advice.append("Its answers go round in circles nearly as often as random ones: is it judging at all?")
    names = algorithm_names()
    if isinstance(points, np.ndarray | Space):
        errs_well = next(name for name in ("bayes-quadratic", "preference-gp", "stp") if name in names)
        method: str = errs_well if errs else "cqn"
    else:
        method = "best_of"
    advice.append("It errs: choose a method made for judges that err." if errs else "No contradiction was found.")
    return method, tuple(wrappers), tuple(advice)
