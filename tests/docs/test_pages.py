"""Every snippet of the README and of the documentation runs as printed."""

from pathlib import Path

import pytest
from snippets import run_page, snippets

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def runnable(page):
    return any(snippet.title or snippet.language in ("python", "sh") for snippet in snippets(page))


@pytest.mark.parametrize(
    "page", [page for page in PAGES if runnable(page)], ids=lambda page: str(page.relative_to(ROOT))
)
def test_the_snippets_of_a_page_run_as_printed(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    assert run_page(page, tmp_path) > 0
