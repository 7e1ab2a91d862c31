import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from steelyard.bench import Plan, run
from steelyard.bench.figures import draw_plan
from steelyard.bench.gap_tables import (
    cells_table,
    folded_methods_table,
    judge_name,
    methods_table,
    standing_sentences,
)
from steelyard.bench.gaps import gap_cells, standing
from steelyard.bench.markdown import fill, markdown_table
from steelyard.bench.methods import label
from steelyard.bench.ratios import ratios_table
from steelyard.bench.records import load_plan, runs_folder
from steelyard.bench.report import bench_report, markdown_blocks
from steelyard.bench.run import Interrupted
from steelyard.cli import main

PLAN = Plan(
    {"rotated": ["Ellipsoid?n={n}~rotated={seed}"], "boxed": ["BoxedEllipsoid?n={n}&active=0.5&seed={seed}"]},
    ["stp", "gld", "scipy,name=Powell", "knockout,size=4"],
    budget=60,
    seeds=2,
    oracle=["exact", "noisy,p=.75", "person"],
    checkpoints=[20, 60],
    n=[2, 4],
    caps={"knockout,size=4": 20},
)


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gaps")
    summary = run(PLAN, folder, jobs=0)
    assert not summary.failed
    return folder


def test_a_plan_with_groups_survives_toml_and_leaves_out_what_does_not_fit():
    assert Plan.from_toml(PLAN.to_toml()) == PLAN
    cells = list(PLAN.cells())
    assert {cell.problem for cell in cells if cell.algorithm.startswith("knockout")} == {
        f"BoxedEllipsoid?n={n}&active=0.5" + (f"&seed={seed}" if seed else "") for n in (2, 4) for seed in (0, 1)
    }
    assert {cell.oracle for cell in cells if cell.algorithm.startswith("scipy")} == {"exact"}
    assert all(cell.budget == 20 for cell in cells if cell.algorithm.startswith("knockout"))
    assert PLAN.left_out() == [
        "scipy,name=Powell sees values, which only the oracle 'exact' gives",
        "knockout,size=4 needs a box",
    ]


def test_the_cells_are_geometric_means_over_the_same_runs(out):
    results = load_plan(PLAN, out)
    cells = gap_cells(PLAN, results)
    assert len(cells) == 2 * 2 * 3 * 2  # groups, n, judges, checkpoints
    cell = next(c for c in cells if (c.group, c.n, c.oracle, c.queries) == ("rotated", 4, "noisy,p=0.75", 60))
    runs = results.where(problem="Ellipsoid?n=4~rotated={seed}", oracle="noisy,p=0.75", algorithm="stp")
    gaps = runs.at(60) / runs["f0"].astype(float)
    assert cell.default.mean == pytest.approx(np.exp(np.log(gaps).mean()))
    assert cell.rival.method == "gld" and cell.ratio == pytest.approx(cell.default.mean / cell.rival.mean)
    boxed = [c for c in cells if c.group == "boxed" and c.queries == 60]
    assert all(each.method != "knockout,size=4" for c in boxed for each in c.methods)  # capped at 20
    found = standing(PLAN, results, cells)
    assert found.cells == 24 and len(standing_sentences(PLAN, found)) == 3


def test_ratios_are_of_the_same_runs_and_all_groups_together_come_last(out):
    results = load_plan(PLAN, out)
    table = ratios_table(PLAN, results)
    assert table.head[-1] == "worse at 60 than at 20" and len(table.rows) == 3 * (2 + 1)  # judges, groups and all
    row = next(row for row in table.rows if row[:2] == ["rotated", "right 75%"])
    gaps = {
        method: runs.at(60) / runs["f0"].astype(float)
        for method in ("stp", "gld")
        if len(runs := results.where(problem=PLAN.groups()["rotated"], oracle="noisy,p=0.75", algorithm=method))
    }
    ratio = np.exp(np.log(gaps["stp"]).mean() - np.log(gaps["gld"]).mean())
    assert float(row[table.head.index("to gld")]) == pytest.approx(ratio, rel=0.05)
    assert row[-1].endswith("of 4") and table.rows[2][0] == "all" and table.rows[2][-1].endswith("of 8")
    assert row[table.head.index("to scipy,name=Powell (values)")] == "–"  # it needs a judge that never errs
    assert ratios_table(PLAN, results, by_group=False).rows == table.rows[2::3]


