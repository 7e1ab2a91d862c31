"""Dixon and Maany's family: a weighted sphere with quartic and bilinear couplings over long distances."""

import numpy as np

from steelyard.checks import check_range
from steelyard.problems.cutest.structure import one_to
from steelyard.problems.definitions import Definition, problem
from steelyard.problems.rows import row_dot
from steelyard.typing import Array

_SOURCE = "1 at the origin"


def _dixmaan(M: int, factors: tuple[float, float, float, float], powers: tuple[int, int, int, int]) -> Definition:
    """With n = 3 M and weights (i/n)^k times a factor each:

    1 + sum a_i x_i^2 + sum b_i x_i^2 (x_{i+1} + x_{i+1}^2)^2 + sum c_i x_i^2 x_{i+M}^4 + sum d_i x_i x_{i+2M}.
    """
    check_range("M", M, 1)
    n = 3 * M
    a, b, c, d = (factor * (one_to(n) / n) ** k for factor, k in zip(factors, powers, strict=True))
    b, c, d = b[:-1], c[: 2 * M], d[:M]
    coupled = bool(np.any(b))

    def values(x: Array) -> Array:
        square = x * x
        total = 1.0 + row_dot(square, a)
        if coupled:
            step = x[:, 1:] + square[:, 1:]
            total = total + row_dot(square[:, :-1] * (step * step), b)
        total = total + row_dot(square[:, : 2 * M] * (square[:, M:] * square[:, M:]), c)
        return total + row_dot(x[:, :M] * x[:, 2 * M :], d)

    def gradients(x: Array) -> Array:
        square = x * x
        g = 2.0 * a * x
        if coupled:
            step = x[:, 1:] + square[:, 1:]
            g[:, :-1] += 2.0 * b * x[:, :-1] * (step * step)
            g[:, 1:] += 2.0 * b * square[:, :-1] * step * (1.0 + 2.0 * x[:, 1:])
        near, far = square[:, : 2 * M], square[:, M:]
        g[:, : 2 * M] += 2.0 * c * x[:, : 2 * M] * (far * far)
        g[:, M:] += 4.0 * c * near * far * x[:, M:]
        g[:, :M] += d * x[:, 2 * M :]
        g[:, 2 * M :] += d * x[:, :M]
        return g

    return Definition(np.full(n, 2.0), values, gradients, f_best=1.0)


@problem("DIXMAANA1", family="sparse", source=_SOURCE, notes="n = 3 M.")
def dixmaana1(M: int = 30) -> Definition:
    return _dixmaan(M, (1.0, 0.0, 0.125, 0.125), (0, 0, 0, 0))


@problem("DIXMAANE1", family="sparse", source=_SOURCE, notes="n = 3 M.")
def dixmaane1(M: int = 30) -> Definition:
    return _dixmaan(M, (1.0, 0.0, 0.125, 0.125), (1, 0, 0, 1))


@problem("DIXMAANP", family="ill-conditioned", source=_SOURCE, notes="n = 3 M.")
def dixmaanp(M: int = 30) -> Definition:
    return _dixmaan(M, (1.0, 0.26, 0.26, 0.26), (2, 1, 1, 2))
