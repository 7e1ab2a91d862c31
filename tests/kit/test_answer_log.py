import os
import re
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judging import SPACE, Counting, badness, nicer, prefer

from steelyard import Concurrent, minimize, read_log
from steelyard.kit.answer_log import LogWriter
from steelyard.version import __version__

START = np.ones(3)


def run(judge, log, **more):
    return minimize(judge, START, **{"budget": 50, "rng": 0, "method": "scobo", "log": log, **more})


def test_every_answer_is_in_the_file_with_its_points(tmp_path):
    result = run(prefer, tmp_path / "a.jsonl")
    file = read_log(tmp_path / "a.jsonl")
    assert len(file) == result.ncmp == 50
    header = file.runs[0].header
    assert (header["method"], header["x0"], header["seed"]["entropy"]) == ("scobo", [1.0, 1.0, 1.0], 0)
    assert all(prefer(np.array(e.a), np.array(e.b)) == e.answer for e in file.answers)


def test_a_crash_loses_nothing_and_no_call_is_paid_twice(tmp_path):
    judge = Counting(fail_at={20, 33})
    results = []
    for _ in range(3):
        try:
            results.append(run(judge, tmp_path / "a.jsonl"))
        except ConnectionError as error:
            results.append(error.result)
    assert [result.ncmp for result in results] == [19, 31, 50]
    assert judge.calls == 52
    np.testing.assert_array_equal(results[-1].x, run(prefer, None).x)


def test_ctrl_c_carries_the_result_so_far(tmp_path):
    def pressed(x, y):
        if counting.calls == 15:
            raise KeyboardInterrupt
        return prefer(x, y)

    counting = Counting(pressed)
    with pytest.raises(KeyboardInterrupt) as caught:
        run(counting, tmp_path / "a.jsonl")
    assert caught.value.result.ncmp == 14
    assert "call again with the same log" in caught.value.__notes__[0]
    assert run(prefer, tmp_path / "a.jsonl").ncmp == 50


@settings(max_examples=40)
@given(st.sampled_from(["scobo", "stp", "cma-es"]), st.floats(0.0, 1.0))
def test_a_log_cut_at_any_byte_resumes_to_the_same_run(tmp_path_factory, method, share):
    folder = tmp_path_factory.mktemp("cut")
    whole = run(prefer, folder / "a.jsonl", budget=30, method=method)
    content = (folder / "a.jsonl").read_bytes()
    cut = int(share * len(content))
    (folder / "a.jsonl").write_bytes(content[:cut])
    judge = Counting()
    again = run(judge, folder / "a.jsonl", budget=30, method=method)
    np.testing.assert_array_equal(again.x, whole.x)
    assert (again.ncmp, again.nties, again.nit) == (whole.ncmp, whole.nties, whole.nit)
    kept = max(content[:cut].count(b"\n") - 1, 0)
    assert judge.calls == 30 - kept
    assert len(read_log(folder / "a.jsonl")) == 30


def test_rows_of_an_unfinished_batch_are_kept_whatever_their_order(tmp_path):
    judge = Counting(fail_at={27})
    with pytest.raises(ConnectionError):
        run(Concurrent(judge, 8, retries=0), tmp_path / "a.jsonl")
    kept = len(read_log(tmp_path / "a.jsonl"))
    assert kept >= 26
    result = run(judge, tmp_path / "a.jsonl")
    assert judge.calls == 51
    np.testing.assert_array_equal(result.x, run(prefer, None).x)


def test_without_a_seed_the_log_remembers_it(tmp_path):
    first = run(prefer, tmp_path / "a.jsonl", rng=None, budget=30)
    again = run(prefer, tmp_path / "a.jsonl", rng=None, budget=30)
    np.testing.assert_array_equal(first.x, again.x)
    assert len(read_log(tmp_path / "a.jsonl").runs) == 1


def test_a_larger_budget_goes_on(tmp_path):
    judge = Counting()
    run(judge, tmp_path / "a.jsonl", budget=30)
    result = run(judge, tmp_path / "a.jsonl", budget=70)
    assert judge.calls == 70
    np.testing.assert_array_equal(result.x, run(prefer, None, budget=70).x)


@pytest.mark.parametrize(
    "change", [{"method": "gld"}, {"options": {"m": 7}}, {"rng": 5}, {"bounds": [(-2, 2)] * 3}], ids=str
)
def test_the_log_of_another_run_is_not_misread(tmp_path, change):
    run(prefer, tmp_path / "a.jsonl")
    before = (tmp_path / "a.jsonl").read_bytes()
    with pytest.raises(ValueError, match="holds 50 answers of another run"):
        run(prefer, tmp_path / "a.jsonl", **change)
    assert (tmp_path / "a.jsonl").read_bytes() == before


BOX = {"bounds": [(-2, 2)] * 3}


