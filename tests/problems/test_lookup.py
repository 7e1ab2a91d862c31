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
    with pytest.raises(ValueError, match="'Qinq'; did you mean QING"):
        problems.get("Qinq")
