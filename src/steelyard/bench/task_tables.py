"""Real tasks as tables: how each judge errs, and how far the runs came, from their records."""

import re
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard.bench.markdown import short
from steelyard.bench.methods import label
from steelyard.bench.oracle_spec import is_own
from steelyard.bench.plan import Plan, problem_name, with_seed
from steelyard.bench.results import Results
from steelyard.bench.tables import Table
from steelyard.errors import BadValue
from steelyard.kit.audit import Share, audit
from steelyard.oracles import as_oracle
from steelyard.problems import Problem, get
from steelyard.real.tasks import TASKS
from steelyard.typing import Array

QUESTIONS = 240
POINTS = 12
HALF = 0.5
"""The stated quality: half of the way from the start to the reference."""


FIELD = "†"
"""Marks the method that a task's own field uses."""
REMAINS = (
    "what remains of the way from the start (1) to the reference (0), mean of the runs "
    f"(comparisons to half of the way; runs that made it); {FIELD} the field's own method"
)
WITHIN = 100.0
"""The stated quality of an engine: at most this many Elo behind its author's values."""


class JudgeNoise(NamedTuple):
    """What 240 questions about 12 random points say about a task's judge."""

    wrong: Share
    """Answers against the order that explains all of them best, by `audit`: all that a user can know."""
    ties: Share
    persistent: bool
    """The same question had the same answer each time."""
    misled: Share
    """Single answers, one for each pair, against the hidden quality, which no user has."""


def judge_noise(problem: Problem) -> JudgeNoise:
    """By `audit`, and by the hidden quality."""
    if problem.judge is None or problem.bounds is None:
        raise BadValue(f"problems must be tasks with a judge and a box, got {problem.name}")
    low, high = problem.bounds
    points = low + (high - low) * np.random.default_rng(12).random((POINTS, problem.n))
    judge = as_oracle(problem.judge(np.random.default_rng(60)))
    found = audit(judge, points, QUESTIONS, rng=0)
    wrong = Share(found.wrong_close.count + found.wrong_far.count, found.wrong_close.of + found.wrong_far.of)
    i, j = np.array(list(combinations(range(POINTS), 2))).T
    said = judge.compare(points[i], points[j])
    f = problem.values(points)
    decided = (said != 0) & (f[i] != f[j])
    misled = Share(int(np.sum(said[decided] != np.sign(f[j] - f[i])[decided])), int(decided.sum()))
    return JudgeNoise(wrong, found.ties, found.same_again.count == found.same_again.of, misled)


def is_of_tasks(plan: Plan) -> bool:
    """Whether real tasks and nothing else are run: criteria of formulas (values near 0, gradients) are not theirs."""
    return all(map(is_own, plan.oracles))


def is_of_engines(plan: Plan) -> bool:
    """Whether nothing but chess engines is tuned, so that Elo can be stated."""
    return all(template.startswith("real:chess") for template in plan.templates())


def tasks_table(plan: Plan, results: Results, *, judges: bool = True) -> Table:
    """A row for each task: its judge, and for each method the gap that remains at the end, mean of its runs, of which
    the start is 1 and the reference 0; in brackets the comparisons after which half of the way was made, as far as the
    checkpoints show it, and how many of the runs made it.

    The judges are asked hundreds of questions, which takes minutes: `judges=False` leaves them out."""
    results = results.take(results["status"] != "failed")
    counts = sorted({*plan.checkpoints, plan.budget})
    rows = []
    for name, template in _named_templates(plan):
        instances = [with_seed(template, seed) for seed in plan.seed_numbers]
        mine = results.take(np.isin(results["problem"].astype(str), [template, *map(problem_name, instances)]))
        if not len(mine):
            continue
        remains = {method: _gaps(mine.where(algorithm=method), counts) for method in plan.algorithms}
        ends = {method: float(gaps[:, -1].mean()) for method, gaps in remains.items() if len(gaps)}
        least, field = min(ends.values()), field_method(template)
        cells = [
            f"{'*' if ends[method] == least else ''}{short(ends[method])} ({_half(gaps, counts)})"
            f"{FIELD if field and method.startswith(field) else ''}"
            if len(gaps)
            else "–"
            for method, gaps in remains.items()
        ]
        problem = get(instances[0])
        rows.append([name, str(problem.n), *(_judge(problem) if judges else []), *cells])
    judged = ["wrong by audit", "against the quality", "ties", "persistent"] if judges else []
    return Table(["task", "variables", *judged, *map(label, plan.algorithms)], rows)


