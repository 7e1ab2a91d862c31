import numpy as np
import pytest

from steelyard import problems


def test_a_rotation_keeps_the_start_and_the_length_of_the_gradient() -> None:
    plain, turned = problems.get("LUKSAN17LS"), problems.get("LUKSAN17LS").rotated(3)
    assert turned.f(turned.x0) == plain.f(plain.x0)
    g, h = plain.gradient(plain.x0), turned.gradient(turned.x0)
    assert np.linalg.norm(g) == pytest.approx(np.linalg.norm(h), rel=1e-13)
    assert not np.allclose(g, h)


def test_a_rotation_keeps_distances_and_depends_on_the_seed() -> None:
    sphere = problems.get("NonSparseQuadratic", n=5).shifted(0)
    x = np.random.default_rng(0).standard_normal(5)
    one, two = sphere.rotated(1), sphere.rotated(2)
    assert one.f(x) != two.f(x)
    # About x0 a rotation only turns the minimiser around: at the distance |x0| from x0 lies a zero again.
    back = one.x0 - one.gradient(one.x0) / 2
    assert one.f(back) == pytest.approx(0, abs=1e-25)


def test_turning_takes_the_start_along() -> None:
    plain, turned = problems.get("LUKSAN17LS"), problems.get("LUKSAN17LS").turned(3)
    for t in (1.0, 0.5, -2.0):  # the line through the origin and x0 is the same, only elsewhere
        assert turned.f(t * turned.x0) == pytest.approx(plain.f(t * plain.x0), rel=1e-12)
    x = np.random.default_rng(0).standard_normal(plain.n)
    assert turned.f(x) != pytest.approx(plain.f(x), rel=1e-3)
    step = 1e-6 * x / np.linalg.norm(x)
    slope = (turned.f(turned.x0 + step) - turned.f(turned.x0 - step)) / 2e-6
    assert turned.gradient(turned.x0) @ x / np.linalg.norm(x) == pytest.approx(slope, rel=1e-6)
    assert problems.get(turned.name).f(x) == turned.f(x)


def test_scaling_stretches_the_axes_by_the_condition() -> None:
    plain = problems.get("NonSparseQuadratic", n=3)
    stretched = plain.scaled(100)
    ratio = stretched.gradient(plain.x0) / plain.gradient(plain.x0)
    np.testing.assert_allclose(ratio, [0.1, 1.0, 10.0])


def test_shifting_moves_the_start_only() -> None:
    plain, moved = problems.get("QING"), problems.get("QING").shifted(7, size=0.5)
    assert 0.3 < np.std(moved.x0 - plain.x0) < 0.7
    assert moved.f(plain.x0) == plain.f(plain.x0)


def test_names_round_trip() -> None:
    problem = problems.get("QING", N=9).rotated(3).shifted(1).shifted(2, 0.5).scaled(10)
    assert problem.name == "QING?N=9~rotated=3~shifted=1~shifted=2,0.5~scaled=10.0"
    again = problems.get(problem.name)
    assert again.name == problem.name
    np.testing.assert_array_equal(again.x0, problem.x0)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("QING~twisted=1", "one of rotated, turned, shifted, moved, scaled, got 'twisted'"),
        ("QING~rotated", "rotated takes numbers"),
        ("QING~rotated=x", "rotated takes numbers"),
        ("QING~rotated=1,2", "at most 1 number"),
        ("QING~rotated=-1", "seed must be at least 0, got -1"),
        ("QING~scaled=0", "condition must be a positive number"),
        ("QING?N=5001~rotated=1", "n of a rotated problem must be from 1 to 5000, got 5001"),
    ],
)
def test_a_bad_step_is_explained(spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        problems.get(spec)
