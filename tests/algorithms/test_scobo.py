import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize as scipy_minimize

from steelyard.algorithms.scobo import SCOBO, sparse_direction


def within(g: np.ndarray, s: float) -> bool:
    return bool(np.linalg.norm(g) <= 1 + 1e-9 and np.abs(g).sum() <= np.sqrt(s) * (1 + 1e-9))


@pytest.mark.parametrize("s", [1, 2, 5, 20])
def test_sparse_direction_agrees_with_a_general_solver(s: int) -> None:
    c = np.random.default_rng(s).standard_normal(20)
    u = np.abs(c)
    solved = scipy_minimize(
        lambda v: -u @ v,
        np.full(20, 1e-3),
        jac=lambda v: -u,
        method="SLSQP",
        bounds=[(0, None)] * 20,
        constraints=[
            {"type": "ineq", "fun": lambda v: 1 - v @ v, "jac": lambda v: -2 * v},
            {"type": "ineq", "fun": lambda v: np.sqrt(s) - v.sum(), "jac": lambda v: -np.ones(20)},
        ],
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    g = sparse_direction(c, s)
    assert within(g, s)
    assert c @ g == pytest.approx(-solved.fun, rel=1e-6)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=12), st.integers(1, 12))
def test_sparse_direction_is_feasible_and_no_worse_than_any_vertex(entries: list[int], s: int) -> None:
    """Whole numbers make many equal entries, where no threshold has the right number of survivors."""
    c = np.array(entries, dtype=float)
    g = sparse_direction(c, s)
    assert within(g, s)
    u = np.sort(np.abs(c))[::-1]
    for k in range(1, c.size + 1):  # the k largest entries, as long as the constraints allow
        v = np.ones(k) * min(1.0, np.sqrt(s / k)) / np.sqrt(k)
        assert c @ g >= u[:k] @ v - 1e-9


def test_dense_estimates_are_left_alone() -> None:
    c = np.array([3.0, -4.0])
    assert np.allclose(sparse_direction(c, 2), [0.6, -0.8])
    assert not sparse_direction(np.zeros(3), 2).any()


@pytest.mark.parametrize(
    "options", [{"s": 2.5}, {"s": 0}, {"m": 0}, {"decay": 1.5}, {"line_search": False}, {"radius": -1.0}]
)
def test_bad_options_are_named(options: dict[str, float]) -> None:
    (name,) = options
    with pytest.raises(ValueError, match=f"{name}.*must|must.*{name}"):
        SCOBO(**options)
