import numpy as np
import pytest

from steelyard.parts.directions import check_directions, sample, sample_many

NAMES = ["coordinate", "gaussian", "sphere", "rademacher"]


@pytest.mark.parametrize("name", NAMES)
def test_directions_have_mean_zero_or_are_basis_vectors_and_second_moment_one_over_n(name):
    n, m = 5, 40_000
    d = sample_many(name, m, n, np.random.default_rng(1))
    assert d.shape == (m, n)
    scale = n if name == "gaussian" else 1.0
    np.testing.assert_allclose(d.T @ d / m, scale * np.eye(n) / n, atol=0.03 * scale)
    if name != "coordinate":
        np.testing.assert_allclose(d.mean(axis=0), 0, atol=0.02 * scale)


@pytest.mark.parametrize("name", ["coordinate", "sphere", "rademacher"])
def test_unit_length(name):
    rng = np.random.default_rng(0)
    for d in (sample(name, 7, rng), sample_many(name, 3, 7, rng)):
        np.testing.assert_allclose(np.linalg.norm(d, axis=-1), 1)


def test_coordinate_directions_are_basis_vectors_and_reach_every_coordinate():
    d = sample_many("coordinate", 200, 4, np.random.default_rng(0))
    assert set(d.ravel()) == {0.0, 1.0}
    assert (d.sum(axis=0) > 0).all()


def test_rademacher_has_both_signs():
    d = sample("rademacher", 64, np.random.default_rng(0))
    assert set(d) == {-1 / 8, 1 / 8}


def test_unknown_distribution_is_named():
    with pytest.raises(ValueError, match=r"directions must be one of coordinate, .*, got 'cauchy'"):
        check_directions("cauchy")
    with pytest.raises(ValueError, match="got 'cauchy'"):
        sample("cauchy", 3, np.random.default_rng(0))  # type: ignore[arg-type]
