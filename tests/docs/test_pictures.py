"""Every picture of the documentation is there, is shown somewhere, and has a script that makes it."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SCRIPTS = [
    path
    for folder in ("docs", "tools", "plans")
    for path in (ROOT / folder).glob("*.*")
    if path.suffix in (".py", ".toml")
]


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


def test_the_gallery_shows_and_links_every_page_of_its_folder():
    text = (ROOT / "docs" / "gallery" / "index.md").read_text(encoding="utf-8")
    pages = [path for path in (ROOT / "docs" / "gallery").glob("*.md") if path.stem != "index"]
    assert len(pages) >= 5
    for page in pages:
        picture = re.search(r"!\[[^]]*\]\(([^)]+)\)", page.read_text(encoding="utf-8"))[1]
        assert f"]({picture})]({page.name})" in text, f"{page.name} has no picture in the gallery"


def test_make_figures_runs_every_script_of_pictures():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for path in (ROOT / "docs").glob("*figures.py"):
        assert f"python docs/{path.name}\n" in makefile
