"""VAREIGVL: an eigenvalue as a minimum (Auchmuty's variational principle)."""

import numpy as np

from steelyard.checks import check_range
from steelyard.problems.definitions import Definition, problem
from steelyard.problems.rows import in_chunks, row_dot, sum_of_squares
from steelyard.typing import Array


@problem("VAREIGVL", family="banded", source="0 at x = 0", notes="follows the SIF of May 2024")
def vareigvl(N: int = 49, M: int = 6, Q: float = 1.5) -> Definition:
    """||A x - mu x||^2 / 2 + (x'x)^Q / Q with a symmetric A of half bandwidth M; mu is the last variable."""
    check_range("N", N, 2)
    check_range("M", M, 0, N)
    check_range("Q", Q, 1.0, 2.0)
    i = np.arange(1.0, N + 1)
    j = i + np.arange(-M, M + 1)[:, None]
    inside = (j >= 1) & (j <= N)
    band = np.where(inside, np.sin(i * j) * np.exp((j - i) ** 2 * (-1.0 / (N * N))), 0.0)
    columns = np.where(inside, j, 1).astype(np.intp) - 1

    def times_matrix(x: Array) -> Array:
        """A x, by the 2 M + 1 entries of each row of A."""
        product: Array = np.add.reduce(x[:, columns] * band, axis=1)
        return product

    def parts(point: Array) -> tuple[Array, Array, Array, Array]:
        x, mu = point[:, :-1].copy(), point[:, -1:]
        return x, mu, times_matrix(x) - mu * x, sum_of_squares(x)

    def values(point: Array) -> Array:
        _, _, r, length = parts(point)
        return 0.5 * sum_of_squares(r) + length**Q / Q

    def gradients(point: Array) -> Array:
        x, mu, r, length = parts(point)
        g = np.empty_like(point)
        g[:, :-1] = times_matrix(r) - mu * r + (2.0 * length ** (Q - 1.0))[:, None] * x
        g[:, -1] = -row_dot(r, x)
        return g

    x0 = np.ones(N + 1)
    x0[-1] = 0.0
    return Definition(x0, in_chunks(values, band.size), in_chunks(gradients, band.size), f_best=0.0)
