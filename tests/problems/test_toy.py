import numpy as np
import pytest

from steelyard import problems


def test_the_starts_of_the_published_benchmark() -> None:
    # Values of the published code at its own start (NumPy's legacy generator, seed 12345).
    values = {p.name: p.f(p.x0) for p in problems.suite("toy")}
    expected = {
        "SparseQuadratic": 21.450415499095346,
        "MaxK": 43.23720741862426,
        "NonSparseQuadratic": 200.70113930180273,
    }
    assert values == pytest.approx(expected, rel=1e-15)


def test_max_k_takes_the_largest_magnitudes() -> None:
    problem = problems.get("MaxK", n=4, k=2)
    x = np.array([3.0, -5.0, 4.0, 1.0])
    assert problem.f(x) == 0.5 * (25 + 16)
    np.testing.assert_array_equal(problem.gradient(x), [0, -5, 4, 0])


def test_sparse_quadratic_sees_the_first_k_only() -> None:
    problem = problems.get("SparseQuadratic", n=3, k=2)
    assert problem.f([1.0, 2.0, 9.0]) == 5.0


def test_noise_is_normal_and_belongs_to_the_point() -> None:
    exact, noisy = problems.get("NonSparseQuadratic", n=2), problems.get("NonSparseQuadratic?n=2&noise=0.5")
    other = problems.get("NonSparseQuadratic", n=2, noise=0.5, noise_seed=1)
    x = np.random.default_rng(0).standard_normal((4000, 2))
    noise = noisy.f(x) - exact.f(x)
    assert abs(noise.mean()) < 0.03
    assert noise.std() == pytest.approx(0.5, rel=0.03)
    assert abs(np.corrcoef(noise, other.f(x) - exact.f(x))[0, 1]) < 0.06
    assert noisy.f([0.0, 1.0]) == noisy.f([-0.0, 1.0])


@pytest.mark.parametrize("k", [0, 6])
def test_k_must_lie_between_1_and_n(k: int) -> None:
    with pytest.raises(ValueError, match=f"MaxK: k must be from 1 to 5, got {k}"):
        problems.get("MaxK", n=5, k=k)
