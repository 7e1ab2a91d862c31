"""A simulated person at the desk: the same calls that the pages make, without a browser."""

from __future__ import annotations

from typing import Any

from steelyard.web.demos import Person
from steelyard.web.desk import Desk


def simulated(desk: Desk, person: Person) -> dict[str, Any]:
    """Let the person answer a run of their own to its end, blind check included; returns the result."""
    rater, _ = desk.add_rater("simulated")
    while (asked := desk.runs.question(rater)) is not None:
        choice = person.choose(desk.runs.values(asked.left), desk.runs.values(asked.right))
        desk.runs.answer(rater, asked.id, choice)
    while (state := desk.check_state(rater))["status"] == "asking":
        question = state["question"]
        choice = person.choose(question["left"]["values"], question["right"]["values"])
        desk.runs.check(rater, question["id"], choice)
    return desk.result(rater)
