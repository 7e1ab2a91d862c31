import pickle

import numpy as np
import pytest

from steelyard import problems


def test_the_default_has_the_bare_name() -> None:
    assert problems.get("QING", N=100).name == "QING"


def test_parameters_by_keyword_and_in_the_name_are_the_same_problem() -> None:
    by_keyword, in_name = problems.get("HILBERTA", N=10), problems.get("HILBERTA?N=10")
    assert by_keyword.name == in_name.name == "HILBERTA?N=10"
    assert by_keyword.n == 10


def test_a_problem_is_pickled_as_its_name() -> None:
    problem = pickle.loads(pickle.dumps(problems.get("QING", N=7)))
    assert problem.name == "QING?N=7"
    assert problem.f(np.zeros(7)) == sum(i * i for i in range(1, 8))


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(ValueError, match="'Qinq'; did you mean 'QING'"):
        problems.get("Qinq")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("QING?M=3", "QING has no parameter M; its parameters: N"),
        ("QING?N", "written NAME\\?KEY=VALUE"),
        ("QING?N=many", "QING: N must be an integer, got 'many'"),
        ("QING?N=2.5", "QING: N must be an integer, got '2.5'"),
        ("OSCIPATH?RHO=big", "OSCIPATH: RHO must be a finite number, got 'big'"),
        ("OSCIPATH?RHO=nan", "OSCIPATH: RHO must be a finite number, got 'nan'"),
        ("QING?N=0", "QING: N must be at least 1, got 0"),
        ("CHNROSNB?N=51", "CHNROSNB: N must be from 2 to 50, got 51"),
        ("LUKSAN22LS?N=5", "LUKSAN22LS: N must be even, got 5"),
        ("VAREIGVL?N=5&M=6", "VAREIGVL: M must be from 0 to 5, got 6"),
    ],
)
def test_bad_parameters_are_explained(spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        problems.get(spec)


def test_parameters_as_in_the_sif() -> None:
    assert problems.get("VAREIGVL", N=49, M=6).name == "VAREIGVL"
    assert problems.get("OSCIPATH", N=10, RHO=500).name == "OSCIPATH"
    assert problems.get("OSCIPATH", RHO=1).name == "OSCIPATH?RHO=1.0"
    assert problems.get("LUKSAN12LS", S=4).n == 14


def test_a_best_value_found_at_one_size_is_not_claimed_for_others() -> None:
    assert problems.get("ERRINROS").f_best == pytest.approx(39.904154)
    assert problems.get("ERRINROS", N=10).f_best is None
    assert problems.get("SENSORS", N=10).f_best == -27 * 100 / 128


@pytest.mark.parametrize("N", [None, 2.5, float("inf")])
def test_bad_keyword_parameters_are_explained(N: object) -> None:
    with pytest.raises(ValueError, match=f"QING: N must be an integer, got {N}"):
        problems.get("QING", N=N)
