import pytest

from steelyard.bench.plan import Cell, Plan, algorithm_identity


def test_toml_and_back():
    plan = Plan(["suite:toy", "QING?N=50"], ["stp,preset=paper", "gld,R=.1,r=.05"], 1e4, 3, "noisy,p=.9", [100])
    assert Plan.from_toml(plan.to_toml()) == plan
    assert plan.problem_names() == ["SparseQuadratic", "MaxK", "NonSparseQuadratic", "QING?N=50"]
    assert len(list(plan.cells())) == 8 and next(plan.cells()).seeds == (0, 1, 2)


def test_a_run_is_identified_by_what_changes_its_result():
    cell = Cell("QING", "gld,R=.1,r=1e-4", "noisy,p=.9", 1000, (0, 1))
    same = Cell("QING?N=100", "gld,preset=paper", "noisy,p=0.90", 1000, (1, 5, 6))
    assert cell.key(1) == same.key(1)
    others = [
        Cell("QING?N=99", "gld,preset=paper", "noisy,p=.9", 1000, (1,)),
        Cell("QING", "gld,preset=published", "noisy,p=.9", 1000, (1,)),
        Cell("QING", "gld,preset=paper", "noisy,p=.8", 1000, (1,)),
        Cell("QING", "gld,preset=paper", "noisy,p=.9", 1001, (1,)),
    ]
    keys = {cell.key(0), cell.key(1), *(other.key(1) for other in others)}
    assert len(keys) == 6


def test_an_edited_method_is_another_method(monkeypatch):
    before = algorithm_identity("own_methods:Walk")
    algorithm_identity.cache_clear()
    monkeypatch.setattr("inspect.getsource", lambda kind: "something else")
    assert algorithm_identity("own_methods:Walk") != before
    algorithm_identity.cache_clear()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"problems": []}, "problems must be a list"),
        ({"problems": ["NOPE"]}, "NOPE"),
        ({"problems": ["suite:nope"]}, "suite must be one of"),
        ({"algorithms": ["stq"]}, "did you mean 'stp'"),
        ({"algorithms": ["stp,stride=3"]}, "stride"),
        ({"budget": 0}, "budget must be at least 1"),
        ({"seeds": 0}, "seeds must be at least 1"),
        ({"oracle": "noisy"}, "p of oracle noisy must be a number"),
        ({"oracle": "noisy,p=2"}, "p must be from 0.5 to 1"),
        ({"oracle": "noisy,q=.9"}, "'q'"),
        ({"oracle": "loud"}, "oracle must be one of exact, noisy, logistic, got 'loud'"),
        ({"oracle": "exact,majority=3,sequential=2"}, "not both"),
        ({"colour": 1}, "'colour'"),
    ],
)
def test_bad_plans_are_refused_with_a_reason(change, message):
    with pytest.raises(ValueError, match=message):
        Plan.from_mapping({"problems": ["QING"], "algorithms": ["stp"], **change})


def test_a_file_that_is_no_plan(tmp_path):
    (tmp_path / "plan.toml").write_text("problems = [")
    with pytest.raises(ValueError, match="cannot be read as TOML"):
        Plan.load(tmp_path / "plan.toml")
