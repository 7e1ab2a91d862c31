"""What raters read, in their language: a file of messages for each, and a study's own words on top."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from steelyard.errors import BadValue
from steelyard.studies.study import LANGUAGES, Study

FOLDER = Path(__file__).parent / "messages"


@cache
def built_in(language: str) -> dict[str, str]:
    """The messages of a language; those it lacks are English."""
    if language not in LANGUAGES:
        raise BadValue(f"language must be one of {', '.join(LANGUAGES)}, got {language!r}")
    own = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    return own if language == "en" else {**built_in("en"), **own}


class Messages:
    """`messages("is_better", name="A")`: the sentence, filled in."""

    def __init__(self, language: str = "en", override: Mapping[str, str] | None = None) -> None:
        self.language = language
        known = built_in(language)
        for name, text in (override or {}).items():
            if name not in known:
                raise BadValue(f"messages must have names among those of messages/en.toml, got {name!r}")
            if not isinstance(text, str):
                raise BadValue(f"message {name} must be a string, got {text!r}")
        self._texts = {**known, **(override or {})}

    @classmethod
    def of(cls, study: Study) -> Messages:
        return cls(study.language, study.messages)

    def __call__(self, name: str, /, **fields: object) -> str:
        text = self._texts[name]
        for field, value in fields.items():
            text = text.replace("{" + field + "}", str(value))
        return text
