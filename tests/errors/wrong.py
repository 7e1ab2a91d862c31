"""A wrong use, and what its message must say."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Wrong:
    """`use` must be refused with a message that names the argument, the value given, and what is allowed."""

    argument: str
    value: str
    allowed: str
    use: Callable[[], object]

    def __str__(self) -> str:
        return f"{self.argument}={self.value}"


def assert_says(message: str, *words: str) -> None:
    plain = " ".join(re.sub(r"[│╭╮╰╯─]", " ", message).split())
    for word in words:
        assert word in plain, f"{word!r} is not in: {plain}"
