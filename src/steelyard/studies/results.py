"""Results as plain data: one run's, and all raters' together. Pages, downloads and the API show the same."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import numpy as np
from scipy.special import betainc

from steelyard.certainty import Certainty
from steelyard.space import Space
from steelyard.studies.agreement import Pairs, agreement_table, bradley_terry, favourite, pooled
from steelyard.studies.consistency import Judged
from steelyard.studies.run_state import RunState
from steelyard.studies.store import Event, Rater
from steelyard.studies.study import Study


def run_result(state: RunState, names: dict[int, str]) -> dict[str, Any]:
    """The result of a run so far; `names` are those of its raters. Its certainty must have been worked out before."""
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
        "statement": statement(state, certainty),
        "check": check_result(state.checks),
        "history": history(state, names),
    }


def settled(state: RunState, certainty: Certainty | None = None) -> float:
    """From 0 to 1, how settled the result is: by the method's model, or else by how little it moved lately."""
    if certainty is not None:
        # Near the best, what is missing grows with the square of the distance: its root is the part of the way ahead.
        return 1.0 - float(np.sqrt(np.clip(certainty.missing, 0.0, 1.0)))
    if not state.decisions:
        return 0.0
    moved, _ = movement(state)
    used = min(1.0, len(state.decisions) / state.budget)
    return used * max(0.0, 1.0 - 2.0 * moved)


def movement(state: RunState) -> tuple[float, int]:
    """The largest move of a parameter (a share of its range) in the last third of the answers, and their number."""
    last = max(3, len(state.decisions) // 3)
    points = [decision.x for decision in state.decisions[-last - 1 :]]
    if len(state.decisions) <= last:
        points.insert(0, state.start)
    return float(np.ptp(np.array(points), axis=0).max()), len(points) - 1


def statement(state: RunState, certainty: Certainty | None) -> list[str]:
    """What may honestly be said of the result, in sentences."""
    if not state.decisions:
        return ["Nothing has been answered yet, so these are the settings the study began with."]
    said = []
    if certainty is not None:
        if certainty.no_better_than_chance:
            said.append("The answers so far fit no better than chance: do not rely on these settings.")
        said.append(
            f"The model of the answers gives {_chance(certainty.beats_start)} that these settings are at least as good "
            f"as the start, and {_chance(certainty.beats_runner_up)} that they are at least as good as the runner-up."
        )
        said.append(
            f"It expects {certainty.missing:.0%} of the way from a typical setting to the best one to be missing still."
        )
    else:
        moved, last = movement(state)
        said.append(
            f"In the last {last} answers the settings moved by at most {moved:.0%} of their range. This method keeps "
            "no model of the answers, so it gives no probability of being right."
        )
    asked = [event for event in state.live if not event.skipped]
    ties = sum(event.value == 0 for event in asked)
    if asked and ties / len(asked) > 0.4:
        said.append(f"{ties} of {len(asked)} answers were “can't tell”: the candidates have become hard to tell apart.")
    if not state.checks and state.study.checks:
        said.append("Nobody has compared the result blindly with the start yet; that is the best test.")
    return said


def _chance(probability: float) -> str:
    """A probability in words that never claim certainty."""
    return "more than 99%" if probability > 0.99 else "less than 1%" if probability < 0.01 else f"{probability:.0%}"


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
        "statement": f"Blindly, the result was chosen {wins} times and the start {losses} times of {len(checks)}: "
        f"{_chance(probability)} that the result is truly preferred.",
    }


def history(state: RunState, names: dict[int, str]) -> list[dict[str, Any]]:
    """Every answer that counts, in order, with what was shown where and the recommendation after it."""
    space = state.study.space
    told = {decision.event: decision for decision in state.decisions}
    rows = []
    for number, event in enumerate(state.live, 1):
        points = json.loads(event.points)
        a, b = (space.values(np.array(points[side])) for side in ("a", "b"))
        decision = told.get(event.id)
        rows.append(
            {
                "number": number,
                "at": event.at,
                "rater": names.get(event.rater, ""),
                "left": b if event.flipped else a,
                "right": a if event.flipped else b,
                "choice": choice_of(event),
                "recommended": None if decision is None else space.values(decision.x),
            }
        )
    return rows


def choice_of(event: Event) -> str:
    """What was clicked: the side, as it was shown."""
    if event.skipped:
        return "skip"
    shown = -event.value if event.flipped else event.value
    return {1: "left", 0: "tie", -1: "right"}[shown]


def study_result(study: Study, rows: list[dict[str, Any]], pairs: list[Pairs]) -> dict[str, Any]:
    """All raters (their rows and answers) side by side and pooled, with how far they agree."""
    judged = [i for i, p in enumerate(pairs) if p.clear > 0]
    table = agreement_table([pairs[i] for i in judged])
    together = None
    if judged:
        model = bradley_terry(pooled([pairs[i] for i in judged]))
        together = study.space.values(study.space.snap(favourite(model, len(study.space))))
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
    """The history as a table, one answer a line."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    sides = ("left", "right", "recommended")
    writer.writerow(["number", "at", "rater", "choice", *(f"{side}.{name}" for side in sides for name in space.names)])
    for row in rows:
        cells = [(row[side] or {}).get(name, "") for side in sides for name in space.names]
        writer.writerow([row["number"], f"{row['at']:.3f}", _plain(row["rater"]), row["choice"], *cells])
    return out.getvalue()


def _plain(text: str) -> str:
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
    mine = [(json.loads(e.points), e.value) for e in state.live if e.rater == rater and not e.skipped]
    n = len(state.study.space)
    sides = [np.array([points[side] for points, _ in mine], dtype=float).reshape(-1, n) for side in ("a", "b")]
    return Pairs(sides[0], sides[1], np.array([value for _, value in mine], dtype=float))


def judged(state: RunState, rater: int | None = None) -> Judged:
    """All answers of a rater (of all, if None) to pairs: the method's questions, repeats, checks, attention checks."""
    events = [*state.live, *state.repeats, *state.attention, *state.checks]
    mine = [e for e in events if (rater is None or e.rater == rater) and not e.skipped]
    points = [json.loads(event.points) for event in mine]
    n = len(state.study.space)
    a, b = (np.array([pair[side] for pair in points], dtype=float).reshape(-1, n) for side in ("a", "b"))
    answers = np.array([event.value for event in mine], dtype=float)
    left = np.array([not event.flipped for event in mine], dtype=bool)
    return Judged(a, b, answers, left, state.study.space.categorical)


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
