"""Real tasks: what each is, what is skipped, and that f is measured at checkpoints only."""

import dataclasses

import numpy as np
import pytest

from steelyard import problems
from steelyard.bench import Plan
from steelyard.bench.lockstep import run_together
from steelyard.bench.methods import algorithm_from
from steelyard.bench.records import load_plan
from steelyard.bench.run import run
from steelyard.bench.task_tables import judge_noise, pooled_elo, tasks_table
from steelyard.cli import main
from steelyard.errors import BadValue
from steelyard.function_oracle import FunctionOracle
from steelyard.problems import Problem
from steelyard.real import tasks
from steelyard.real.task import Task


def toy(measured, asked, noise=0.01):
    """A task whose judge is f with noise, and whose f counts how often it was measured."""

    def quality(x):
        measured.append(x.copy())
        return float(np.sum((x - 0.3) ** 2))

    class Judge:
        def __init__(self, rng):
            self.rng = rng

        def compare(self, a, b):
            asked.append(len(a))
            fa, fb = (np.sum((x - 0.3) ** 2, axis=1) for x in (a, b))
            return np.sign(fb - fa + noise * self.rng.standard_normal(len(a))).astype(np.int8)

    box = (np.zeros(3), np.ones(3))
    return Task(np.full(3, 0.9), quality, Judge, box, 0.0, "the centre")


@pytest.fixture
def judged():
    from steelyard.problems.adapters.real import remembered

    measured, asked = [], []
    task = toy(measured, asked)
    values = remembered(task.quality)
    problem = Problem(
        "toy",
        task.x0,
        values,
        lambda x: np.full_like(x, np.nan),
        f_best=0.0,
        bounds=task.bounds,
        judge=task.judge,
    )
    return problem, measured, asked


@pytest.mark.parametrize("method", ["auto", "spsa,answers=60", "random"])
def test_the_judge_answers_and_f_is_measured_at_checkpoints_only(judged, method):
    problem, measured, asked = judged
    found = run_together(problem, algorithm_from(method), [0, 1], 60, "own", [20, 60])
    assert sum(asked) == sum(each.queries for each in found) == 120
    assert len(measured) <= 1 + 2 * 2  # the start, and two checkpoints of two runs
    for each in found:
        assert each.status == "budget"
        assert each.trace.queries[0] == 0
        assert each.trace.queries[-1] <= 60
        assert each.trace.f[-1] < each.trace.f[0]


def test_the_oracle_own_needs_a_task_with_a_judge():
    with pytest.raises(BadValue, match="own is for tasks that bring their own judge"):
        run_together(problems.get("QING"), algorithm_from("stp"), [0], 10, "own")
    with pytest.raises(BadValue, match="tasks that bring their own judge"):
        Plan(["QING"], ["stp"], oracle="own")


def test_what_is_not_installed_is_skipped_with_a_sentence(monkeypatch):
    nowhere = tasks.Need("program", "no-such-engine", "apt-get install no-such-engine")
    chess = tasks.TASKS["chess"]
    monkeypatch.setitem(tasks.TASKS, "chess", tasks.TaskEntry(chess.module, chess.instances, chess.about, (nowhere,)))
    sentence = "real:chess is skipped, for it needs no-such-engine: apt-get install no-such-engine"
    assert tasks.missing("chess") == sentence
    assert not [name for name in tasks.available() if "chess" in name]
    plan = Plan({"chess": ["suite:real-chess"], "noisy": ["suite:real-noisy"]}, ["random"], oracle="own", budget=10)
    assert sentence in plan.left_out()
    assert plan.templates() == ["real:noisy", "real:noisy?function=110", "real:noisy?function=116"]
    alone = Plan(["suite:real-chess"], ["random"], oracle="own", budget=10)
    assert list(alone.cells()) == []
    assert alone.left_out() == [sentence]
    with pytest.raises(ImportError, match="real:chess is skipped"):
        problems.get("real:chess")


def test_the_command_says_in_full_what_is_not_installed(monkeypatch, tmp_path, capsys):
    nowhere = tasks.Need("module", "no_such_package", "install steelyard[real]")
    mirror = tasks.TASKS["mirror"]
    monkeypatch.setitem(tasks.TASKS, "mirror", dataclasses.replace(mirror, needs=(nowhere,)))
    with pytest.raises(SystemExit) as ended:
        main(["bench", "--suite", "real-mirror", "--budget", "5", "--jobs=0", "--out", str(tmp_path)])
    assert ended.value.code == 0
    sentence = "real:mirror is skipped, for it needs no_such_package: install steelyard[real]"
    assert sentence in capsys.readouterr().err


