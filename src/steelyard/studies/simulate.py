"""A simulated person in a study: the same calls that the pages make, without a browser."""

from typing import Any

from steelyard.studies.demos import Person
from steelyard.studies.open_study import OpenStudy


def simulate_run(opened: OpenStudy, person: Person) -> dict[str, Any]:
    """Let the person answer a run of their own to its end, blind check included; returns the result."""
    rater, _ = opened.add_rater("simulated")
    while (asked := opened.runs.question(rater)) is not None:
        choice = person.choose(opened.runs.values(asked.left), opened.runs.values(asked.right))
        opened.runs.answer(rater, asked.id, choice)
    while (state := opened.check_state(rater))["status"] == "asking":
        question = state["question"]
        choice = person.choose(question["left"]["values"], question["right"]["values"])
        opened.runs.check(rater, question["id"], choice)
    return opened.result(rater)
