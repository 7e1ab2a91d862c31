import numpy as np
import pytest

from steelyard.problems import rows

SIZES = [1, 2, 3, 7, 8, 9, 31, 64, 100, 129, 1000, 8192, 8193, 10_001]


@pytest.mark.parametrize("n", SIZES)
def test_sums_have_the_same_bits_alone_and_in_any_batch(n: int) -> None:
    rng = np.random.default_rng(n)
    a, b, v = rng.standard_normal((100, n)), rng.standard_normal((100, n)), rng.standard_normal(n)
    matrix = rng.standard_normal((n, 5))
    for function in (
        lambda s: rows.row_sum(a[s]),
        lambda s: rows.row_dot(a[s], b[s]),
        lambda s: rows.row_dot(a[s], v),
        lambda s: rows.sum_of_squares(a[s]),
        lambda s: rows.row_matmul(a[s], matrix),
    ):
        alone = np.concatenate([function(slice(i, i + 1)) for i in range(100)])
        for m in (2, 3, 5, 17, 100):
            np.testing.assert_array_equal(function(slice(0, m)), alone[:m])
            np.testing.assert_array_equal(function(slice(100 - m, 100)), alone[100 - m :])


def test_they_compute_what_they_say() -> None:
    a, b = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0, 6.0], [7.0, 8.0]])
    np.testing.assert_array_equal(rows.row_sum(a), [3, 7])
    np.testing.assert_array_equal(rows.row_dot(a, b), [17, 53])
    np.testing.assert_array_equal(rows.row_dot(a, b[0]), [17, 39])
    np.testing.assert_array_equal(rows.sum_of_squares(a), [5, 25])
    np.testing.assert_array_equal(rows.row_matmul(a, b), a @ b)


@pytest.mark.parametrize("m", [0, 1, 4, 5, 6, 11])
def test_chunks_change_nothing_but_the_memory(m: int) -> None:
    sizes = []

    def kernel(x):
        sizes.append(len(x))
        return rows.row_sum(x)

    x = np.random.default_rng(0).standard_normal((m, 3))
    np.testing.assert_array_equal(rows.in_chunks(kernel, rows.CHUNK // 5)(x), rows.row_sum(x))
    assert max(sizes) <= 5
    assert sum(sizes) == m


def test_staggered_terms_overlap_by_all_but_one_column() -> None:
    a, b, c = np.array([[1.0, 2.0, 3.0]]), np.array([[10.0, 20.0, 30.0]]), np.array([[100.0, 200.0, 300.0]])
    assert rows.staggered(a).tolist() == a.tolist()
    assert rows.staggered(a, b).tolist() == [[1.0, 12.0, 23.0, 30.0]]
    assert rows.staggered(a, b, c).tolist() == [[1.0, 12.0, 123.0, 230.0, 300.0]]