def test_gaps_after_all_numbers_of_answers_are_folded_into_one_cell(out):
    cells = gap_cells(PLAN, load_plan(PLAN, out))
    plain, folded = methods_table(PLAN, cells), folded_methods_table(PLAN, cells)
    assert folded.head == plain.head and len(plain.rows) == 2 * len(folded.rows)
    for row, first, second in zip(folded.rows, plain.rows[::2], plain.rows[1::2], strict=True):
        assert row[:3] == first[:3] == second[:3] and row[3] == "20 / 60"
        assert [cell.replace("**", "") for cell in row[4:]] == [
            f"{a} / {b}".replace("*", "") for a, b in zip(first[4:], second[4:], strict=True)
        ]
        assert markdown_table(folded.head, [row]).count("**") == 2 * sum(
            cell.startswith("*") for cell in [*first, *second]
        )


def test_whoever_sees_values_is_marked_and_never_the_rival(out):
    cells = gap_cells(PLAN, load_plan(PLAN, out))
    exact = [cell for cell in cells if cell.oracle == "exact"]
    assert all(cell.methods[-1].method == "scipy,name=Powell" for cell in exact)
    assert all(cell.rival.method != "scipy,name=Powell" for cell in exact)
    assert label("scipy,name=Powell") == "scipy,name=Powell (values)" and label("stp,form='value'").endswith("(values)")
    narrow = replace(PLAN, oracle="exact", n=[2])
    page = bench_report(narrow, out).read_text()
    assert "(values)" in page and "Geometric mean gap against answers" in page


def test_the_figure_of_a_plan_has_a_panel_for_each_judge_and_dimension(out, tmp_path):
    results = load_plan(PLAN, out)
    files = [tmp_path / "one.svg", tmp_path / "two.svg"]
    for file in files:
        draw_plan(PLAN, results, file)
    text = files[0].read_text()
    assert text == files[1].read_text() and text.count('<g id="axes_') == 12
    for word in ("rotated, n = 2", "boxed, n = 4", "a person", "best other at each point"):
        assert f"<!-- {word} -->" in text
    with pytest.raises(ValueError, match="no figure"):
        draw_plan(Plan(["QING?N=2"], ["stp"], budget=20), load_plan(PLAN, out), files[0])


def test_each_problem_and_seed_has_noise_of_its_own(out):
    results = load_plan(PLAN, out).where(oracle="noisy,p=0.75", algorithm="stp")
    assert len({tuple(results.take([i]).traces["trace_queries"]) for i in range(len(results))}) > 4


