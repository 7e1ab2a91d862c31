"""What the architecture page, the reference and the navigation name is really there, and nothing public is left out."""

import re
from pathlib import Path

import pytest
from typer.main import get_command

import steelyard
from steelyard import convert, problems
from steelyard.commands import app
from steelyard.registry import algorithm_names

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
REFERENCE = "\n".join(page.read_text() for page in (DOCS / "reference").glob("*.md"))


def test_the_files_that_the_map_names_exist():
    rows = [line for line in (DOCS / "architecture.md").read_text().splitlines() if line.startswith("|")]
    paths = [path for row in rows for path in re.findall(r"`([\w/]+(?:\.py|/))`", row)]
    assert len(paths) > 20
    assert [path for path in paths if not (ROOT / "src" / "steelyard" / path).exists()] == []


def test_the_files_of_the_layout_exist():
    layout = (DOCS / "architecture.md").read_text().partition("## Where everything is")[2].partition("##")[0]
    names = re.findall(r"(?<!/)\b(\w+\.py|\w+/)(?=\s)", layout)
    assert len(names) > 15
    tops = [ROOT / top for top in ("src/steelyard", "docs", "tests", ".")]
    assert [name for name in names if not any((top / name).exists() for top in tops)] == []


def test_every_top_module_is_in_the_layout():
    layout = (DOCS / "architecture.md").read_text().partition("## Where everything is")[2].partition("##")[0]
    modules = [path.name for path in (ROOT / "src" / "steelyard").glob("*.py") if not path.name.startswith("__")]
    assert [name for name in modules if name not in layout] == []


@pytest.mark.parametrize("package", [steelyard, convert, problems], ids=lambda package: package.__name__)
def test_the_reference_documents_every_public_name(package):
    names = [f"{package.__name__}.{name}" for name in package.__all__]
    assert [name for name in names if not re.search(rf"^::: {re.escape(name)}$", REFERENCE, re.MULTILINE)] == []


def test_the_reference_documents_every_method():
    ours = [where.replace(":", ".") for where in algorithm_names().values() if where.startswith("steelyard.")]
    assert [where for where in ours if f"::: {where}\n" not in REFERENCE] == []


def test_the_reference_lists_every_command():
    commands = get_command(app).commands
    assert [name for name in commands if f"`steelyard {name}`" not in REFERENCE] == []
