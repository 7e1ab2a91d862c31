"""Functions of the literature as people: what nobody here wrote, shifted, scaled and mirrored by seed.

Several wells, ripples, curved valleys and plateaus as well as bowls, from the test sets of global optimisation (Dixon
and Szegö 1978; Surjanovic and Bingham's collection), a colour to be matched by its red, green and blue, and a product
of five saturating terms (Haldane's equation). As with the people of `people.py` 0 is the best of the box and 1 its
median.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from steelyard.checks import check_range
from steelyard.problems.definitions import Definition, problem
from steelyard.problems.people import Function, regret
from steelyard.problems.rows import row_matmul
from steelyard.typing import Array

DEPTH = 0.1
"""The optimum keeps this distance from every face."""
NARROWEST = 0.6
"""The box shows at least this part of the usual range of each variable, and at most all of it."""


@dataclass(frozen=True, eq=False)
class _Standard:
    """A function of rows with its usual range and one of its global minimisers."""

    f: Function
    low: Array
    high: Array
    optimum: Array


@dataclass(frozen=True, eq=False)
class Instance:
    """One of the functions as a regret: 0 at `optimum`, 1 in the median over the box [0, 1]^d."""

    kind: str
    optimum: Array
    f: Function


@problem("Standard", family="people", source="0 at the function's own optimum")
def standard(seed: int = 0, function: int = 0) -> Definition:
    """Function number `seed` of the literature as a person: twelve in turn, each in its own number of variables.
    `function` 1 to 12 is the same one for every seed.

    The start is the middle of the box, as in a study. The gradient, which only judges, is by central differences.
    """
    check_range("seed", seed, 0)
    check_range("function", function, 0, len(NAMES))
    made = instance(seed, NAMES[function - 1] if function else "")
    return regret(made.f, made.optimum.size)


def instance(seed: int, kind: str = "") -> Instance:
    """Instance number `seed` of one kind, or of all functions in turn, shifted, scaled and mirrored in its own way."""
    kind = kind or NAMES[seed % len(NAMES)]
    rng = np.random.default_rng([seed, 30])
    made = _MAKERS[kind](rng)
    f, optimum = made if isinstance(made, tuple) else _placed(made, rng)
    best = float(f(optimum[None])[0])
    median = float(np.median(f(np.random.default_rng([seed, 31]).random((4096, optimum.size))))) - best
    return Instance(kind, optimum, lambda x: np.maximum(f(x) - best, 0.0) / median)


def _placed(function: _Standard, rng: np.random.Generator) -> tuple[Function, Array]:
    """Seen through a window of part of its range, some axes mirrored, with the optimum anywhere but near a face."""
    d = function.optimum.size
    optimum = rng.uniform(DEPTH, 1.0 - DEPTH, d)
    width = (function.high - function.low) * rng.uniform(NARROWEST, 1.0) * rng.choice([-1.0, 1.0], d)
    return lambda x: function.f(function.optimum + (x - optimum) * width), optimum


# --- the functions, each of rows


def _branin(x: Array) -> Array:
    u, v = x[..., 0], x[..., 1]
    bow = v - 5.1 / (4.0 * np.pi**2) * u**2 + 5.0 / np.pi * u - 6.0
    return np.asarray(bow**2 + 10.0 * (1.0 - 1.0 / (8.0 * np.pi)) * np.cos(u) + 10.0)


def _camel(x: Array) -> Array:
    u, v = x[..., 0], x[..., 1]
    return np.asarray((4.0 - 2.1 * u**2 + u**4 / 3.0) * u**2 + u * v + (4.0 * v**2 - 4.0) * v**2)


def _drop_wave(x: Array) -> Array:
    square = np.square(x).sum(axis=-1)
    return np.asarray(-(1.0 + np.cos(12.0 * np.sqrt(square))) / (0.5 * square + 2.0))


def _ackley(x: Array) -> Array:
    far = -20.0 * np.exp(-0.2 * np.sqrt(np.square(x).mean(axis=-1)))
    return np.asarray(far - np.exp(np.cos(2.0 * np.pi * x).mean(axis=-1)) + 20.0 + np.e)


def _levy(x: Array) -> Array:
    w = 1.0 + (x - 1.0) / 4.0
    inner = np.square(w[..., :-1] - 1.0) * (1.0 + 10.0 * np.sin(np.pi * w[..., :-1] + 1.0) ** 2)
    last = np.square(w[..., -1] - 1.0) * (1.0 + np.sin(2.0 * np.pi * w[..., -1]) ** 2)
    return np.asarray(np.sin(np.pi * w[..., 0]) ** 2 + inner.sum(axis=-1) + last)


def _griewank(x: Array) -> Array:
    waves = np.cos(x / np.sqrt(1.0 + np.arange(x.shape[-1]))).prod(axis=-1)
    return np.asarray(np.square(x).sum(axis=-1) / 4000.0 - waves + 1.0)


def _rosenbrock(x: Array) -> Array:
    bend = np.square(x[..., 1:] - x[..., :-1] ** 2)
    return np.asarray((100.0 * bend + np.square(1.0 - x[..., :-1])).sum(axis=-1))


def _styblinski_tang(x: Array) -> Array:
    return np.asarray(0.5 * (x**4 - 16.0 * x**2 + 5.0 * x).sum(axis=-1))


_HARTMANN_HEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])
_HARTMANN_3 = (
    np.array([[3.0, 10, 30], [0.1, 10, 35], [3.0, 10, 30], [0.1, 10, 35]]),
    1e-4 * np.array([[3689, 1170, 2673], [4699, 4387, 7470], [1091, 8732, 5547], [381, 5743, 8828]]),
)
_HARTMANN_6 = (
    np.array(
        [[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]]
    ),
    1e-4
    * np.array(
        [
            [1312, 1696, 5569, 124, 8283, 5886],
            [2329, 4135, 8307, 3736, 1004, 9991],
            [2348, 1451, 3522, 2883, 3047, 6650],
            [4047, 8828, 8732, 5743, 1091, 381],
        ]
    ),
)


def _hartmann(sharpness: Array, centres: Array) -> Function:
    def f(x: Array) -> Array:
        squares = (sharpness * np.square(x[..., None, :] - centres)).sum(axis=-1)
        return np.asarray(-(_HARTMANN_HEIGHTS * np.exp(-squares)).sum(axis=-1))

    return f


def _cube(f: Function, low: float, high: float, optimum: Array) -> Callable[[np.random.Generator], _Standard]:
    """The same range for all variables."""
    d = optimum.size
    return lambda rng: _Standard(f, np.full(d, low), np.full(d, high), optimum)


def _branin_anywhere(rng: np.random.Generator) -> _Standard:
    wells = np.array([[-np.pi, 12.275], [np.pi, 2.275], [9.42477796, 2.475]])
    return _Standard(_branin, np.array([-5.0, 0.0]), np.array([10.0, 15.0]), wells[rng.integers(3)])


def _camel_anywhere(rng: np.random.Generator) -> _Standard:
    optimum = np.array([0.0898420131, -0.7126564030]) * rng.choice([-1.0, 1.0])
    return _Standard(_camel, np.array([-2.0, -1.0]), np.array([2.0, 1.0]), optimum)


def _colour(rng: np.random.Generator) -> tuple[Function, Array]:
    """How far a colour is from the one wanted, as the eye sees it: the distance in CIE Lab, CIE76."""
    wanted = rng.uniform(DEPTH, 1.0 - DEPTH, 3)
    return lambda x: np.linalg.norm(_lab(x) - _lab(wanted[None]), axis=-1), wanted


_TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
_WHITE = _TO_XYZ.sum(axis=1)


def _lab(rgb: Array) -> Array:
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((np.maximum(rgb, 0.0) + 0.055) / 1.055) ** 2.4)
    t = row_matmul(linear, _TO_XYZ.T) / _WHITE
    root = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    x, y, z = root[..., 0], root[..., 1], root[..., 2]
    return np.stack([116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)], axis=-1)


def _saturating_product(rng: np.random.Generator) -> tuple[Function, Array]:
    """A yield that each of five ingredients limits, and too much of each spoils: x / (x + k + x^2 / h)."""
    optimum = rng.uniform(DEPTH, 1.0 - DEPTH, 5)
    k = optimum * 10.0 ** rng.uniform(-1.0, 0.0, 5)  # the optimum of a factor is sqrt(k h)
    h = optimum**2 / k

    def f(x: Array) -> Array:
        x = np.maximum(x, 0.0)
        return np.asarray(-(x / (x + k + x**2 / h)).prod(axis=-1))

    return f, optimum


_MAKERS: dict[str, Callable[[np.random.Generator], _Standard | tuple[Function, Array]]] = {
    "branin": _branin_anywhere,
    "hartmann-3": _cube(_hartmann(*_HARTMANN_3), 0.0, 1.0, np.array([0.1146143, 0.5556489, 0.8525470])),
    "hartmann-6": _cube(
        _hartmann(*_HARTMANN_6), 0.0, 1.0, np.array([0.2016895, 0.1500107, 0.4768740, 0.2753324, 0.3116516, 0.6573005])
    ),
    "levy": _cube(_levy, -10.0, 10.0, np.ones(4)),
    "ackley": _cube(_ackley, -32.768, 32.768, np.zeros(4)),
    "rosenbrock": _cube(_rosenbrock, -2.048, 2.048, np.ones(4)),
    "styblinski-tang": _cube(_styblinski_tang, -5.0, 5.0, np.full(4, -2.903534)),
    "griewank": _cube(_griewank, -600.0, 600.0, np.zeros(5)),
    "drop-wave": _cube(_drop_wave, -5.12, 5.12, np.zeros(2)),
    "camel": _camel_anywhere,
    "colour": _colour,
    "product": _saturating_product,
}
NAMES = tuple(_MAKERS)