def test_a_page_is_filled_between_its_marks(out, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("Mine.\n<!-- bench: standing -->\nold\n<!-- end -->\n<!-- bench: cells -->\n<!-- end -->\nStays.\n")
    assert fill(page, markdown_blocks(PLAN, out, "plans/x.toml")) == ["standing", "cells"]
    text = page.read_text()
    assert "old" not in text and text.startswith("Mine.") and text.endswith("Stays.\n") and "| n | judge |" in text
    rows = cells_table(PLAN, gap_cells(PLAN, load_plan(PLAN, out))).rows
    assert text.count("\n| ") == len(rows) + 2
    others = "<!-- bench: other/cells -->\nkept\n<!-- end -->\n<!-- bench: mine/cells -->\nold\n<!-- end -->\n"
    page.write_text(others)
    assert fill(page, markdown_blocks(PLAN, out), "mine") == ["cells"]
    assert "kept" in page.read_text() and "old" not in page.read_text()
    page.write_text(others)
    with pytest.raises(ValueError, match="no mark"):
        fill(page, markdown_blocks(PLAN, out), "third")
    page.write_text("<!-- bench: nonsense -->\n<!-- end -->")
    with pytest.raises(ValueError, match="'nonsense'"):
        fill(page, markdown_blocks(PLAN, out))


def test_without_a_best_value_there_is_no_fraction_but_one_against_the_best_found(tmp_path):
    (tmp_path / "unknown.py").write_text("def f(x):\n    return float(((x - 1.0) ** 2).sum() - 3.0)\n")
    sys.path.insert(0, str(tmp_path))
    try:
        plan = Plan(["unknown:f?n=3"], ["stp", "gld"], budget=200, seeds=2)
        run(plan, tmp_path / "out", jobs=0)
        solved = {row[0]: row[1:] for row in _solved(plan, tmp_path / "out").rows}
        assert solved["f(x) − f* ≤ 10⁻¹ (f(x₀) − f*)"] == ["–", "–"]
        bench_report(plan, tmp_path / "out")  # nothing to draw a gap from, and no harm done
        found = Plan(plan.problems, plan.algorithms, 200, 2, f_best="found")
        assert run(found, tmp_path / "out", jobs=0).finished == 0
        row = _solved(found, tmp_path / "out").rows[2]
        assert row[0] == "f(x) − f_found ≤ 10⁻¹ (f(x₀) − f_found)" and "1.00" in "".join(row)
        text = bench_report(found, tmp_path / "out").read_text()
        assert "f_found is the lowest value found by any run" in text and "the best value found by any run." in text
    finally:
        sys.path.remove(str(tmp_path))


def _solved(plan, out):
    from steelyard.bench.tables import solved_table

    return solved_table(plan, load_plan(plan, out))


def test_judges_in_words():
    assert judge_name("noisy,p=0.75") == "right 75%"
    assert judge_name("logistic,relative=1,scale=0.05") == "Bradley-Terry, scale 0.05 of f(x₀) − f*"
    assert judge_name("exact") == "never wrong" and judge_name("exact,bias=0.1") == "10% for the first"


def test_failed_runs_end_with_1_and_the_page_is_written(tmp_path, capsys):
    arguments = ["bench", "--problem", "ROSENBR", "--algorithm", "own_methods:Breaks", "--budget", "50", "--seeds", "6"]
    with pytest.raises(SystemExit) as stop:
        main([*arguments, "--jobs", "0", "--out", str(tmp_path)])
    page = tmp_path / "report" / "index.html"
    assert stop.value.code == 1 and "ZeroDivisionError" in page.read_text()
    page.unlink()
    with pytest.raises(SystemExit) as again:  # nothing is run, and it has still failed
        main([*arguments, "--jobs", "0", "--out", str(tmp_path)])
    assert again.value.code == 1 and "ZeroDivisionError" in page.read_text()
    assert "runs failed; --retry-failed runs them again" in capsys.readouterr().err


def test_a_problem_that_cannot_be_evaluated_at_all_leaves_a_page_too(tmp_path, monkeypatch):
    (tmp_path / "breaking.py").write_text("def f(x):\n    raise OverflowError('too much')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    arguments = ["bench", "--problem", "breaking:f?n=3", "--algorithm", "stp", "--budget", "50", "--seeds", "2"]
    with pytest.raises(SystemExit) as stop:
        main([*arguments, "--jobs", "0", "--out", str(tmp_path / "out")])
    assert stop.value.code == 1
    assert "OverflowError: too much" in (tmp_path / "out" / "report" / "index.html").read_text()


def test_ctrl_c_says_what_is_kept(tmp_path):
    command = [sys.executable, "-m", "steelyard", "bench", "--suite", "paper22", "--algorithm", "stp"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [*command, "--budget", "3000", "--jobs", "1", "--out", str(tmp_path)],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A shell may have started us with Ctrl-C ignored, which children inherit.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while process.poll() is None and not list(runs_folder(tmp_path).glob("*.parquet")):
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the workers too
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 130 and "of 110 runs are kept in" in said and "Traceback" not in said
    page = (tmp_path / "report" / "index.html").read_text()
    assert re.search(r">\s*[1-9]\d* runs: 1 methods, 22 problems", page)


@pytest.mark.parametrize(
    "command", ["reproduce", "tune stp --problem QING --grid step=1,2 --grid schedule=sqrt,constant"]
)
def test_ctrl_c_of_other_commands_says_what_is_kept(command, tmp_path, monkeypatch, capsys):
    def stopped(*_args, **_options):
        raise Interrupted("stopped: 3 of 8 runs are kept")

    monkeypatch.setattr("steelyard.paper.reproduce.run", stopped)
    monkeypatch.setattr("steelyard.bench.tune.run", stopped)
    with pytest.raises(SystemExit) as stop:
        main([*command.split(), "--jobs", "0", "--out", str(tmp_path)])
    assert stop.value.code == 130 and "steelyard: stopped: 3 of 8 runs are kept" in capsys.readouterr().err
