"""What is only read elsewhere is checked here: workflows, forms, citation, recipe, images, the paper's references."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import steelyard
from steelyard.estimate import estimate

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

SCHEMAS = {
    "vendor.github-workflows": sorted(GITHUB.glob("workflows/*.yml")),
    "custom.github-workflows-require-timeout": sorted(GITHUB.glob("workflows/*.yml")),
    "vendor.github-issue-forms": sorted(path for path in GITHUB.glob("ISSUE_TEMPLATE/*.yml") if path.stem != "config"),
    "vendor.github-issue-config": [GITHUB / "ISSUE_TEMPLATE" / "config.yml"],
    "vendor.dependabot": [GITHUB / "dependabot.yml"],
    "vendor.citation-file-format": [ROOT / "CITATION.cff"],
    "vendor.readthedocs": [ROOT / ".readthedocs.yaml"],
}


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120, cwd=ROOT)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_files_are_as_their_readers_want_them(schema):
    pytest.importorskip("check_jsonschema")
    assert SCHEMAS[schema]
    said = run(sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *SCHEMAS[schema])
    assert said.returncode == 0, said.stdout + said.stderr


def test_the_linter_of_workflows_finds_nothing():
    linter = shutil.which("zizmor", path=str(Path(sys.executable).parent)) or shutil.which("zizmor")
    if linter is None:
        pytest.skip("zizmor is not installed")
    said = run(linter, "--offline", "--no-progress", GITHUB)
    assert said.returncode == 0, said.stdout + said.stderr


def test_the_linter_sees_a_weakness(tmp_path):
    linter = shutil.which("zizmor", path=str(Path(sys.executable).parent)) or shutil.which("zizmor")
    if linter is None:
        pytest.skip("zizmor is not installed")
    text = (GITHUB / "workflows" / "tests.yml").read_text(encoding="utf-8").replace("- run: make test", WEAK)
    (tmp_path / "tests.yml").write_text(text, encoding="utf-8")
    assert "template-injection" in run(linter, "--offline", "--no-progress", tmp_path / "tests.yml").stdout


WEAK = "- run: echo ${{ github.event.pull_request.title }}"


def test_what_the_workflows_install_exists():
    text = "".join(path.read_text(encoding="utf-8") for path in GITHUB.glob("workflows/*.yml"))
    extras = {name for group in re.findall(r'"\.\[([\w,]+)\]"', text) for name in group.split(",")}
    assert extras and extras <= PROJECT["optional-dependencies"].keys()
    assert set(re.findall(r"make ([\w ]+)", text)) <= {"lint types docs", "test"}
    ignored = re.findall(r"--ignore=(\S+)", text)
    assert ignored and all((ROOT / path).exists() for path in ignored)


def test_one_version_and_one_author_everywhere():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    recipe = yaml.safe_load((ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    deposit = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    versions = {citation["version"], citation["preferred-citation"]["version"], recipe["context"]["version"]}
    assert versions == {steelyard.__version__}
    assert citation["authors"] == deposit["creators"] == PROJECT["authors"] == [{"name": "The steelyard authors"}]
    assert citation["url"] == PROJECT["urls"]["Documentation"] == recipe["about"]["homepage"]


def test_the_recipe_asks_for_what_the_package_asks_for():
    recipe = yaml.safe_load((ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    wanted = [re.sub(r"(>=)", r" \1", need) for need in PROJECT["dependencies"]]
    assert recipe["requirements"]["run"] == [f"python {PROJECT['requires-python']}", *wanted]
    commands = [f"{name} = {where}" for name, where in PROJECT["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == commands


def test_the_recipe_is_rendered_by_its_own_tool():
    tool = pytest.importorskip("rattler_build", reason="py-rattler-build is not installed")
    text = (ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8")

    def rendered(recipe):
        (variant,) = tool.Stage0Recipe.from_yaml(recipe).render(tool.VariantConfig())
        return variant.recipe.to_dict()

    found = rendered(text)
    assert found["package"] == {"name": "steelyard", "version": steelyard.__version__}
    assert found["build"]["noarch"] == "python" and found["build"]["string"].startswith("py")
    with pytest.raises(Exception, match="unknown top-level field"):  # it does look
        rendered(text.replace("requirements:", "needs:", 1))


def test_the_images_copy_what_is_there():
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    for name in ("Dockerfile", "Dockerfile.bench"):
        text = (ROOT / name).read_text(encoding="utf-8")
        copied = [word for line in re.findall(r"^COPY (.+) \S+$", text, re.MULTILINE) for word in line.split()]
        assert copied and all((ROOT / word).exists() and f"!{word}" in ignored for word in copied), name
        extras = {word for group in re.findall(r"/source\[([\w,]+)\]", text) for word in group.split(",")}
        assert extras <= PROJECT["optional-dependencies"].keys()


def test_the_paper_cites_what_its_references_hold_and_nothing_else():
    text = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
    references = (ROOT / "paper" / "paper.bib").read_text(encoding="utf-8")
    _, front, body = text.split("---\n", 2)
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= yaml.safe_load(front).keys()
    prose = re.sub(r"```.*?```", "", body, flags=re.DOTALL)
    assert set(re.findall(r"@([a-z]\w+)", prose)) == set(re.findall(r"^@\w+{(\w+),", references, re.MULTILINE))
    assert all((ROOT / "paper" / path).exists() for path in re.findall(r"!\[[^]]*\]\(([^)]+)\)", body))
    assert 500 < len(prose.split()) < 1750  # what the journal asks for
    assert all(f"# {part}\n" in body for part in ("Summary", "Statement of need", "Acknowledgements", "References"))


def test_every_reference_was_checked_and_can_be_found():
    text = (ROOT / "paper" / "paper.bib").read_text(encoding="utf-8")
    note = (ROOT / "notes" / "2026-11-17-citations.md").read_text(encoding="utf-8")
    for entry in re.split(r"^(?=@)", text, flags=re.MULTILINE)[1:]:
        key = re.match(r"@\w+{(\w+),", entry)[1]
        fields = set(re.findall(r"^  (\w+) *= \{", entry, re.MULTILINE))
        assert {"author", "title", "year"} <= fields, key
        assert fields & {"doi", "eprint", "booktitle", "pages"}, key
        assert f"| `{key}` | " in note, f"{key}: which source confirmed it?"
    assert "and others" not in text


def test_the_papers_numbers_are_those_of_the_table():
    text = " ".join((ROOT / "paper" / "paper.md").read_text(encoding="utf-8").split())
    right, wrong = estimate(10, 0.01), estimate(10, 0.01, 0.2)
    assert f"after {right.half:.0f} comparisons" in text and f"after {round(wrong.half, -1):.0f} if one in five" in text
    times = [f"{each.half / each.limit:.1f}" for each in (right, wrong)]
    assert f"which is {times[0]} and {times[1]} times the information limit" in text


def test_governance_is_ten_lines():
    lines = re.findall(r"^(\d+)\. ", (ROOT / "GOVERNANCE.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert [int(line) for line in lines] == list(range(1, 11))
