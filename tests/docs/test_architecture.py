"""The files that the architecture page names are really there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text()


def test_the_files_that_the_map_names_exist():
    rows = [line for line in PAGE.splitlines() if line.startswith("|")]
    paths = [path for row in rows for path in re.findall(r"`([\w/]+(?:\.py|/))`", row)]
    assert len(paths) > 20
    assert [path for path in paths if not (ROOT / "src" / "steelyard" / path).exists()] == []


def test_the_files_of_the_layout_exist():
    layout = PAGE.partition("## Where everything is")[2].partition("##")[0]
    names = re.findall(r"(?<!/)\b(\w+\.py|\w+/)(?=\s)", layout)
    assert len(names) > 15
    tops = [ROOT / top for top in ("src/steelyard", "docs", "tests", ".")]
    assert [name for name in names if not any((top / name).exists() for top in tops)] == []
