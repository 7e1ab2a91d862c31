"""Completes the reference while the site is built: what is public but not on its page yet is added at the end."""

from __future__ import annotations

from typing import Any

from typer.main import get_command

import steelyard
from steelyard import convert, problems
from steelyard.commands import app
from steelyard.registry import algorithm_names


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    missing = _missing(page.file.src_uri, markdown)
    return f"{markdown}\n\n## Further\n\n{missing}\n" if missing else markdown


def _missing(page: str, markdown: str) -> str:
    if page == "reference/command.md":
        commands = get_command(app).commands.items()  # type: ignore[attr-defined]
        lines = [f"- `steelyard {name}`: {command.get_short_help_str(200)}" for name, command in commands]
        return "\n".join(line for line in lines if line.partition(":")[0][2:] not in markdown)
    return "\n\n".join(f"::: {path}" for path in _public(page) if f"::: {path}\n" not in markdown + "\n")


def _public(page: str) -> list[str]:
    if page == "reference/algorithms.md":
        return [where.replace(":", ".") for where in algorithm_names().values() if where.startswith("steelyard.")]
    package = {"reference/convert.md": convert, "reference/problems.md": problems}.get(page)
    if package is not None:
        return [f"{package.__name__}.{name}" for name in package.__all__]
    if page == "reference/index.md":
        return [f"steelyard.{name}" for name in steelyard.__all__ if name not in _ON_OTHER_PAGES]
    return []


_ON_OTHER_PAGES = {
    *(
        "FunctionOracle",
        "LogisticOracle",
        "MajorityOracle",
        "NoisyOracle",
        "Oracle",
        "PreferOracle",
        "SequentialOracle",
    ),
    *("Algorithm", "Compare", "Dialogue", "Evaluate", "Question", "Step", "Box", "Parameter", "Space"),
}
