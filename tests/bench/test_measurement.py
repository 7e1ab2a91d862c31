"""Plans in Python: the harness keeps, resumes and shows what they measure."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from steelyard.bench.measurement import Measurement, grouped, load_measurement
from steelyard.cli import main
from steelyard.errors import BadValue

SOURCE = Path(__file__).with_name("counting.py")
PAGE = "# Numbers\n<!-- bench: counting/stamp -->\n<!-- end -->\n<!-- bench: counting/table -->\nold\n<!-- end -->\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of a user's with a plan in it; modules loaded from it are forgotten afterwards."""
    (tmp_path / "counting.py").write_text(SOURCE.read_text())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    for name in ("counting", "nothing"):
        sys.modules.pop(name, None)


def bench(folder, *options):
    """The command in a process of its own, as one that edits the plan in between starts it."""
    command = [sys.executable, "-m", "steelyard", "bench", "--plan", "counting.py", "--jobs", "0", *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=os.environ)


def measured(folder):
    return (folder / "measured.log").read_text().splitlines()


def test_everything_is_measured_once_and_fills_a_page(folder):
    (folder / "page.md").write_text(PAGE)
    options = ("--seeds", "2", "--into", "page.md", "--into", "picture.svg")
    first = bench(folder, *options)
    assert first.returncode == 0, first.stderr
    assert sorted(measured(folder)) == sorted(f"{p} {a} {s}" for p in ("all", "odd") for a in "ab" for s in (1, 2))
    page = (folder / "page.md").read_text()
    assert "('all', 'a'): [10, 20]\n('all', 'b'): [10, 20]\n('odd', 'a'): [10]\n" in page and "old" not in page
    assert "`steelyard bench --plan counting.py --seeds 2`: 6 measurements; steelyard" in page
    assert (folder / "picture.svg").read_text() == "6 rows"
    assert bench(folder, *options).stdout == first.stdout
    assert len(measured(folder)) == 8


def test_options_take_the_place_of_the_plans_own(folder):
    assert bench(folder, "--problem", "all", "--algorithm", "b", "--budget", "7", "--first-seed", "5").returncode == 0
    assert measured(folder) == ["all b 5", "all b 6", "all b 7"]
    kept = sorted(json.loads(path.read_text())[0]["value"] for path in folder.glob("results/counting/cases/*.json"))
    assert kept == [35, 42, 49]


def test_an_edited_plan_is_measured_anew_and_old_rows_are_not_shown(folder):
    bench(folder, "--seeds", "1", "--problem", "all")
    plan = folder / "counting.py"
    plan.write_text(plan.read_text().replace("case.seed * case.budget", "-1"))
    assert "[-1]" in bench(folder, "--seeds", "1", "--problem", "all").stdout
    assert len(measured(folder)) == 4


def test_what_fails_is_named_and_tried_again(folder):
    plan = folder / "counting.py"
    plan.write_text(plan.read_text().replace('"odd")', '"broken")'))
    for _ in range(2):
        run = bench(folder, "--seeds", "1", "--algorithm", "a")
        assert run.returncode == 1
        assert "failed: a on broken, seed 1: ZeroDivisionError" in run.stderr
        assert "('all', 'a'): [10]" in run.stdout
    assert measured(folder) == ["all a 1", "broken a 1", "broken a 1"]


def test_workers_measure_the_same(folder):
    here = load_measurement(Path("counting.py"))
    assert isinstance(here, Measurement) and len({case.key for case in here.cases()}) == 12
    with pytest.raises(SystemExit) as stop:
        main(["bench", "--plan", "counting.py", "--jobs", "2", "--out", "elsewhere"])
    assert not stop.value.code
    assert len(measured(folder)) == 12


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--problem", "prime"], ["problems", "all, odd", "'prime'"]),
        (["--seeds", "0"], ["seeds", "at least 1", "0"]),
        (["--budget", "2.5"], ["budget", "integer", "2.5"]),
        (["--checkpoint", "10"], ["options of a plan in Python", "'checkpoints'"]),
        (["--on", "dask"], ["on", "TOML", "'dask'"]),
    ],
)
def test_options_that_make_no_sense_are_refused(folder, options, words, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["bench", "--plan", "counting.py", *options])
    assert stop.value.code == 2
    message = capsys.readouterr().err
    assert all(word in message for word in words), message


def test_a_file_without_a_plan_is_refused(folder):
    Path("nothing.py").write_text("PLAN = 3\n")
    with pytest.raises(BadValue, match=r"nothing\.py must define PLAN.*got 3"):
        load_measurement(Path("nothing.py"))
    with pytest.raises(BadValue, match=r"there is none at 'missing\.py'"):
        load_measurement(Path("missing.py"))


def test_rows_are_grouped_in_their_order():
    rows = [{"a": 2, "b": 1}, {"a": 1, "b": 1}, {"a": 2, "b": 3}]
    assert list(grouped(rows, "a")) == [(2,), (1,)]
    assert grouped(rows, "a")[2,] == [rows[0], rows[2]]
