"""Every picture of the documentation is there, is shown somewhere, and has a script that makes it."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SCRIPTS = [*(ROOT / "docs").glob("*.py"), *(ROOT / "tools").glob("*.py"), *(ROOT / "benchmarks").glob("*.py")]


def shown():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for path in re.findall(r"!\[[^]]*\]\(([^) ]+)\)", text) + re.findall(r'<img[^>]* src="([^"]+)"', text):
            yield page, (page.parent / path).resolve()


def test_every_picture_that_is_shown_is_there():
    found = list(shown())
    assert len(found) > 10
    assert [f"{page.name}: {path}" for page, path in found if not path.is_file()] == []


def test_every_picture_is_shown_and_made_by_a_script():
    code = "".join(path.read_text(encoding="utf-8") for path in SCRIPTS)
    pages = {path for _, path in shown()}
    for picture in (ROOT / "docs" / "images").iterdir():
        assert picture in pages, f"{picture.name} is on no page"
        assert f'"{picture.stem}"' in code or picture.name in code, f"no script makes {picture.name}"
