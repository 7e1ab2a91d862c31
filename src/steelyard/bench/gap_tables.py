"""Gaps as tables: rows of text from the cells of `gaps`, for a page or for Markdown."""

from collections.abc import Sequence

import numpy as np

from steelyard.bench.gaps import AS_GOOD_AS, GapCell, Standing
from steelyard.bench.markdown import folded, short
from steelyard.bench.methods import label, sees_values
from steelyard.bench.plan import Plan
from steelyard.bench.tables import Table

JUDGES = {"exact": "never wrong", "person": "a person"}


def cells_table(plan: Plan, cells: Sequence[GapCell]) -> Table:
    """A row for each cell: the default, the best other method, and the ratio of the two."""
    head = [
        *(["problems"] if len(plan.groups()) > 1 else []),
        *("n", "judge", "answers", plan.default_method, "best other", "its gap", "ratio", "ratio of medians"),
    ]
    rows = []
    for cell in cells:
        rival = cell.rival
        rows.append(
            [
                *([cell.group] if len(plan.groups()) > 1 else []),
                *(str(cell.n), judge_name(cell.oracle), f"{cell.queries:,}"),
                with_interval(cell.default.mean, cell.default.low, cell.default.high),
                "–" if rival is None else rival.method,
                "–" if rival is None else with_interval(rival.mean, rival.low, rival.high),
                ("*" if cell.ratio <= AS_GOOD_AS else "") + with_interval(cell.ratio, cell.ratio_low, cell.ratio_high),
                short(cell.median_ratio),
            ]
        )
    return Table(head, rows)


def methods_table(plan: Plan, cells: Sequence[GapCell]) -> Table:
    """A row for each cell, a column for each method: its mean gap, the best in bold."""
    rows = [[*_place(plan, cell), f"{cell.queries:,}", *_gaps(plan, cell)] for cell in cells]
    return Table([*_places(plan), "answers", *map(label, plan.algorithms)], rows)


def folded_methods_table(plan: Plan, cells: Sequence[GapCell]) -> Table:
    """As `methods_table`, with the gaps after all numbers of answers in one cell: 0.1 / **2.0e-3**."""
    plain = methods_table(plan, cells)
    return Table(plain.head, folded(plain.rows, len(_places(plan))))


def _places(plan: Plan) -> list[str]:
    """The heads of what says which cell a row is about."""
    return [*(["problems"] if len(plan.groups()) > 1 else []), "n", *(["judge"] if len(plan.oracles) > 1 else [])]


def _place(plan: Plan, cell: GapCell) -> list[str]:
    group = [cell.group] if len(plan.groups()) > 1 else []
    return [*group, str(cell.n), *([judge_name(cell.oracle)] if len(plan.oracles) > 1 else [])]


def _gaps(plan: Plan, cell: GapCell) -> list[str]:
    """The mean gaps of all methods, the best with a * before it."""
    found = {each.method: each.mean for each in cell.methods}
    least = min(found.values())
    return [("*" if found.get(m) == least else "") + short(found.get(m, np.nan)) for m in plan.algorithms]


def choosing_table(plan: Plan, cells: Sequence[GapCell], most: int = 3) -> Table:
    """For each judge and dimension the best methods after each number of answers."""
    checkpoints = sorted({cell.queries for cell in cells})
    groups = len(plan.groups()) > 1
    by_place: dict[tuple[str, str, int], dict[int, str]] = {}
    for cell in cells:
        first = [each for each in cell.methods if not sees_values(each.method)][:most]
        text = ", ".join(f"`{each.method}` {short(each.mean)}" for each in first)
        by_place.setdefault((cell.group, cell.oracle, cell.n), {})[cell.queries] = text
    head = [*(["problems"] if groups else []), "judge", "n", *(f"after {c:,}" for c in checkpoints)]
    rows = [
        [*([group] if groups else []), judge_name(oracle), str(n), *(texts.get(c, "–") for c in checkpoints)]
        for (group, oracle, n), texts in by_place.items()
    ]
    return Table(head, rows)


def standing_sentences(plan: Plan, found: Standing) -> list[str]:
    """How the default stands, in words."""
    if not found.cells:
        return []
    name, worst = plan.default_method, found.worst
    sentences = [
        f"{name} is first, or within 10 % of the first, in {found.near} of {found.cells} cells "
        f"({found.near / found.cells:.0%})."
    ]
    if worst is not None and worst.rival is not None:
        place = f"{worst.group}, " if worst.group else ""
        sentences.append(
            f"Its largest ratio to the best other method is {short(worst.ratio)} ({place}n = {worst.n}, "
            f"{judge_name(worst.oracle)}, {worst.queries:,} answers, against {worst.rival.method})."
        )
    sentences.append(f"{found.worse_than_twice} of its {found.runs} runs end at more than twice the start.")
    return sentences


def judge_name(oracle: str) -> str:
    """A judge as a reader knows it: `noisy,p=0.9` is "right 90 %"."""
    name, *options = oracle.split(",")
    given = dict(option.split("=") for option in options)
    relative = given.pop("relative", "0") == "1"
    unit = " of f(x₀) − f*" if relative else ""
    words = []
    if name == "noisy":
        words.append(f"right {float(given.pop('p')):.0%}")
    elif name == "persistent":
        words.append(f"right {float(given.pop('p')):.0%}, the same answer again")
    elif name == "logistic":
        words.append(f"Bradley-Terry, scale {given.pop('scale')}{unit}")
    elif name == "typical":
        words.append(f"right {float(given.pop('right')):.0%} on typical pairs")
    elif name != "exact" or not given:
        words.append(JUDGES.get(name, name))
    for key, value in given.items():
        if key == "jnd":
            words.append(f"ties below {value}{unit}")
        elif key in ("bias", "tied"):
            words.append(f"{float(value):.0%} {'for the first' if key == 'bias' else 'ties'}")
        else:
            words.append(f"{key} {value}")
    return ", ".join(words)


def with_interval(value: float, low: float, high: float) -> str:
    """A number with its interval."""
    return "–" if not np.isfinite(value) else f"{short(value)} [{short(low)}, {short(high)}]"