def test_names_of_tasks_are_checked():
    with pytest.raises(BadValue, match="real task must be one of chess"):
        problems.get("real:chequers")
    with pytest.raises(BadValue, match="real:noisy has no parameter n; its parameters: function, d"):
        problems.get("real:noisy?n=3")
    with pytest.raises(BadValue, match="judge of its own and cannot be derived"):
        problems.get("real:noisy~rotated=1")
    assert problems.get("real:noisy?d=10").name == "real:noisy"
    assert problems.get("real:noisy?d=5").n == 5


def test_real_tasks_are_never_tuned_on():
    from steelyard.commands.tune import tune

    with pytest.raises(BadValue, match="never for tuning"):
        tune("stp", search=True, suite=["real"])


@pytest.mark.parametrize("name", list(tasks.TASKS))
def test_a_task(name):
    """Each task: the same answers for the same random stream, the same quality for the same point, inside its box."""
    if reason := tasks.missing(name):
        pytest.skip(reason)
    small = {"chess": "?depth=1&pairs=2"}
    problem = problems.get(f"real:{name}{small.get(name, '')}")
    low, high = problem.bounds
    assert (problem.x0 >= low).all()
    assert (problem.x0 <= high).all()
    assert problem.f_best < problem.f(problem.x0) == problem.f(problem.x0.copy())
    pairs = 1 if name in ("denoiser", "hearing") else 2  # a comparison by models of ears takes a second
    points = low + (high - low) * np.random.default_rng(0).random((2, pairs, problem.n))
    answers = [problem.judge(np.random.default_rng(5)).compare(*points) for _ in range(2)]
    assert answers[0].dtype == np.int8
    assert set(answers[0]) <= {-1, 0, 1}
    if name != "noisy":  # COCO's noise goes on where it was
        assert (answers[0] == answers[1]).all()


def test_tables_of_tasks(tmp_path):
    plan = Plan({"noisy": ["real:noisy"]}, ["auto", "cma-es"], oracle="own", budget=60, seeds=2, checkpoints=[30])
    assert not run(plan, tmp_path, jobs=1).failed
    table = tasks_table(plan, load_plan(plan, tmp_path))
    judged = ["wrong by audit", "against the quality", "ties", "persistent"]
    assert table.head == ["task", "variables", *judged, "auto", "cma-es"]
    assert table.rows[0][:2] == ["noisy", "10"]
    assert table.rows[0][5] == "no"
    assert table.rows[0][6].endswith("/2)")
    assert table.rows[0][7].endswith("/2)†")  # what COCO's field uses


def test_the_command_tells_how_far_runs_came_and_nothing_of_gradients(tmp_path, capsys, monkeypatch):
    """Values of a real task may be negative and have no gradient: the criteria of formulas say nothing about it."""
    monkeypatch.setenv("COLUMNS", "160")
    with pytest.raises(SystemExit) as ended:
        main(["bench", "--suite", "real-noisy", "--budget", "12", "--seeds", "1", "--jobs=0", "--out", str(tmp_path)])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    page = (tmp_path / "report" / "index.html").read_text()
    for text in (said, page):
        assert "what remains of the way" in text
        assert "noisy?function=110" in text
        assert "spsa,answers=12" in text
        assert "∇f" not in text


def test_a_failed_run_is_left_out_of_the_table(tmp_path):
    plan = Plan({"noisy": ["real:noisy"]}, ["random", "stp"], oracle="own", budget=8, seeds=1)
    assert not run(plan, tmp_path, jobs=1).failed
    results = load_plan(plan, tmp_path)
    results["status"][results["algorithm"] == "stp"] = "failed"
    assert tasks_table(plan, results, judges=False).rows[0][3] == "–"


def test_what_is_said_about_a_judge(judged):
    problem, _, _ = judged
    found = judge_noise(dataclasses.replace(problem, judge=toy([], [], noise=0.3).judge))
    assert not found.persistent
    assert found.ties.count == 0
    assert 0 < found.misled.count < 0.5 * found.misled.of
    assert 0 < found.wrong.count < 0.5 * found.wrong.of
    sure = dataclasses.replace(problem, judge=lambda rng: FunctionOracle(problem.f))
    assert judge_noise(sure).persistent
    assert judge_noise(sure).misled.count == 0


def test_elo_of_several_runs():
    middle, low, high = pooled_elo(np.zeros(3), pairs=50)
    assert middle == 0
    assert low == -high < -50
    middle, low, high = pooled_elo(np.full(2, 400.0), pairs=50)
    assert middle == -400
    shares = 1.0 / (1.0 + 10.0 ** (-np.array([low, high]) / 400.0))
    assert np.diff(shares) == pytest.approx(2 * 1.96 * np.sqrt(1 / 11 * 10 / 11 / 100), rel=0.05)
