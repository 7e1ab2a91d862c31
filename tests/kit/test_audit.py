import time

import numpy as np
import pytest
from judging import SPACE, nicer, prefer

from steelyard import Concurrent, audit
from steelyard.cli import main

POINTS = np.random.default_rng(0).uniform(-1, 1, (10, 3))


def test_a_judge_without_fault():
    report = audit(prefer, POINTS, 120, rng=0)
    assert report.same_again.value == 1.0
    assert report.turned.count == report.circles.count == report.ties.count == 0
    assert report.wrong_close.count == report.wrong_far.count == 0
    assert (report.method, report.wrappers) == ("cqn", ())
    assert report.calls == 120


def test_a_judge_that_likes_the_first_side():
    def partial(x, y):
        return 1 if prefer(x, y) > 0 or np.abs(x - y).sum() < 1.5 else -1

    report = audit(partial, POINTS, 240, rng=0)
    assert report.same_again.value == 1.0
    assert report.first.interval[0] > 0.5
    assert report.turned.count > 0
    assert report.wrappers[0] in ("Shuffled", "BothWays")
    assert "prefers the side shown first" in str(report)


def test_shares_are_right_on_average():
    """One audit is uncertain by some points; many of them are not."""
    rng = np.random.default_rng(5)

    def errs(x, y):
        return 0 if rng.random() < 0.25 else bool((x[0] < y[0]) == (rng.random() < 0.8))

    audits = [audit(errs, POINTS, 240, rng=seed) for seed in range(25)]
    expected = 0.25**2 + 0.75**2 * (0.8**2 + 0.2**2)
    assert np.mean([found.same_again.value for found in audits]) == pytest.approx(expected, abs=0.04)
    assert np.mean([found.ties.value for found in audits]) == pytest.approx(0.25, abs=0.02)
    assert np.mean([found.first.value for found in audits]) == pytest.approx(0.5, abs=0.03)


def test_a_judge_at_random():
    rng = np.random.default_rng(1)
    report = audit(lambda x, y: int(rng.integers(-1, 2)), POINTS, 600, rng=0)
    assert 0.2 < report.same_again.value < 0.5
    assert 0.1 < report.circles.value < 0.4
    assert 0.25 < report.ties.value < 0.42
    assert report.method != "cqn"


def test_errors_are_more_frequent_when_close():
    rng = np.random.default_rng(2)

    def close_calls(i, j):
        return bool(rng.random() < 1.0 / (1.0 + np.exp(i - j)))

    report = audit(close_calls, range(8), 600, rng=0)
    assert report.wrong_close.value > report.wrong_far.value + 0.05
    assert report.method == "best_of"


def test_latency_cost_and_a_space():
    def slow(s, t):
        time.sleep(0.06)
        return nicer(s, t)

    report = audit(Concurrent(slow, 12, cost=0.5), SPACE, 24, rng=0)
    assert report.latency > 0.05
    assert report.cost == 0.5
    assert "Concurrent" not in report.wrappers
    assert "Concurrent" in audit(slow, SPACE, 12, rng=0).wrappers
    assert len(report.plot().axes[0].lines) > 5


@pytest.mark.parametrize(
    ("points", "budget", "message"),
    [
        (POINTS[:2], 20, "points must be at least three candidates, got 2"),
        (5, 20, "points must be a list of candidates or a Space, got 5"),
        (POINTS, 3, "budget must be at least 12, got 3"),
    ],
)
def test_wrong_use_is_named(points, budget, message):
    with pytest.raises((ValueError, TypeError), match=message):
        audit(prefer, points, budget)


def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_judge.py").write_text("def likes(x, y):\n    return len(x) < len(y)\n")
    (tmp_path / "texts.txt").write_text("one\nthree\nseventeen\na\n")
    with pytest.raises(SystemExit) as done:
        main(["audit", "my_judge:likes", "--points", "texts.txt", "--budget", "24", "--plot", "audit.svg"])
    assert not done.value.code
    assert "the side shown first wins" in capsys.readouterr().out
    assert (tmp_path / "audit.svg").exists()
    for wrong, message in (("my_judge", "module:name"), ("no_such:thing", "cannot be loaded")):
        with pytest.raises(SystemExit) as refused:
            main(["audit", wrong])
        assert refused.value.code == 2
        assert message in capsys.readouterr().err
