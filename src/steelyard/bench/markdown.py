"""Tables in Markdown, and pages of documentation that are filled by a benchmark.

A page marks where a block goes; what is between the marks is replaced, the rest of the page is left alone:

    <!-- bench: cells -->
    <!-- end -->

A mark may name the plan that it is for, `<!-- bench: bbob/targets -->`: then other plans leave it alone, and a page can
show the results of several.
"""

import math
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from steelyard.errors import BadValue
from steelyard.version import __version__

MARK = re.compile(
    r"(?P<begin><!-- bench: (?:(?P<plan>[a-z0-9-]+)/)?(?P<name>[a-z0-9-]+) -->\n).*?(?P<end><!-- end -->)", re.DOTALL
)


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The table; cells that begin with * are bold."""
    lines = [head, ["---"] * len(head), *([_bold(cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def folded(rows: Sequence[Sequence[str]], alike: int) -> list[list[str]]:
    """Rows whose first cells are `alike` as one row, their other cells joined: 20 / 40, 0.1 / **0.02**."""
    found = []
    for place, some in groupby(rows, lambda row: tuple(row[:alike])):
        columns = zip(*(row[alike:] for row in some), strict=True)
        found.append([*place, *(" / ".join(map(_bold, filter(None, cells))) for cells in columns)])
    return found


def short(value: float, digits: int = 2, most: float = 1000.0) -> str:
    """A number with a few digits, and with an exponent if it is below 0.01 or at least `most`."""
    if not math.isfinite(value):
        return "–"
    if value == 0.0 or 0.01 <= abs(value) < most:
        return f"{value:.{digits}g}"
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def fill(path: Path, blocks: Mapping[str, Callable[[], str]], plan: str = "") -> list[str]:
    """Fill the blocks of a page that are for this plan or for any, each made only if the page has it; their names.

    A page without such marks is refused.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadValue(f"--into must be a page that can be read, got {str(path)!r}: {error.strerror}") from None
    names = [match["name"] for match in MARK.finditer(text) if _is_for(match, plan)]
    unknown = [name for name in names if name not in blocks]
    if unknown or not names:
        got = f"{unknown[0]!r}" if unknown else "no mark"
        raise BadValue(
            f"{path.name} must have marks such as <!-- bench: NAME -->, NAME of {', '.join(blocks)}; got {got}"
        )

    def filled(match: re.Match[str]) -> str:
        return f"{match['begin']}{blocks[match['name']]()}{match['end']}" if _is_for(match, plan) else match[0]

    path.write_text(MARK.sub(filled, text), encoding="utf-8")
    return names


def commit(folder: Path) -> str:
    """The commit of the sources in this folder, with a + if they are changed since; empty if there is none."""
    try:
        git = ["git", "-C", str(folder)]
        last = subprocess.run([*git, "log", "-1", "--format=%h"], capture_output=True, text=True, check=True)
        changed = subprocess.run([*git, "status", "--porcelain", "--", "."], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return last.stdout.strip() + "+" * bool(changed.stdout)


def made_by() -> str:
    """Which version of these sources, for a stamp."""
    found = commit(Path(__file__).parent)
    return f"steelyard {__version__}{f', commit {found}' if found else ''}"


def _is_for(match: re.Match[str], plan: str) -> bool:
    return match["plan"] in (None, plan)


def _bold(cell: str) -> str:
    return f"**{cell[1:]}**" if cell.startswith("*") and not cell.startswith("**") else cell
