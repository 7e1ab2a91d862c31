"""Lukšan's sparse least-squares problems (J. Optim. Theory Appl. 89, 1996): numbers 15, 16 and 17.

Four consecutive variables give four residuals, and the next four start two variables later: n = 2 S + 2.
"""

from collections.abc import Callable, Iterable

import numpy as np

from steelyard.checks import check_range
from steelyard.problems.cutest.structure import least_squares
from steelyard.problems.definitions import Definition, problem
from steelyard.problems.rows import in_chunks, sum_of_squares
from steelyard.typing import Array, Kernel

POWERS = (1.0, 2.0, 3.0, 4.0)

# The orders 1, 2, 3, 4, 6, 8, 9 and 12 are the products p l of p = 1..3 and l = 1..4; one table entry for each.
ORDERS = np.array([1, 2, 3, 4, 6, 8, 9, 12])
LUKSAN_TARGETS = np.array([[35.8], [11.2], [6.2], [4.4]])
WEIGHTS = np.array([[sum(p * p / el for p in (1, 2, 3) if p * el == order) for order in ORDERS] for el in (1, 2, 3, 4)])
SLOPES = WEIGHTS / ORDERS


def _quadruples(x: Array) -> tuple[Array, Array, Array, Array]:
    """Views of the first to the fourth variable of every quadruple, each `(m, S)`."""
    return x[:, :-2:2], x[:, 1:-2:2], x[:, 2::2], x[:, 3::2]


def _start(S: int) -> Array:
    check_range("S", S, 1)
    return np.resize([-0.8, 1.2, -1.2, 0.8], 2 * S + 2)


def _sums_of_roots(S: int, roots: Kernel, derivatives: Callable[[Array], Iterable[Array | float]]) -> Definition:
    """Residuals sum_p p^2 / l root_{p l} - y_l of every quadruple. `roots` gives the roots `(m, 8, S)` of the orders
    above of something; `derivatives` those of its logarithm by the four variables."""

    def residuals(q: Array) -> Array:
        r: Array = np.matmul(WEIGHTS, q) - LUKSAN_TARGETS
        return r

    def values(x: Array) -> Array:
        return sum_of_squares(residuals(roots(x)).reshape(x.shape[0], -1))

    def gradients(x: Array) -> Array:
        q = roots(x)
        by_logarithm = np.add.reduce(2.0 * residuals(q) * np.matmul(SLOPES, q), axis=1)
        g = np.zeros_like(x)
        for into, derivative in zip(_quadruples(g), derivatives(x), strict=True):
            into += by_logarithm * derivative
        return g

    return Definition(_start(S), in_chunks(values, 8 * S), in_chunks(gradients, 8 * S))


@problem(
    "LUKSAN15LS",
    family="banded",
    f_best=3.5696970494344225,
    source="multistart on CUTEst",
    notes="the gradient is that of f; the SIF's own has the wrong sign where the signomial is negative",
)
def luksan15ls(S: int = 49) -> Definition:
    """Sparse signomial: roots of |x_1 x_2^2 x_3^3 x_4^4|. No gradient where a variable is 0."""

    def roots(x: Array) -> Array:
        a, b, c, d = _quadruples(x)
        d2 = d * d
        q = np.empty((x.shape[0], 8, a.shape[1]))
        np.abs(a * (b * b) * (c * c * c) * (d2 * d2), out=q[:, 0])
        np.sqrt(q[:, 0], out=q[:, 1])
        np.cbrt(q[:, 0], out=q[:, 2])
        np.cbrt(q[:, 2], out=q[:, 6])
        np.sqrt(q[:, 1:3], out=q[:, 3:5])
        np.sqrt(q[:, 3], out=q[:, 5])
        np.sqrt(q[:, 4], out=q[:, 7])
        return q

    def derivatives(x: Array) -> list[Array]:
        return [exponent / variable for exponent, variable in zip(POWERS, _quadruples(x), strict=True)]

    return _sums_of_roots(S, roots, derivatives)


@problem("LUKSAN16LS", family="banded", f_best=3.5696970494344176, source="multistart on CUTEst")
def luksan16ls(S: int = 49) -> Definition:
    """Sparse exponential: LUKSAN15LS with exp(x_1 + 2 x_2 + 3 x_3 + 4 x_4) in place of the signomial."""

    def roots(x: Array) -> Array:
        a, b, c, d = _quadruples(x)
        powers: Array = np.exp((a + 2.0 * b + 3.0 * c + 4.0 * d)[:, None, :] / ORDERS[:, None])
        return powers

    return _sums_of_roots(S, roots, lambda _: POWERS)


@problem("LUKSAN17LS", family="multimodal", f_best=0.49316129032257777, source="trust-exact on CUTEst")
def luksan17ls(S: int = 49) -> Definition:
    """Sparse trigonometric: sum_q l^2 q cos x_q - l q^2 sin x_q - y_l over the quadruple, l = 1..4."""
    el = np.array([[1.0], [2.0], [3.0], [4.0]])
    y = np.array([[30.6], [72.2], [124.4], [187.4]])

    def residuals(x: Array) -> Array:
        s, c = _quadruples(np.sin(x)), _quadruples(np.cos(x))
        sine = (s[0] + 4.0 * s[1] + 9.0 * s[2] + 16.0 * s[3])[:, None, :]
        cosine = (c[0] + 2.0 * c[1] + 3.0 * c[2] + 4.0 * c[3])[:, None, :]
        r: Array = (el * el) * cosine - el * sine - y
        return r.reshape(len(x), -1)

    def pullback(x: Array, w: Array) -> Array:
        sines, cosines, r = np.sin(x), np.cos(x), w.reshape(-1, 4, S)
        by_sine = -(r[:, 0] + 2.0 * r[:, 1] + 3.0 * r[:, 2] + 4.0 * r[:, 3])
        by_cosine = r[:, 0] + 4.0 * r[:, 1] + 9.0 * r[:, 2] + 16.0 * r[:, 3]
        g = np.zeros_like(x)
        for q, into, s, c in zip(POWERS, _quadruples(g), _quadruples(sines), _quadruples(cosines), strict=True):
            into += (q * q) * by_sine * c - q * by_cosine * s
        return g

    return least_squares(_start(S), residuals, pullback, f_best=None, size=8 * S)
