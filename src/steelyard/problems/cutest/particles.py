"""Points in the plane and in space: vortices that turn as one body, and the ring of a molecule."""

import numpy as np

from steelyard.checks import check_range
from steelyard.problems.cutest.structure import one_to
from steelyard.problems.definitions import Definition, problem
from steelyard.problems.rows import in_chunks, row_sum, sum_of_squares
from steelyard.typing import Array

_POLYGON = "0 at the regular polygon with mu = 0, omega = -(N - 1) / 2"


def _differences(a: Array) -> Array:
    """a_i - a_j at [i, j], for each row."""
    return a[:, :, None] - a[:, None, :]


def _sum_over_j(table: Array) -> Array:
    m, n, _ = table.shape
    return row_sum(table.reshape(m * n, n)).reshape(m, n)


def _unpack(x: Array, N: int) -> tuple[Array, Array, Array, Array]:
    """mu, omega (as columns), and the points' two coordinates."""
    points = x[:, 2 : 2 + 2 * N]
    return x[:, :1], x[:, 1:2], np.ascontiguousarray(points[:, ::2]), np.ascontiguousarray(points[:, 1::2])


def _rotation(mu: Array, omega: Array, X: Array, Y: Array, U: Array, V: Array) -> tuple[Array, Array]:
    """The two residuals of each point, given the pairs' pulls U and V along the coordinates."""
    return _sum_over_j(V) - mu * X + omega * Y, -_sum_over_j(U) - mu * Y - omega * X


def _rotation_slopes(x: Array, N: int, a: Array, b: Array) -> Array:
    """The part of the gradient that comes from mu z and omega z, given the residuals' weights a and b."""
    mu, omega, X, Y = _unpack(x, N)
    g = np.empty_like(x)
    g[:, 0] = -row_sum(a * X) - row_sum(b * Y)
    g[:, 1] = row_sum(a * Y) - row_sum(b * X)
    g[:, 2 : 2 + 2 * N : 2] = -mu * a - omega * b
    g[:, 3 : 3 + 2 * N : 2] = omega * a - mu * b
    return g


def _polygon(N: int) -> Array:
    """mu = omega = 1 and the corners of the regular polygon."""
    angle = 2.0 * np.pi / N * one_to(N)
    return np.concatenate([[1.0, 1.0], np.stack([np.cos(angle), np.sin(angle)], axis=1).ravel()])


@problem("SPIN2LS", family="dense", source=_POLYGON, notes="N is the number of points; n = 2 N + 2.")
def spin2ls(N: int = 50) -> Definition:
    """With z_j = x_j + i y_j: |sum_k i / conj(z_j - z_k) - (mu + i omega) z_j|^2 over all j."""
    check_range("N", N, 2)
    diagonal = np.arange(N)

    def parts(x: Array) -> tuple[Array, Array, Array]:
        """The pairs' inverse squared distances, and their pulls along the coordinates."""
        _, _, X, Y = _unpack(x, N)
        dx, dy = _differences(X), _differences(Y)
        square = dx * dx + dy * dy
        square[:, diagonal, diagonal] = 1.0
        inverse = 1.0 / square
        return inverse, dx * inverse, dy * inverse

    def values(x: Array) -> Array:
        _, U, V = parts(x)
        r, q = _rotation(*_unpack(x, N), U, V)
        return sum_of_squares(r) + sum_of_squares(q)

    def gradients(x: Array) -> Array:
        inverse, U, V = parts(x)
        a, b = (2.0 * residuals for residuals in _rotation(*_unpack(x, N), U, V))
        g = _rotation_slopes(x, N, a, b)
        A, B = _differences(a), _differences(b)
        cross = 2.0 * U * V
        g[:, 2::2] -= _sum_over_j(A * cross + B * (inverse - 2.0 * U * U))
        g[:, 3::2] += _sum_over_j(A * (inverse - 2.0 * V * V) + B * cross)
        return g

    return Definition(_polygon(N), in_chunks(values, N * N), in_chunks(gradients, N * N), f_best=0.0)