def elo_table(plan: Plan, results: Results) -> Table:
    """A row for each method: Elo against the author's values at each checkpoint, from the games of all its runs, with
    a 95 % interval; and after how many pairs of games the median run was within 100 Elo.

    A record keeps the Elo but not the single games. So the interval takes the largest variance that pairs with this
    mean can have: it is too wide if anything.
    """
    counts = sorted({*plan.checkpoints, plan.budget})
    pairs = measuring_pairs(plan)
    head = ["method", "start", *(f"after {count} pairs" for count in counts), f"pairs to {WITHIN:.0f} Elo", "runs"]
    rows = []
    for method in plan.algorithms:
        behind = elo_behind(plan, results, method)
        close = behind[:, 1:] <= WITHIN
        found = [pooled_elo(column, pairs) for column in behind.T]
        cells = [f"{middle:+d} ({low:+d} to {high:+d})" for middle, low, high in found]
        rows.append([label(method), *cells, _first(close, counts), f"{int(close.any(axis=1).sum())}/{len(close)}"])
    return Table(head, rows)


def elo_behind(plan: Plan, results: Results, method: str) -> Array:
    """(runs, 1 + checkpoints): how far behind the author's values the runs of a method were, from the start on."""
    mine = results.where(algorithm=method)
    counts = sorted({*plan.checkpoints, plan.budget})
    return np.stack([mine["f0"].astype(np.float64), *(mine.at(count) for count in counts)], axis=1)


def measuring_pairs(plan: Plan) -> int:
    """Pairs of games that measure each Elo of the plan, as the task's notes say."""
    return int(re.findall(r"from (\d+) pairs", get(plan.problem_names()[0]).notes)[0])


def pooled_elo(behind: Array, pairs: int) -> tuple[int, int, int]:
    """The Elo of several runs together, each so far behind by this many pairs of games, with its 95 % interval."""
    shares = 1.0 / (1.0 + 10.0 ** (behind / 400.0))
    mean, edge = float(shares.mean()), 0.25 / (pairs * len(behind))
    spread = 1.96 * float(np.sqrt(np.sum(shares * (1.0 - shares)) / pairs)) / len(behind)
    low, middle, high = (
        round(-400.0 * float(np.log10(1.0 / np.clip(share, edge, 1.0 - edge) - 1.0)))
        for share in (mean - spread, mean, mean + spread)
    )
    return middle, low, high


def field_method(template: str) -> str:
    """The method that the task's own field uses; empty if it is none of those that are compared."""
    name = template.partition("?")[0].removeprefix("real:")
    return TASKS[name].field if name in TASKS else ""


def _named_templates(plan: Plan) -> list[tuple[str, str]]:
    """The plan's problems, each by the name of its group, or by its own if the group has several."""
    return [
        (group if group and len(templates) == 1 else re.sub(r"^real:|\?\w+=\{seed\}$", "", template), template)
        for group, templates in plan.groups().items()
        for template in templates
    ]


def _judge(problem: Problem) -> list[str]:
    noise = judge_noise(problem)
    return [*map(_percent, (noise.wrong, noise.misled, noise.ties)), "yes" if noise.persistent else "no"]


def _gaps(results: Results, counts: list[int]) -> Array:
    """(runs, counts): what remains of the way from the start to the reference."""
    start, best = (results[name].astype(np.float64) for name in ("f0", "f_best"))
    return np.stack([(results.at(count) - best) / (start - best) for count in counts], axis=1)


def _half(gaps: Array, counts: list[int]) -> str:
    """When half of the way was made, at the median over the runs, and how many made it."""
    made = gaps <= HALF
    return f"{_first(made, counts)}; {int(made.any(axis=1).sum())}/{len(made)}"


def _first(made: NDArray[np.bool_], counts: list[int]) -> str:
    """The count at which the median run (of two, the later) had first made it; – if it never did."""
    first = np.sort(np.where(made.any(axis=1), np.array(counts)[made.argmax(axis=1)], np.inf))
    median = float(first[len(first) // 2])
    return f"{median:.0f}" if np.isfinite(median) else "–"


def _percent(share: Share) -> str:
    return "–" if share.value is None else f"{share.value:.0%}"
