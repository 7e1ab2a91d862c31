"""The code blocks of a Markdown page, and how each is run.

    ```python                     run in one namespace a page, in the order of the page
    ```python title="judge.py"    written to that file (so is toml, json, ...)
    ```sh                         lines that begin with `steelyard` or `python` are run; others (make, pip) are not

A block after `<!-- not run: why -->` is left out; the reason is for the reader of the source.
"""

from __future__ import annotations

import re
import runpy
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

from steelyard.cli import main

FENCE = re.compile(r"^(?P<indent> *)```(?P<info>[^`\n]*)\n(?P<body>.*?)^(?P=indent)```", re.MULTILINE | re.DOTALL)
NOT_RUN = re.compile(r"<!-- not run: .+? -->\s*$")


@dataclass(frozen=True)
class Snippet:
    language: str
    title: str
    code: str
    line: int


def snippets(page: Path) -> list[Snippet]:
    text = page.read_text(encoding="utf-8")
    found = []
    for match in FENCE.finditer(text):
        if NOT_RUN.search(text[: match.start()]):
            continue
        language, _, rest = match["info"].strip().partition(" ")
        title = re.search(r'title="([^"]+)"', rest)
        code = re.sub(f"^{match['indent']}", "", match["body"], flags=re.MULTILINE)
        line = text[: match.start()].count("\n") + 2
        found.append(Snippet(language, title[1] if title else "", code, line))
    return found


def run_page(page: Path, folder: Path) -> int:
    """Run every snippet of a page with `folder` as the working directory; how many were run."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    count = 0
    for snippet in snippets(page):
        if snippet.title:
            folder.joinpath(snippet.title).write_text(snippet.code, encoding="utf-8")
        elif snippet.language == "python":
            # blank lines in front, so that a traceback names the line of the page
            exec(compile("\n" * (snippet.line - 1) + snippet.code, str(page), "exec"), namespace)
        elif snippet.language == "sh":
            for command in commands(snippet.code):
                run_command(command, f"{page.name}:{snippet.line}")
        else:
            continue
        count += 1
    return count


def commands(code: str) -> list[list[str]]:
    lines = code.replace("\\\n", " ").splitlines()
    words = [shlex.split(line, comments=True) for line in lines]
    return [command for command in words if command and command[0] in ("steelyard", "python")]


def run_command(command: list[str], where: str) -> None:
    """Run a command in this process, which saves starting another."""
    try:
        if command[0] == "steelyard":
            main(command[1:])
        else:
            sys.argv = command[1:]
            runpy.run_path(command[1], run_name="__main__")
    except SystemExit as stop:
        if stop.code:
            raise AssertionError(f"{where}: {shlex.join(command)} ended with code {stop.code}") from None