@problem(
    "SPINLS",
    family="sparse",
    source=_POLYGON,
    notes="N is the number of points; n = 2 N + 2 + N (N - 1) / 2: each pair's distance is a variable too.",
)
def spinls(N: int = 10) -> Definition:
    """SPIN2LS with a variable v_jk for each distance, and the residuals |z_j - z_k|^2 - v_jk^2."""
    check_range("N", N, 2)
    first = 2 + 2 * N
    later, earlier = np.tril_indices(N, -1)
    diagonal = np.arange(N)
    pair = np.zeros((N, N), dtype=np.intp)
    pair[later, earlier] = pair[earlier, later] = np.arange(len(later))

    def between(a: Array) -> Array:
        """a_j - a_k for each pair j > k."""
        return np.asarray(np.take(a, later, axis=1) - np.take(a, earlier, axis=1))

    def symmetric(v: Array) -> Array:
        """One value per pair, as a symmetric matrix with zeros on its diagonal."""
        table = np.take(v, pair, axis=1)
        table[:, diagonal, diagonal] = 0.0
        return table

    def parts(x: Array) -> tuple[Array, Array, Array, Array]:
        """The pairs' differences, distances and the residuals of the distances."""
        _, _, X, Y = _unpack(x, N)
        dx, dy = between(X), between(Y)
        v = np.ascontiguousarray(x[:, first:])
        return dx, dy, v, dx * dx + dy * dy - v * v

    def rotation(x: Array, v: Array) -> tuple[Array, Array, Array]:
        z = _unpack(x, N)
        inverse = symmetric(1.0 / (v * v))
        r, q = _rotation(*z, _differences(z[2]) * inverse, _differences(z[3]) * inverse)
        return r, q, inverse

    def values(x: Array) -> Array:
        _, _, v, distances = parts(x)
        r, q, _ = rotation(x, v)
        return sum_of_squares(r) + sum_of_squares(q) + sum_of_squares(distances)

    def gradients(x: Array) -> Array:
        dx, dy, v, distances = parts(x)
        r, q, inverse = rotation(x, v)
        a, b = 2.0 * r, 2.0 * q
        _, _, X, Y = _unpack(x, N)
        g = _rotation_slopes(x, N, a, b)
        pull = symmetric(4.0 * distances)
        g[:, 2:first:2] += _sum_over_j(pull * _differences(X) - _differences(b) * inverse)
        g[:, 3:first:2] += _sum_over_j(pull * _differences(Y) + _differences(a) * inverse)
        A, B = between(a), between(b)
        g[:, first:] = 2.0 * (B * dx - A * dy) / (v * v * v) - 4.0 * v * distances
        return g

    x0 = np.concatenate([_polygon(N), np.ones(len(later))])
    return Definition(x0, in_chunks(values, N * N), in_chunks(gradients, N * N), f_best=0.0)


@problem(
    "CYCLOOCFLS",
    family="least squares",
    source="0 for even P from 6 on: a crown, up and down in turns",
    notes="P is the number of atoms; n = 3 P - 4.",
)
def cycloocfls(P: int = 8) -> Definition:
    """P points in a ring, the first at 0 and the second with x = 0: the squared distances of neighbours are 1 and
    those of neighbours but one 2 P / (P - 2), in least squares."""
    check_range("P", P, 4)
    lengths = (1.0, 2.0 * P / (P - 2.0))

    def ring(x: Array) -> Array:
        """The points, with the first two once more at the end to close the ring."""
        points = np.zeros((len(x), 3 * P + 6))
        points[:, 4 : 3 * P] = x
        points[:, 3 * P + 4 :] = x[:, :2]
        return points.reshape(-1, P + 2, 3)

    def parts(x: Array) -> list[tuple[Array, Array]]:
        """For steps of 1 and 2 around the ring: the differences, and the residuals of their squared lengths."""
        points = ring(x)
        found = []
        for step, length in enumerate(lengths, start=1):
            d = points[:, :P] - points[:, step : P + step]
            square = d * d
            found.append((d, square[:, :, 0] + square[:, :, 1] + square[:, :, 2] - length))
        return found

    def values(x: Array) -> Array:
        (_, near), (_, far) = parts(x)
        return sum_of_squares(near) + sum_of_squares(far)

    def gradients(x: Array) -> Array:
        g = np.zeros((len(x), P + 2, 3))
        for step, (d, residuals) in enumerate(parts(x), start=1):
            slope = 4.0 * residuals[:, :, None] * d
            g[:, :P] += slope
            g[:, step : P + step] -= slope
        g[:, :2] += g[:, P:]
        return np.ascontiguousarray(g.reshape(len(x), -1)[:, 4 : 3 * P])

    x0 = np.concatenate([[0.0, 0.0], np.repeat(one_to(P)[2:] / P, 3)])
    return Definition(x0, values, gradients, f_best=0.0 if P >= 6 and P % 2 == 0 else None)
