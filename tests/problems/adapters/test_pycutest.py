"""The adapter against a stand-in with PyCUTEst's interface and, where it is installed, against PyCUTEst itself."""

import pickle
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from steelyard import problems


class StandIn:
    """The part of pycutest.CUTEstProblem that matters, with QING behind it."""

    def __init__(self, n: int, m: int = 0, upper: float = 1e20) -> None:
        self.n, self.m = n, m
        self.x0 = np.ones(n)
        self.bl, self.bu = np.full(n, -1e20), np.full(n, upper)
        self.i = np.arange(1.0, n + 1)

    def check_input_x(self, x) -> None:
        # As strict as the real one.
        if not isinstance(x, np.ndarray) or x.shape != (self.n,):
            raise RuntimeError(f"x must be an array of shape ({self.n},)")

    def obj(self, x, gradient: bool = False):
        self.check_input_x(x)
        return float(((x * x - self.i) ** 2).sum())

    def grad(self, x, index=None):
        self.check_input_x(x)
        return 4 * x * (x * x - self.i)


@pytest.fixture
def asked(monkeypatch) -> list:
    """A module `pycutest` that notes what it is asked for."""
    calls = []

    def import_problem(problemName, destination=None, sifParams=None, **options):
        calls.append((problemName, sifParams))
        kinds = {"QING": {}, "BOUNDED": {"upper": 3.0}, "CONSTRAINED": {"m": 2}}
        return StandIn(**{"n": (sifParams or {}).get("N", 100), **kinds[problemName]})

    monkeypatch.setitem(sys.modules, "pycutest", SimpleNamespace(import_problem=import_problem))
    return calls


def test_values_and_gradients_pass_through(asked) -> None:
    theirs, ours = problems.get("pycutest:QING?N=7"), problems.get("QING", N=7)
    x = np.random.default_rng(0).standard_normal((5, 7))
    np.testing.assert_allclose(theirs.f(x), ours.f(x), rtol=1e-14)
    np.testing.assert_allclose(theirs.gradient(x), ours.gradient(x), rtol=1e-14)
    assert theirs.f(x[0]) == theirs.f(x)[0]
    assert asked == [("QING", {"N": 7})]


def test_without_parameters_the_sif_decides(asked) -> None:
    assert problems.get("pycutest:QING").name == "pycutest:QING"
    assert asked == [("QING", None)]


def test_it_is_pickled_by_name_and_can_be_derived_from(asked) -> None:
    problem = pickle.loads(pickle.dumps(problems.get("pycutest:QING", N=7).rotated(2)))
    assert problem.name == "pycutest:QING?N=7~rotated=2"
    assert asked == [("QING", {"N": 7})] * 2


@pytest.mark.parametrize(("name", "what"), [("BOUNDED", "bounds"), ("CONSTRAINED", "2 constraints")])
def test_constraints_are_refused(asked, name: str, what: str) -> None:
    with pytest.raises(ValueError, match=f"pycutest:{name} has {what}"):
        problems.get(f"pycutest:{name}")


def test_without_pycutest_the_message_says_what_to_install(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pycutest", None)
    with pytest.raises(ImportError, match=r"build CUTEst, then install steelyard\[cutest\]"):
        problems.get("pycutest:QING")


def test_the_real_thing() -> None:
    try:
        import pycutest  # noqa: F401
    except (ImportError, RuntimeError):
        pytest.skip("PyCUTEst or CUTEst is not installed")
    theirs, ours = problems.get("pycutest:QING?N=100"), problems.get("QING")
    x = ours.x0 + np.random.default_rng(0).standard_normal((3, 100))
    np.testing.assert_allclose(theirs.f(x), ours.f(x), rtol=1e-9)
    np.testing.assert_allclose(theirs.gradient(x), ours.gradient(x), rtol=1e-9)
