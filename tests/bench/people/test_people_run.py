import numpy as np
import pytest

from steelyard.bench.people.run import Job, Outcome, read, run_one, run_people
from steelyard.bench.people.summary import medians, paired, think_times


def test_every_method_meets_the_same_instances(tmp_path):
    out = tmp_path / "people.jsonl"
    outcomes = run_people(["random", "stp"], [2], ["85", "ties"], range(2), checkpoints=(10, 20), out=out)
    assert [(o.method, o.answers, o.seed) for o in outcomes[:4]] == [
        ("random", "85", 0),
        ("stp", "85", 0),
        ("random", "ties", 0),
        ("stp", "ties", 0),
    ]
    assert all(len(o.regret) == 2 and min(o.regret) >= 0 for o in outcomes)
    assert sorted(read(out), key=repr) == sorted(outcomes, key=repr)


def test_what_is_in_the_file_is_not_run_again(tmp_path, monkeypatch):
    out = tmp_path / "people.jsonl"
    first = run_people(["random"], [2], ["exact"], range(2), checkpoints=(10,), out=out)
    monkeypatch.setattr("steelyard.bench.people.run.run_one", lambda *_: pytest.fail("run again"))
    assert run_people(["random"], [2], ["exact"], range(2), checkpoints=(10,), out=out) == first


def test_exact_answers_let_random_challengers_only_improve():
    regret = run_one(Job("random", 2, "exact", 3), (1, 5, 20, 60)).regret
    assert list(regret) == sorted(regret, reverse=True)


def test_the_method_for_people_wins_over_a_tournament_in_five_parameters():
    methods = ("preference-gp,particles=8", "knockout")
    ours, theirs = (run_one(Job(method, 5, "exact", 0), (10, 25)).regret for method in methods)
    assert ours[1] < 0.5 * theirs[1]


def outcome(method, seed, regret, seconds=()):
    return Outcome(method, 2, "85", seed, "peak", "inside", (regret,), tuple(seconds))


def test_summary_of_outcomes():
    outcomes = [outcome("a", s, r) for s, r in enumerate([0.1, 0.2, 0.4])]
    outcomes += [outcome("b", s, r) for s, r in enumerate([0.2, 0.4, 0.3])]
    assert [(row.method, row.instances, row.regret) for row in medians(outcomes)] == [
        ("a", 3, (0.2,)),
        ("b", 3, (0.3,)),
    ]
    (row,) = paired(outcomes, "a", "b", 40, checkpoints=[40])
    assert (row.wins, row.instances) == (2, 3)
    assert row.ratio == pytest.approx((0.5 * 0.5 * 4 / 3) ** (1 / 3), rel=1e-3)
    assert row.low <= row.ratio <= row.high


def test_think_times_look_at_the_last_ten_answers():
    seconds = np.concatenate([np.full(10, 1.0), np.full(10, 0.02)])
    assert think_times([outcome("a", 0, 0.1, seconds)], "a", at=(10, 20, 40)) == [(10, 1.0, 1.0), (20, 0.02, 0.02)]
