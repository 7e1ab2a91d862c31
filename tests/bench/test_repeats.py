import pytest

from steelyard.bench import load
from steelyard.bench.plan import Plan
from steelyard.bench.repeats import drawing_nothing, without_false_repeats
from steelyard.bench.report import bench_report
from steelyard.bench.run import run


@pytest.mark.parametrize(("oracle", "same"), [("exact", ["pattern-search"]), ("noisy,p=0.9", [])])
def test_seeds_of_a_method_that_draws_nothing_are_one_run(oracle, same, tmp_path):
    plan = Plan(["ROSENBR", "QING?N=5"], ["stp", "pattern-search"], 150, 3, oracle)
    run(plan, tmp_path, jobs=0)
    results = load(tmp_path)
    assert drawing_nothing(results) == same
    kept, sentence = without_false_repeats(results)
    assert len(kept.where(algorithm="stp")) == 6 and len(kept.where(algorithm="pattern-search")) == (2 if same else 6)
    assert bool(sentence) == bool(same)
    text = bench_report(plan, tmp_path).read_text(encoding="utf-8")
    assert ("pattern-search draws nothing at random" in text) == bool(same)


def test_one_seed_is_no_proof(tmp_path):
    run(Plan(["ROSENBR"], ["pattern-search"], 50, 1), tmp_path, jobs=0)
    assert drawing_nothing(load(tmp_path)) == []
