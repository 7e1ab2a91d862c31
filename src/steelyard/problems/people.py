"""What people might like: smooth utilities of a few parameters, made by seed, as functions to minimise.

Each lives in the box [0, 1]^d, is 0 at its optimum and 1 in the median over the box, so a value is a regret: the part
of the way from a typical point to the best one that is still missing.
"""

from collections.abc import Callable

import numpy as np

from steelyard.checks import check_range
from steelyard.problems.adapters.by_row import central_differences
from steelyard.problems.definitions import Definition, problem
from steelyard.problems.rows import row_matmul, sum_of_squares
from steelyard.typing import Array

FACE_MARGIN = 0.15
"""An optimum inside keeps at least this distance from every face; one at the edge is nearer than .1 to some face."""

Function = Callable[[Array], Array]


@problem("Person", family="people", source="0 at the person's favourite")
def person(d: int = 3, seed: int = 0, edge: int = 0) -> Definition:
    """What person number `seed` finds bad about d parameters: six kinds in turn; `edge=1` puts the favourite at a face.

    The start is the middle of the box, as in a study. The gradient, which only judges, is by central differences.
    """
    check_range("d", d, 2)
    check_range("seed", seed, 0)
    check_range("edge", edge, 0, 1)
    rng = np.random.default_rng([seed, d, 20])
    optimum = place("edge" if edge else "inside", d, rng)
    raw = MAKERS[list(MAKERS)[seed % len(MAKERS)]](optimum, rng)
    median = float(np.median(raw(np.random.default_rng([seed, d, 21]).random((4096, d)))))

    def values(x: Array) -> Array:
        return raw(x) / median

    return regret(values, d)


@problem("Corner", family="people", source="0 at the best of the box")
def corner(d: int = 3, seed: int = 0) -> Definition:
    """What person number `seed` finds bad who wants more, or less, of most of d parameters, so that the favourite is in
    a corner or at a face: four kinds in turn, as utilities fitted to what people chose often are.

    Linear; a sum of terms that saturate; a product of such terms; and a sum of squares around a point that may lie
    outside of the box. The start is the middle of the box.
    """
    check_range("d", d, 1)
    check_range("seed", seed, 0)
    rng = np.random.default_rng([seed, d, 23])
    less, weights = rng.random(d) < 0.5, rng.gamma(1.0, size=d) + 0.1
    weights /= weights.sum()
    bend = np.exp(rng.uniform(np.log(0.5), np.log(8.0), d))
    centre = rng.uniform(-0.3, 1.3, d)
    kind = seed % 4
    favourite = np.clip(centre, 0.0, 1.0) if kind == 3 else np.where(less, 0.0, 1.0)

    def utility(x: Array) -> Array:
        if kind == 3:
            return -row_matmul(np.square(x - centre), weights[:, None])[..., 0]
        wanted = np.where(less, 1.0 - x, x)
        if kind > 0:
            wanted = np.expm1(-bend * wanted) / np.expm1(-bend)
        if kind < 2:
            return row_matmul(wanted, weights[:, None])[..., 0]
        return np.asarray(np.exp(row_matmul(np.log(0.05 + wanted), d * weights[:, None])[..., 0]))

    best = float(utility(favourite[None])[0])
    median = best - float(np.median(utility(np.random.default_rng([seed, d, 24]).random((4096, d)))))

    def values(x: Array) -> Array:
        inside = np.clip(x, 0.0, 1.0)  # more than there is would be better still
        return (best - utility(inside)) / median + sum_of_squares(x - inside)

    return regret(values, d)


def regret(values: Function, d: int) -> Definition:
    """A function of the unit box that is 0 at its best, from the middle."""
    box = (np.zeros(d), np.ones(d))
    return Definition(np.full(d, 0.5), values, central_differences(values), f_best=0.0, bounds=box)


def place(where: str, d: int, rng: np.random.Generator) -> Array:
    """An optimum inside [.15, .85]^d, or one for which at least one coordinate is near or on a face."""
    if where == "inside":
        return rng.uniform(FACE_MARGIN, 1.0 - FACE_MARGIN, d)
    x = rng.random(d)
    near = rng.random(d) < 0.5
    near[rng.integers(d)] = True
    depth = np.where(rng.random(d) < 0.5, 0.0, rng.uniform(0.0, 0.1, d))  # half of them exactly on the face
    face = np.where(rng.random(d) < 0.5, depth, 1.0 - depth)
    return np.where(near, face, x)


def _quadratic(condition: float) -> Callable[[Array, np.random.Generator], Function]:
    def make(optimum: Array, rng: np.random.Generator) -> Function:
        from scipy.stats import special_ortho_group  # slow to import

        d = optimum.size
        rotation = special_ortho_group.rvs(d, random_state=rng) if d > 1 else np.eye(1)
        scales = condition ** (rng.permutation(d) / max(d - 1, 1) / 2.0)
        root = rotation * scales
        return lambda x: sum_of_squares(row_matmul(x - optimum, root))

    return make


def _peak(optimum: Array, rng: np.random.Generator) -> Function:
    width = 0.35 * np.sqrt(optimum.size)
    return lambda x: 1.0 - np.exp(-np.linalg.norm(x - optimum, axis=-1) / width)


def _bumps(optimum: Array, rng: np.random.Generator) -> Function:
    others = int(rng.integers(1, 3))
    centres = np.stack([optimum, *rng.random((others, optimum.size))])
    heights = np.concatenate([[1.0], rng.uniform(0.5, 0.8, others)])
    width = 0.25 * np.sqrt(optimum.size)

    def f(x: Array) -> Array:
        squares = np.square(x[..., None, :] - centres).sum(axis=-1)
        # The highest bump counts, so that the optimum is exactly where it was put.
        return np.asarray(1.0 - (heights * np.exp(-0.5 * squares / width**2)).max(axis=-1))

    return f


def _valley(optimum: Array, rng: np.random.Generator) -> Function:
    bend = rng.uniform(0.7, 1.5, optimum.size - 1) * rng.choice([-1.0, 1.0], optimum.size - 1)

    def f(x: Array) -> Array:
        y = x - optimum
        along, across = y[..., :1], y[..., 1:]
        return np.asarray(np.square(along[..., 0]) + 10.0 * np.square(across - bend * along**2).sum(axis=-1))

    return f


def _irrelevant(optimum: Array, rng: np.random.Generator) -> Function:
    matters = np.delete(np.arange(optimum.size), rng.integers(optimum.size))
    inner = _quadratic(10.0)(optimum[matters], rng)
    return lambda x: inner(x[..., matters])


MAKERS: dict[str, Callable[[Array, np.random.Generator], Function]] = {
    "quadratic-10": _quadratic(10.0),
    "quadratic-100": _quadratic(100.0),
    "peak": _peak,
    "bumps": _bumps,
    "valley": _valley,
    "irrelevant": _irrelevant,
}
