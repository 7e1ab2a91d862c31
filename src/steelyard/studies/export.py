"""All answers of a study as one tidy table: one row for everything that a rater did, undone answers marked as such."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from steelyard.extras import need
from steelyard.studies.extra_questions import repeated_question
from steelyard.studies.results import choice_of, csv_text, plain, shown_by, sides_of

if TYPE_CHECKING:
    from steelyard.studies.open_study import OpenStudy

ANSWERS = ("answer", "repeat", "check", "attention")


def answers_table(opened: OpenStudy) -> dict[str, list[Any]]:
    """The columns of the table."""
    space, control = opened.study.space, opened.control.refresh()
    raters = {rater.id: rater for rater in opened.store.raters()}
    events = opened.store.all_events()
    undone = {(e.run, e.rater, e.question) for e in events if e.kind == "undo"}
    several = sides_of(opened.study.choose) if opened.study.choose > 2 else []
    names = [f"{side}.{name}" for side in ("left", "right", *several) for name in space.names]
    columns: dict[str, list[Any]] = {
        name: []
        for name in (
            "id", "run", "rater", "name", "participant", "excluded", "kind", "question", "at", "seconds", "choice",
            "undone", "repeats", *names, "text",
        )
    }  # fmt: skip
    last: dict[int, float] = {}
    for event in events:
        answer = event.kind in ANSWERS
        shown = shown_by(event, space) if answer else []
        sides = zip(sides_of(len(shown)), shown, strict=True)
        values = {f"{side}.{name}": value for side, some in sides for name, value in some.items()}
        row = {
            "id": event.id,
            "run": event.run,
            "rater": event.rater,
            "name": plain(control.names.get(event.rater, raters[event.rater].name)),
            "participant": plain(control.participant_of(event.rater)),
            "excluded": event.rater in control.excluded,
            "kind": event.kind,
            "question": event.question,
            "at": event.at,
            "seconds": round(event.at - last[event.rater], 3) if event.rater in last else None,
            "choice": choice_of(event) if answer else None,
            "undone": event.kind != "undo" and (event.run, event.rater, event.question) in undone,
            "repeats": repeated_question(event) if event.kind == "repeat" else None,
            "text": event.points if event.kind in ("form", "consent") else None,
            **values,
        }
        last[event.rater] = event.at
        for name, column in columns.items():
            column.append(row.get(name))
    return columns


def answers_csv(opened: OpenStudy) -> str:
    """The table as CSV."""
    columns = answers_table(opened)
    return csv_text([columns, *zip(*columns.values(), strict=True)])


def answers_parquet(opened: OpenStudy) -> bytes:
    """The table as a Parquet file."""
    out = io.BytesIO()
    need("pyarrow.parquet", "bench").write_table(need("pyarrow", "bench").table(answers_table(opened)), out)
    return out.getvalue()
