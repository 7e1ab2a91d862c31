import pickle
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from steelyard import problems

installed = pytest.mark.skipif(find_spec("cocoex") is None, reason="coco-experiment is not installed")


@installed
def test_the_sphere_has_its_best_value_and_its_gradient() -> None:
    sphere = problems.get("bbob:f1/d5/i2")
    g = sphere.gradient(sphere.x0)
    # The sphere is |x - x*|^2 + f*, so half the gradient leads from any point to the minimiser.
    assert sphere.f(sphere.x0 - g / 2) == pytest.approx(sphere.f_best, abs=1e-8)
    np.testing.assert_allclose(sphere.gradient(sphere.x0 + 1.0), g + 2.0, rtol=1e-7)


@installed
def test_rows_agree_with_points_and_pickle_by_name() -> None:
    problem = problems.get("bbob:f8/d20/i1")
    again = pickle.loads(pickle.dumps(problem))
    x = np.random.default_rng(0).uniform(-5, 5, (4, 20))
    np.testing.assert_array_equal(again.f(x), [problem.f(row) for row in x])
    assert again.name == "bbob:f8/d20/i1"
    assert problem.f(x).min() > problem.f_best


@installed
@pytest.mark.parametrize("name", ["f0/d2/i1", "f25/d2/i1", "f1/d1/i1", "f1/d2/i0", "f1", "f1/d2/i1?n=3"])
def test_bad_names_are_explained(name: str) -> None:
    with pytest.raises(ValueError, match="bbob:f"):
        problems.get(f"bbob:{name}")


def test_without_coco_the_message_names_the_extra(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "cocoex", None)
    with pytest.raises(ImportError, match=r"install steelyard\[adapters\]"):
        problems.get("bbob:f8/d20/i1")
