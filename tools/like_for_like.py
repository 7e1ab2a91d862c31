"""What has become of the code of an earlier commit: definition by definition, so that new features do not count.

    python tools/like_for_like.py 03574e0 [HEAD]

A definition is a function, a class without its methods, a method, or a constant of a module. It is found again by its
name (methods with their class): in the same file, in a file of the same name, or in the only other place that has it.
Names that were changed are in like_for_like.txt, lines of "old new": files, names, or "file:name file:name", with -
for what only shares its name with something new. Counted are lines of code: neither docstrings, comments nor blank
lines, which this project has added to on purpose; all lines are given as well.
"""

from __future__ import annotations

import argparse
import ast
import io
import subprocess
import tokenize
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

ROOT = "src/steelyard/"


@dataclass(frozen=True)
class Definition:
    """Something with a name in a file, and how long it is."""

    file: str
    name: str
    code: int
    lines: int


def git(*words: str) -> str:
    return subprocess.run(["git", *words], check=True, capture_output=True, text=True).stdout


def code_lines(source: str) -> set[int]:
    """The numbers of the lines that hold code."""
    texts = {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    kept: set[int] = set()
    skipped = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in skipped:
            kept.update(range(token.start[0], token.end[0] + 1))
    return kept - texts


def definitions(commit: str) -> list[Definition]:
    """All that a commit defines below src."""
    found = []
    for file in git("ls-tree", "-r", "--name-only", commit, ROOT).split():
        if file.endswith(".py"):
            source = git("show", f"{commit}:{file}")
            found += _in_file(file.removeprefix(ROOT), source)
    return found


def _in_file(file: str, source: str) -> list[Definition]:
    code, found = code_lines(source), []
    total = len(source.splitlines())
    left = set(range(1, total + 1))

    def take(name: str, node: ast.stmt, but: set[int] = frozenset()) -> set[int]:  # type: ignore[assignment]
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        own = set(range(first, (node.end_lineno or first) + 1)) - but
        found.append(Definition(file, name, len(own & code), len(own)))
        left.difference_update(own)
        return own

    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef):
            inside: set[int] = set()
            for member in node.body:
                if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef):
                    inside |= take(f"{node.name}.{member.name}", member)
            take(node.name, node, inside)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            take(node.name, node)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            take(ast.unparse(target), node)
    found.append(Definition(file, "(imports and the rest)", len(left & code), len(left)))
    return found


def counterpart(
    old: Definition, now: list[Definition], renamed: dict[str, str], then: set[tuple[str, str]]
) -> Definition | None:
    """What has become of a definition, or None."""
    owner, dot, method = old.name.partition(".")
    new_owner = renamed.get(f"{old.file}:{owner}", renamed.get(owner, owner))
    name = renamed.get(f"{old.file}:{old.name}", new_owner + dot + method)
    if NOTHING in (name, new_owner):
        return None
    file = renamed.get(old.file, old.file)
    if ":" in name:
        file, _, name = name.partition(":")
    named = [d for d in now if d.name == name]
    here = [d for d in named if d.file == file] or [d for d in named if Path(d.file).name == Path(file).name]
    if here:
        return here[0]
    elsewhere = [d for d in named if (d.file, d.name) not in then]
    return elsewhere[0] if len(elsewhere) == 1 and name != REST else None


def room(file: str) -> str:
    return file.partition("/")[0] if "/" in file else "(root)"


REST = "(imports and the rest)"
NOTHING = "-"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after", nargs="?", default="HEAD")
    parser.add_argument("--names", action="store_true", help="name what is gone, and what has grown or shrunk")
    given = parser.parse_args()
    renamed = dict(line.split() for line in Path(__file__).with_suffix(".txt").read_text().splitlines())
    then, now = definitions(given.before), definitions(given.after)
    known = {(renamed.get(d.file, d.file), d.name) for d in then}
    table: dict[str, list[int]] = defaultdict(lambda: [0] * 6)
    taken: set[tuple[str, str]] = set()
    for old in then:
        new = counterpart(old, now, renamed, known)
        if new is not None and (new.file, new.name) in taken:
            new = None
        row = table[REST if old.name == REST else room(old.file)]
        row[0] += old.code
        row[1] += old.lines
        if new is None:
            row[4] += old.code
            if given.names:
                print("gone", old.file, old.name, old.code)
        else:
            taken.add((new.file, new.name))
            if given.names and new.code != old.code:
                print("grew", new.file, new.name, new.code - old.code)
            row[2] += new.code
            row[3] += new.lines
    added: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for d in now:
        if (d.file, d.name) not in taken:
            place = REST if d.name == REST else room(d.file)
            added[place][0] += d.code
            added[place][1] += d.lines
    print("| room then | code then | of it gone | what is left: code then | the same, now | all lines then | now |")
    print("|---|---|---|---|---|---|---|")
    for name, row in [*sorted(table.items()), ("all", [sum(column) for column in zip(*table.values(), strict=True)])]:
        print(f"| `{name}` | {row[0]:,} | {row[4]:,} | {row[0] - row[4]:,} | {row[2]:,} | {row[1]:,} | {row[3]:,} |")
    print("\nNew definitions:", ", ".join(f"{k} {v[0]:,} code, {v[1]:,} lines" for k, v in sorted(added.items())))
    print(sum(v[0] for v in added.values()), sum(v[1] for v in added.values()))


if __name__ == "__main__":
    main()
