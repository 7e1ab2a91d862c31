"""What we ship: a wheel and an sdist that build, install, run and carry their types.

The wheel goes into an environment of its own, which borrows numpy, scipy and the rest from the one the tests run in, so
that no network is needed. `benchmarks/package_size.py` does the same in truly clean environments.
"""

import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CLIENT = Path(__file__).with_name("typed_client.py")


def run(*command, **options):
    outcome = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300, **options)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    return outcome.stdout


@pytest.fixture(scope="session")
def dist(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "hatchling", "build", "-d", folder, cwd=ROOT)
    return folder


@pytest.fixture(scope="session")
def python(dist, tmp_path_factory):
    """The interpreter of an environment with the wheel installed."""
    home = tmp_path_factory.mktemp("env")
    run(sys.executable, "-m", "venv", "--without-pip", home)
    interpreter = home / ("Scripts" if os.name == "nt" else "bin") / "python"
    (wheel,) = dist.glob("*.whl")
    run(sys.executable, "-m", "pip", "--python", interpreter, "install", "--no-deps", "--no-index", "-q", wheel)
    (site,) = home.rglob("site-packages")
    (site / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return interpreter


def clean(**more):
    return {**{name: value for name, value in os.environ.items() if name != "PYTHONPATH"}, **more}


def test_the_wheel_holds_the_package_and_nothing_else(dist):
    (wheel,) = dist.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "steelyard/py.typed" in names
    assert {name.split("/")[0].split("-")[0] for name in names} == {"steelyard"}
    sources = {str(path.relative_to(ROOT / "src")) for path in (ROOT / "src").rglob("*.py")}
    assert {name for name in names if name.endswith(".py")} == sources


def test_the_sdist_holds_what_a_distributor_needs(dist):
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "src/steelyard/py.typed", "tests/test_session.py"} <= names
    assert not [name for name in names if ".venv" in name or "__pycache__" in name]


def test_it_runs_from_the_wheel(python, tmp_path):
    where = run(python, "-c", "import steelyard; print(steelyard.__file__)", cwd=tmp_path, env=clean())
    assert Path(where).is_relative_to(python.parents[1])
    assert "3 ('gain',) (3,)" in run(python, CLIENT, cwd=tmp_path, env=clean())


def test_the_command_runs_from_the_wheel(python, tmp_path):
    command = python.with_name("steelyard")
    version = run(command, "--version", cwd=tmp_path, env=clean())
    assert version == run(python, "-m", "steelyard", "--version", cwd=tmp_path, env=clean())
    assert version.startswith("steelyard ")


def test_the_command_finds_modules_of_the_working_folder(python, tmp_path):
    (tmp_path / "mine.py").write_text("def bowl(x):\n    return float(x @ x)\n")
    assert "mine:bowl" in run(python.with_name("steelyard"), "problems", "mine:bowl?n=3", cwd=tmp_path, env=clean())


def test_the_command_completes_its_subcommands(python, tmp_path):
    asked = clean(_STEELYARD_COMPLETE="complete_bash", COMP_WORDS="steelyard doc", COMP_CWORD="1")
    assert run(python.with_name("steelyard"), cwd=tmp_path, env=asked).split() == ["doctor"]


def test_a_typed_client_passes_mypy_from_outside(python, tmp_path):
    options = ("--strict", "--python-executable", python, "--config-file", os.devnull)
    run(sys.executable, "-m", "mypy", *options, "--cache-dir", ROOT / ".mypy_cache", CLIENT, cwd=tmp_path, env=clean())


def test_mypy_sees_a_wrong_client(python, tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import steelyard\nsteelyard.minimize(lambda x, y: True, [0.0], budget='many')\n")
    options = ("--strict", "--python-executable", python, "--config-file", os.devnull)
    command = [sys.executable, "-m", "mypy", *options, "--cache-dir", ROOT / ".mypy_cache", wrong]
    outcome = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=clean(), timeout=300)
    assert 'Argument "budget" to "minimize" has incompatible type "str"' in outcome.stdout
