"""Small problems, two to eight variables, that the plans small.toml and small-ties.toml name `plans.small:NAME`.

From More, Garbow and Hillstrom, Testing unconstrained optimization software (ACM TOMS 7, 1981): sums of squares of the
residuals below. Each is a function of one point with its usual start as the attribute `x0`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

Vector = np.ndarray

BARD_DATA = np.array([0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39])
KOWALIK = np.array([0.1957, 0.1947, 0.1735, 0.1600, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246])
KOWALIK_AT = np.array([4, 2, 1, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625])
OSBORNE_DATA = np.array([
    0.844, 0.908, 0.932, 0.936, 0.925, 0.908, 0.881, 0.850, 0.818, 0.784, 0.751, 0.718, 0.685, 0.658, 0.628, 0.603,
    0.580, 0.558, 0.538, 0.522, 0.506, 0.490, 0.478, 0.467, 0.457, 0.448, 0.438, 0.431, 0.424, 0.420, 0.414, 0.411,
    0.406,
])  # fmt: skip


# --- residuals


def rosenbrock(x: Vector) -> Vector:
    return np.concatenate([10.0 * (x[1::2] - x[::2] ** 2), 1.0 - x[::2]])


def freudenstein_roth(x: Vector) -> list[float]:
    a, b = x
    return [-13.0 + a + ((5.0 - b) * b - 2.0) * b, -29.0 + a + ((b + 1.0) * b - 14.0) * b]


def beale(x: Vector) -> Vector:
    return np.array([1.5, 2.25, 2.625]) - x[0] * (1.0 - x[1] ** np.arange(1, 4))


def jennrich_sampson(x: Vector) -> Vector:
    i = np.arange(1, 11)
    return 2.0 + 2.0 * i - np.exp(i * x[0]) - np.exp(i * x[1])


def himmelblau(x: Vector) -> list[float]:
    return [x[0] ** 2 + x[1] - 11.0, x[0] + x[1] ** 2 - 7.0]


def helical_valley(x: Vector) -> list[float]:
    turn = np.arctan2(x[1], x[0]) / (2.0 * np.pi)
    return [10.0 * (x[2] - 10.0 * turn), 10.0 * (np.hypot(x[0], x[1]) - 1.0), x[2]]


def bard(x: Vector) -> Vector:
    u = np.arange(1, 16)
    return BARD_DATA - x[0] - u / ((16 - u) * x[1] + np.minimum(u, 16 - u) * x[2])


def box(x: Vector) -> Vector:
    t = 0.1 * np.arange(1, 11)
    return np.exp(-t * x[0]) - np.exp(-t * x[1]) - x[2] * (np.exp(-t) - np.exp(-10.0 * t))


def powell_singular(x: Vector) -> list[float]:
    return [x[0] + 10 * x[1], 5**0.5 * (x[2] - x[3]), (x[1] - 2 * x[2]) ** 2, 10**0.5 * (x[0] - x[3]) ** 2]


def wood(x: Vector) -> list[float]:
    return [
        10.0 * (x[1] - x[0] ** 2), 1.0 - x[0], 90**0.5 * (x[3] - x[2] ** 2), 1.0 - x[2],
        10**0.5 * (x[1] + x[3] - 2.0), 10**-0.5 * (x[1] - x[3]),
    ]  # fmt: skip


def kowalik_osborne(x: Vector) -> Vector:
    u = KOWALIK_AT
    return KOWALIK - x[0] * (u * u + u * x[1]) / (u * u + u * x[2] + x[3])


def brown_dennis(x: Vector) -> Vector:
    t = 0.2 * np.arange(1, 21)
    return (x[0] + t * x[1] - np.exp(t)) ** 2 + (x[2] + x[3] * np.sin(t) - np.cos(t)) ** 2


def biggs(x: Vector) -> Vector:
    t = 0.1 * np.arange(1, 14)
    y = np.exp(-t) - 5.0 * np.exp(-10.0 * t) + 3.0 * np.exp(-4.0 * t)
    return x[2] * np.exp(-t * x[0]) - x[3] * np.exp(-t * x[1]) + x[5] * np.exp(-t * x[4]) - y


def osborne(x: Vector) -> Vector:
    t = 10.0 * np.arange(33)
    return OSBORNE_DATA - x[0] - x[1] * np.exp(-t * x[3]) - x[2] * np.exp(-t * x[4])


def penalty(x: Vector) -> list[float]:
    return [*(1e-5**0.5 * (x - 1.0)), x @ x - 0.25]


def variably_dimensioned(x: Vector) -> list[float]:
    total = np.arange(1, x.size + 1) @ (x - 1.0)
    return [*(x - 1.0), total, total**2]


def trigonometric(x: Vector) -> Vector:
    return x.size - np.sum(np.cos(x)) + np.arange(1, x.size + 1) * (1.0 - np.cos(x)) - np.sin(x)


def brown_almost_linear(x: Vector) -> list[float]:
    return [*(x[:-1] + np.sum(x) - x.size - 1.0), np.prod(x) - 1.0]


def broyden_tridiagonal(x: Vector) -> Vector:
    around = np.concatenate([[0.0], x, [0.0]])
    return (3.0 - 2.0 * x) * x - around[:-2] - 2.0 * around[2:] + 1.0


def chebyquad(x: Vector) -> list[float]:
    means = [
        float(np.mean(np.polynomial.chebyshev.chebval(2.0 * x - 1.0, np.eye(i + 1)[i]))) for i in range(1, x.size + 1)
    ]
    return [mean - (0.0 if i % 2 else -1.0 / (i * i - 1.0)) for i, mean in enumerate(means, 1)]


def _problem(residuals: Callable[[Vector], Sequence[float] | Vector], x0: Sequence[float]) -> Callable[[Vector], float]:
    def f(x: Vector) -> float:
        with np.errstate(all="ignore"):
            return float(np.sum(np.square(residuals(x))))

    f.x0 = np.array(x0, dtype=float)
    return f


ROSENBROCK = _problem(rosenbrock, [-1.2, 1.0])
FREUDENSTEIN_ROTH = _problem(freudenstein_roth, [0.5, -2.0])
BEALE = _problem(beale, [1.0, 1.0])
JENNRICH_SAMPSON = _problem(jennrich_sampson, [0.3, 0.4])
HIMMELBLAU = _problem(himmelblau, [0.5, -0.3])
HELICAL_VALLEY = _problem(helical_valley, [-1.0, 0.1, 0.0])
BARD = _problem(bard, [1.0, 1.0, 1.0])
BOX = _problem(box, [0.0, 10.0, 20.0])
POWELL_SINGULAR = _problem(powell_singular, [3.0, -1.0, 0.0, 1.0])
WOOD = _problem(wood, [-3.0, -1.0, -3.0, -1.0])
KOWALIK_OSBORNE = _problem(kowalik_osborne, [0.25, 0.39, 0.415, 0.39])
BROWN_DENNIS = _problem(brown_dennis, [25.0, 5.0, -5.0, -1.0])
PENALTY = _problem(penalty, [1.0, 2.0, 3.0, 4.0])
TRIGONOMETRIC = _problem(trigonometric, [0.2] * 5)
BROWN_ALMOST_LINEAR = _problem(brown_almost_linear, [0.5] * 5)
OSBORNE = _problem(osborne, [0.5, 1.5, -1.0, 0.01, 0.02])
ROSENBROCK_6 = _problem(rosenbrock, [-1.2, 1.0] * 3)
BIGGS = _problem(biggs, [1.0, 2.0, 1.0, 1.0, 1.0, 1.0])
VARIABLY_DIMENSIONED = _problem(variably_dimensioned, 1.0 - np.arange(1, 7) / 6.0)
CHEBYQUAD = _problem(chebyquad, np.arange(1, 7) / 7.0)
BROYDEN_TRIDIAGONAL = _problem(broyden_tridiagonal, [-1.0] * 8)
