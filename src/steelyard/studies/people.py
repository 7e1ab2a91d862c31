"""What a study asks of the people themselves: consent, a questionnaire, limits, and where panels want them back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

from steelyard.checks import check_choice, check_whole
from steelyard.errors import BadValue

LONGEST_TEXT = 2000


@dataclass(frozen=True)
class Item:
    """One question of a questionnaire: a choice among `choices`, a number from `low` to `high`, or a text."""

    name: str
    label: str
    type: Literal["choice", "number", "text"] = "text"
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    required: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "choices", tuple(self.choices))
        for what in ("name", "label"):
            if not isinstance(getattr(self, what), str) or not getattr(self, what).strip():
                raise BadValue(f"{what} of a question must be a non-empty string, got {getattr(self, what)!r}")
        check_choice(f"type of the question {self.name}", self.type, ("choice", "number", "text"))
        if (self.type == "choice") != (len(self.choices) >= 2):
            raise BadValue(f"choices of the question {self.name} must be two or more, for the type choice only")

    def read(self, text: str) -> str | float | None:
        """What was answered, None for nothing; a `ValueError` if it is not allowed."""
        text = text.strip()
        if not text:
            if self.required:
                raise BadValue(f"{self.label} must be answered")
            return None
        if self.type == "choice" and text not in self.choices:
            raise BadValue(f"{self.label} must be one of {', '.join(self.choices)}, got {text!r}")
        if self.type == "number":
            number = float(text.replace(",", "."))
            low = self.low if self.low is not None else -float("inf")
            high = self.high if self.high is not None else float("inf")
            if not low <= number <= high:
                raise BadValue(f"{self.label} must be a number from {low:g} to {high:g}, got {text!r}")
            return number
        return text[:LONGEST_TEXT]


@dataclass(frozen=True)
class Consent:
    """What people must agree to before they begin; `text` may have several paragraphs."""

    text: str

    def __post_init__(self) -> None:
        if not isinstance(self.text, str) or not self.text.strip():
            raise BadValue(f"text of the consent must be a non-empty string, got {self.text!r}")


@dataclass(frozen=True)
class Panel:
    """People who come from elsewhere: `participant` is the name under which the link's query holds their number there,
    `code` is shown to those who have finished, `url` is where they return to, with {participant} and {code} filled in.
    """

    participant: str = ""
    code: str = ""
    url: str = ""

    def __post_init__(self) -> None:
        if self.url and not self.url.startswith(("https://", "http://")):
            raise BadValue(f"url of the panel must begin with https:// or http://, got {self.url!r}")

    def back(self, participant: str) -> str:
        """Where somebody goes back to, or nothing."""
        return self.url.replace("{participant}", quote(participant)).replace("{code}", quote(self.code))


@dataclass(frozen=True)
class Limits:
    """The most people, answers per person, and days for which a link works; 0 for no limit."""

    people: int = 0
    answers: int = 0
    link_days: int = 0

    def __post_init__(self) -> None:
        for name in ("people", "answers", "link_days"):
            check_whole(f"{name} of the limits", getattr(self, name), 0)


def read_form(items: tuple[Item, ...], form: Mapping[str, str]) -> dict[str, Any]:
    """All answers of a questionnaire by name; a `ValueError` names the first that is not allowed."""
    return {item.name: item.read(form.get(f"q.{item.name}", "")) for item in items}
