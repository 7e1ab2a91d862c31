"""Every snippet of the README and of the documentation runs as printed."""

import re
import sys
from pathlib import Path

import pytest
from snippets import FENCE, run_page, snippets

from steelyard.problems.definitions import ENTRIES
from steelyard.problems.lookup import load_definitions

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def runnable(page):
    return any(snippet.title or snippet.language in ("python", "sh") for snippet in snippets(page))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to run a page in; what the page registers or imports from there does not outlive it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    load_definitions()
    problems, modules = dict(ENTRIES), set(sys.modules)
    yield tmp_path
    ENTRIES.clear()
    ENTRIES.update(problems)
    for name in set(sys.modules) - modules:
        if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.mark.parametrize("page", [page for page in PAGES if runnable(page)], ids=lambda page: page.stem)
def test_the_snippets_of_a_page_run_as_printed(page, folder):
    assert run_page(page, folder) > 0


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda page: page.stem)
def test_shell_snippets_can_be_pasted_into_any_shell(page):
    """zsh takes an unquoted ? or [ for a pattern, and a # for an argument."""
    blocks = [found["body"] for found in FENCE.finditer(page.read_text(encoding="utf-8")) if found["info"] == "sh"]
    lines = [line for block in blocks for line in block.splitlines()]
    unquoted = [re.sub(r"'[^']*'|\"[^\"]*\"", "", line) for line in lines]
    assert not [line for line in unquoted if re.search(r"[#?*\[\]]", line)]