def test_answers_of_another_method_are_a_warm_start_for_one_that_can_use_them(tmp_path):
    log, judge = tmp_path / "a.jsonl", Counting()
    run(prefer, log, method="stp", budget=25, **BOX)
    arguments = {"method": "preference-gp,particles=4", "budget": 28, **BOX}
    first = run(judge, log, **arguments)
    assert judge.calls == 3
    file = read_log(log)
    assert [len(run.answers) for run in file.runs] == [25, 3]
    again = run(judge, log, **arguments)
    assert judge.calls == 3
    np.testing.assert_array_equal(first.x, again.x)


def test_the_default_begins_from_the_answers_of_another_method(tmp_path):
    log, judge = tmp_path / "a.jsonl", Counting()
    run(prefer, log, method="stp", budget=60, **BOX)
    arguments = {"method": "auto", "budget": 80, **BOX}
    first = run(judge, log, **arguments)
    assert (judge.calls, first.method) == (20, "bayes-quadratic")
    cold = run(prefer, None, **{**arguments, "budget": 20, "method": "bayes-quadratic"})
    assert badness(first.x) < 0.1 * badness(cold.x)
    again = run(judge, log, **arguments)
    assert judge.calls == 20
    np.testing.assert_array_equal(first.x, again.x)
    run(judge, log, **{**arguments, "budget": 90})
    assert judge.calls == 30


@pytest.mark.parametrize("method", ["stp", "bayes-quadratic"])
def test_a_log_of_another_version_goes_on_if_its_questions_are_the_same(tmp_path, method):
    log = tmp_path / "a.jsonl"
    run(prefer, log, method=method, budget=30)
    log.write_text(log.read_text().replace(f'"steelyard": "{__version__}"', '"steelyard": "0.0.7"', 1))
    judge = Counting()
    result = run(judge, log, method=method, budget=40)
    assert judge.calls == 10
    np.testing.assert_array_equal(result.x, run(prefer, None, method=method, budget=40).x)


@pytest.mark.parametrize("method", ["stp", "bayes-quadratic"])
def test_a_log_of_another_version_whose_questions_differ_is_a_warm_start_or_refused(tmp_path, method):
    log = tmp_path / "a.jsonl"
    run(prefer, log, method=method, budget=30)
    lines = log.read_text().splitlines(keepends=True)
    other = [re.sub(r'"fingerprint": \d+', '"fingerprint": 1', line) for line in lines]
    log.write_text("".join(other))
    judge = Counting()
    if method == "stp":
        with pytest.raises(ValueError, match=r"stp cannot begin from .*: choose another file"):
            run(judge, log, method=method, budget=40)
    else:
        assert run(judge, log, method=method, budget=40).ncmp == 40
    assert judge.calls == (0 if method == "stp" else 10)


def test_a_file_of_something_else_is_refused(tmp_path):
    log = tmp_path / "notes.txt"
    log.write_text("dear diary\n")
    with pytest.raises(ValueError, match="file of answers that steelyard wrote"):
        run(prefer, log)
    assert log.read_text() == "dear diary\n"


def test_two_writers_are_refused(tmp_path):
    with (
        LogWriter(tmp_path / "a.jsonl", 0),
        pytest.raises(RuntimeError, match="in use by another run"),
    ):
        run(prefer, tmp_path / "a.jsonl")


def test_data_frame_with_settings_by_name(tmp_path):
    pandas = pytest.importorskip("pandas")
    minimize(nicer, SPACE, budget=12, rng=0, method="stp", log=tmp_path / "a.jsonl")
    frame = read_log(tmp_path / "a.jsonl").to_dataframe()
    assert isinstance(frame, pandas.DataFrame)
    assert len(frame) == 12
    assert set(frame["a.wave"]) <= {"sine", "saw", "square", "noise"}
    assert {"answer", "latency", "time", "rater", "b.cutoff"} <= set(frame.columns)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_killed_process_resumes_without_paying_twice(tmp_path):
    """The judge notes every call in a file of its own: after SIGKILL at most the call under way is made again."""
    program = textwrap.dedent(f"""
        import sys, time
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from judging import prefer
        import numpy as np
        from steelyard import minimize

        def judge(x, y):
            time.sleep(0.002)
            with open("calls", "a") as file:
                file.write("x")
            return prefer(x, y)

        print(minimize(judge, np.ones(3), budget=400, rng=0, method="scobo", log="a.jsonl").x.tolist())
    """)
    started = subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path)
    while not (tmp_path / "a.jsonl").exists() or (tmp_path / "a.jsonl").read_bytes().count(b"\n") < 40:
        assert started.poll() is None
    started.send_signal(signal.SIGKILL)
    started.wait()
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (tmp_path / "calls").read_text().count("x") <= 401
    np.testing.assert_array_equal(eval(done.stdout), run(prefer, None, budget=400).x)
