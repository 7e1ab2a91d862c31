"""The code blocks of a Markdown page, and how each is run.

    ```python                     run in one namespace a page, in the order of the page
    ```python title="judge.py"    written to that file (so is toml, json, ...)
    ```sh                         lines that begin with `steelyard` or `python` are run; others (make, pip) are not

A block after `<!-- not run: why -->` is left out; the reason is for the reader of the source.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import steelyard

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
    program = [sys.executable, *(["-m", "steelyard"] if command[0] == "steelyard" else [])]
    # by its whole path: a relative one would mean another folder here
    environment = {**os.environ, "PYTHONPATH": str(Path(steelyard.__file__).parents[1])}
    outcome = subprocess.run([*program, *command[1:]], capture_output=True, text=True, timeout=300, env=environment)
    if outcome.returncode != 0:
        raise AssertionError(f"{where}: {shlex.join(command)} failed\n{outcome.stdout}{outcome.stderr}")
