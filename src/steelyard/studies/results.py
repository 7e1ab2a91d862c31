"""Results as plain data: one run's, and all raters' together. Pages, downloads and the API show the same."""

import csv
import io
import json
from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.special import betainc

from steelyard.certainty import Certainty
from steelyard.pools.pool import Pool
from steelyard.space import Space, Value
from steelyard.studies.agreement import Features, Pairs, agreement_table, bradley_terry, favourite, pooled
from steelyard.studies.choosing import clicked, comparisons, is_choice
from steelyard.studies.events import Event, Rater
from steelyard.studies.pool_method import pool_of
from steelyard.studies.run_state import RunState
from steelyard.studies.study import ITEM, Study
from steelyard.studies.wording import Messages


def run_result(state: RunState, names: dict[int, str], rater: int) -> dict[str, Any]:
    """The result of a run so far for one of its raters; `names` are those of all. Its certainty must have been worked
    out before. The history holds the rater's own answers only."""
    space = state.study.space
    live = state.live
    certainty = state.certainty
    return {
        "title": state.study.title,
        "finished": state.finished,
        "answers": len(live),
        "decided": len(state.decisions),
        "ties": sum(event.value == 0 and not event.skipped for event in live),
        "skipped": sum(event.skipped for event in live),
        "budget": state.budget,
        "method": state.study.method,
        "stopped": state.reason,
        "best": space.values(state.best),
        "start": space.values(state.start),
        "certainty": _certainty(certainty, space) if certainty is not None else None,
        "consistency": consistency_of(state, rater),
        "statement": statement(state, certainty, rater),
        "check": check_result(state.checks),
        "categories": category_shares(state, _whose(state, rater)),
        "history": history(state, names, rater),
    }


def how_settled(state: RunState, certainty: Certainty | None = None) -> float:
    """From 0 to 1, how settled the result is: by the method's model, or else by how little it moved lately."""
    if certainty is not None:
        # Near the best, what is missing grows with the square of the distance: its root is the part of the way ahead.
        return 1.0 - float(np.sqrt(np.clip(certainty.missing, 0.0, 1.0)))
    if not state.decisions:
        return 0.0
    if state.study.view.files:
        return float(pool_in(state).probability_best.max())
    moved, _ = movement(state)
    used = min(1.0, len(state.decisions) / state.budget)
    return used * max(0.0, 1.0 - 2.0 * moved)


def pool_in(state: RunState) -> Pool:
    """What is believed about the finished candidates of a study after the answers of a run."""
    told = state.told
    return pool_of(told.a, told.b, told.answers, len(state.study.view.files))


def movement(state: RunState) -> tuple[float, int]:
    """The largest move of a parameter (a share of its range) in the last third of the answers, and their number."""
    last = max(3, len(state.decisions) // 3)
    points = [decision.x for decision in state.decisions[-last - 1 :]]
    if len(state.decisions) <= last:
        points.insert(0, state.start)
    return float(np.ptp(np.array(points), axis=0).max()), len(points) - 1


def _whose(state: RunState, rater: int) -> int | None:
    """Whose answers a result rests on: a rater's own, or all of a shared run."""
    return rater if state.study.raters.mode == "own" else None


def consistency_of(state: RunState, rater: int) -> dict[str, Any]:
    """How far a rater's answers follow a preference, as plain data."""
    whose = _whose(state, rater)
    consistency = state.consistency(whose)
    twice = state.repeated(rater)
    return {
        "ratio": consistency.ratio,
        "enough": consistency.enough,
        "by_chance": consistency.by_chance,
        "asked_twice": len(twice),
        "same": sum(first == second for first, second in twice),
        "better": consistency.better(state.best, state.start),
    }


def statement(state: RunState, certainty: Certainty | None, rater: int) -> list[str]:
    """What may honestly be said of the result, in sentences of the study's language."""
    say = Messages.of(state.study)
    if not state.decisions:
        return [say("said_nothing")]
    consistency = state.consistency(_whose(state, rater))
    twice = state.repeated(rater)
    pending = bool(state.check_questions(rater)) or (bool(state.study.checks) and not state.finished)
    said = []
    if not consistency.enough:
        said.append(say("said_few"))
    elif not consistency.by_chance and (consistency.decided or not pending):
        said.append(say("said_better", chance=_chance(consistency.better(state.best, state.start), say)))
    else:
        said.append(say("said_unchecked" if pending else "said_chance"))
    if twice:
        said.append(say("said_repeats", total=len(twice), same=sum(first == second for first, second in twice)))
    if consistency.by_chance or (pending and not consistency.decided):
        return said
    if state.checks:
        wins, losses = (sum(e.value == sign for e in state.checks) for sign in (1, -1))
        said.append(say("said_blind", wins=wins, losses=losses))
    if certainty is not None:
        said.append(say("said_missing", part=f"{certainty.missing:.0%}"))
    elif state.study.view.files:
        pool = pool_in(state)
        names = list(state.study.view.files)
        low, high = pool.intervals()
        best = pool.best_number
        said.append(say("said_best_item", name=names[best], chance=f"{pool.probability_best[best]:.0%}"))
        if high[best] > low[best]:
            said.append(say("said_rank", low=int(low[best]) + 1, high=int(high[best]) + 1, total=len(names)))
    else:
        moved, last = movement(state)
        said.append(say("said_moved", count=last, part=f"{moved:.0%}"))
    asked = [event for event in state.live if not event.skipped]
    ties = sum(event.value == 0 for event in asked)
    if asked and ties / len(asked) > 0.4:
        said.append(say("said_ties", ties=ties, total=len(asked)))
    return said


def category_shares(state: RunState, rater: int | None) -> dict[str, dict[str, float]]:
    """For each parameter with categories: how probably each of them is the best, all else as in the result."""
    shares = {}
    if state.study.view.files:
        return {ITEM: dict(zip(state.study.view.files, map(float, pool_in(state).probability_best), strict=True))}
    for i, parameter in enumerate(state.study.space.parameters):
        if parameter.categories and state.decisions:
            points = np.repeat(state.best[None], len(parameter.categories), axis=0)
            points[:, i] = parameter.levels
            chances = state.consistency(rater).best_of(points)
            names = map(str, parameter.categories)
            shares[parameter.name] = dict(zip(names, map(float, chances), strict=True))
    return shares


def _chance(probability: float, say: Messages) -> str:
    """A probability in words that never claim certainty."""
    return say("more_than") if probability > 0.99 else say("less_than") if probability < 0.01 else f"{probability:.0%}"


def check_result(checks: list[Event]) -> dict[str, Any] | None:
    """The blind comparison with the start: how often the result was chosen, and how probable a true preference is."""
    if not checks:
        return None
    wins, losses = sum(e.value > 0 for e in checks), sum(e.value < 0 for e in checks)
    # Uniform prior on how often the result is chosen: the posterior is Beta(wins + 1, losses + 1).
    probability = 1.0 - float(betainc(wins + 1, losses + 1, 0.5))
    return {
        "asked": len(checks),
        "result": wins,
        "start": losses,
        "ties": len(checks) - wins - losses,
        "probability": probability,
    }


def history(state: RunState, names: dict[int, str], rater: int) -> list[dict[str, Any]]:
    """Every answer of a rater that counts, in order, with what was shown where and the recommendation after it."""
    space = state.study.space
    told = {decision.event: decision for decision in state.decisions}
    rows = []
    for number, event in enumerate((e for e in state.live if e.rater == rater), 1):
        shown = shown_by(event, space)
        decision = told.get(event.id)
        rows.append(
            {
                "number": number,
                "at": event.at,
                "rater": names.get(event.rater, ""),
                "shown": shown,
                **({"left": shown[0], "right": shown[1]} if len(shown) == 2 else {}),
                "choice": choice_of(event),
                "recommended": None if decision is None else space.values(decision.x),
            }
        )
    return rows


def choice_of(event: Event) -> str:
    """What was clicked: the side, as it was shown; or of several their number, or their order."""
    if event.skipped:
        return "skip"
    if event.kind == "answer" and is_choice(points := json.loads(event.points)):
        return clicked(points)
    shown = -event.value if event.flipped else event.value
    return {1: "left", 0: "tie", -1: "right"}[shown]


def shown_by(event: Event, space: Space) -> list[dict[str, Value]]:
    """The settings that were shown, in the order in which they were."""
    points = json.loads(event.points)
    if is_choice(points):
        return [space.values(np.array(points["points"][i])) for i in points["order"]]
    a, b = (space.values(np.array(points[side])) for side in ("a", "b"))
    return [b, a] if event.flipped else [a, b]


def study_result(study: Study, rows: list[dict[str, Any]], pairs: list[Pairs]) -> dict[str, Any]:
    """All raters (their rows and answers) side by side and pooled, with how far they agree."""
    judged = [i for i, p in enumerate(pairs) if p.clear > 0]
    table = agreement_table([pairs[i] for i in judged])
    together = None
    if judged:
        model = bradley_terry(pooled([pairs[i] for i in judged]))
        best = favourite(model, len(study.space), pairs[judged[0]].features)
        together = study.space.values(study.space.snap(best))
    others = [x for i, row in enumerate(table) for j, x in enumerate(row) if i != j and x is not None]
    return {
        "title": study.title,
        "mode": study.raters.mode,
        "raters": rows,
        "pooled": {"answers": sum(len(p.answers) for p in pairs), "favourite": together},
        "agreement": {
            "raters": [rows[i]["name"] for i in judged],
            "table": table,
            "mean": float(np.mean(others)) if others else None,
        },
    }


def as_csv(space: Space, rows: list[dict[str, Any]]) -> str:
    """The history as a table, one answer per line."""
    sides = [*sides_of(max((len(row["shown"]) for row in rows), default=2)), "recommended"]
    lines = [["number", "at", "rater", "choice", *(f"{side}.{name}" for side in sides for name in space.names)]]
    for row in rows:
        told = [*row["shown"], *[None] * (len(sides) - 1 - len(row["shown"])), row["recommended"]]
        cells = [(values or {}).get(name, "") for values in told for name in space.names]
        lines.append([row["number"], f"{row['at']:.3f}", plain(row["rater"]), row["choice"], *cells])
    return csv_text(lines)


def csv_text(lines: Iterable[Iterable[object]]) -> str:
    """Lines of cells as CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(lines)
    return out.getvalue()


def sides_of(shown: int) -> list[str]:
    """What the columns of the things shown at once are called."""
    return ["left", "right"] if shown == 2 else [f"shown{number}" for number in range(1, shown + 1)]


def plain(text: str) -> str:
    """A name that a spreadsheet will not take for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def rater_row(rater: Rater, state: RunState, pairs: Pairs) -> dict[str, Any]:
    """A rater in the organiser's table; in a shared run everybody's best is the same."""
    return {
        "name": rater.name,
        "answers": len(pairs.answers),
        "ties": len(pairs.answers) - pairs.clear,
        "finished": state.finished,
        "best": state.study.space.values(state.best),
    }


def rater_pairs(state: RunState, rater: int) -> Pairs:
    return answered_pairs([event for event in state.live if event.rater == rater], state.study.space)


def answered_pairs(events: Iterable[Event], space: Space) -> Pairs:
    """Answers as pairs of points; what was skipped is none."""
    return Pairs(*comparisons([e for e in events if not e.skipped], len(space)), Features.of(space))


def _certainty(certainty: Certainty, space: Space) -> dict[str, Any]:
    low, high = space.values(certainty.low), space.values(certainty.high)
    return {
        "beats_start": certainty.beats_start,
        "beats_runner_up": certainty.beats_runner_up,
        "runner_up": space.values(certainty.runner_up),
        "interval": {name: [low[name], high[name]] for name in space.names},
        "missing": certainty.missing,
        "gain": certainty.gain,
    }
