"""Problems derived from others: rotated, turned, started elsewhere, or with stretched axes.

Each is named by what was done to it, in order (`QING~rotated=3~shifted=1`), so that records distinguish them and
`problems.get` rebuilds them. All keep the best known value; rotating and stretching happen about x0 and so keep
x0 and f(x0), and rotating also keeps the length of the gradient there. Turning is a rotation about the origin, which
takes x0 along: the axes mean nothing any more, but the line from the origin to x0 still does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from steelyard.checks import check_positive, check_range
from steelyard.errors import BadValue
from steelyard.problems.rows import row_matmul
from steelyard.typing import Array, Kernel

if TYPE_CHECKING:
    from steelyard.problems.problem import Problem

LARGEST_ROTATION = 5000
"""A rotation of n variables takes 8 n^2 bytes and O(n^3) operations to draw."""


def rotated(problem: Problem, seed: int) -> Problem:
    """f(x0 + Q (x - x0)) with a rotation Q drawn uniformly from the orthogonal matrices."""
    return _rotated_about(problem.x0, problem, "rotated", seed)


def turned(problem: Problem, seed: int) -> Problem:
    """f(Q x) from Q^T x0, with the rotation Q that `rotated` has for this seed."""
    return _rotated_about(np.zeros(problem.n), problem, "turned", seed)


def shifted(problem: Problem, seed: int, size: float = 0.1) -> Problem:
    """The same function from another start: x0 plus Gaussian noise of standard deviation `size`."""
    check_range("size", size, 0.0)
    x0 = problem.x0 + size * _generator(seed).standard_normal(problem.n)
    if problem.bounds is not None:
        x0 = np.clip(x0, *problem.bounds)
    x0.setflags(write=False)
    return replace(problem, name=f"{problem.name}~shifted={seed}" + (f",{size!r}" if size != 0.1 else ""), x0=x0)


def moved(problem: Problem, seed: int, size: float = 5.0) -> Problem:
    """f(x - t) from x0 + t, with t Gaussian of standard deviation `size`: the origin means nothing any more."""
    check_range("size", size, 0.0)
    way = size * _generator(seed).standard_normal(problem.n)
    x0 = problem.x0 + way
    x0.setflags(write=False)
    return replace(
        problem,
        name=f"{problem.name}~moved={seed}" + (f",{size!r}" if size != 5.0 else ""),
        x0=x0,
        values=partial(_moved, problem.values, way),
        gradients=partial(_moved, problem.gradients, way),
        bounds=None if problem.bounds is None else (problem.bounds[0] + way, problem.bounds[1] + way),
    )


def scaled(problem: Problem, condition: float) -> Problem:
    """f(x0 + D (x - x0)) with a diagonal D in geometric progression whose last entry is `condition` times the first
    and whose determinant is 1."""
    condition = check_positive("condition", condition)
    _refuse_box(problem, "scaled")
    stretch = condition ** (np.linspace(-0.5, 0.5, problem.n) if problem.n > 1 else np.zeros(1))
    return replace(
        problem,
        name=f"{problem.name}~scaled={condition!r}",
        values=partial(_scaled_values, problem.values, problem.x0, stretch),
        gradients=partial(_scaled_gradients, problem.gradients, problem.x0, stretch),
    )


def derive(problem: Problem, step: str) -> Problem:
    """One step of a name, such as `rotated=3`, applied to the problem."""
    kind, _, arguments = step.partition("=")
    if kind not in _STEPS:
        raise BadValue(f"a derived problem is one of {', '.join(_STEPS)}, got {kind!r} after {problem.name}")
    function, kinds = _STEPS[kind]
    try:
        values = [convert(text) for convert, text in zip(kinds, arguments.split(","), strict=False)]
    except ValueError:
        raise BadValue(f"{kind} takes numbers separated by commas, got {arguments!r} after {problem.name}") from None
    if arguments.count(",") >= len(kinds):
        raise BadValue(f"{kind} takes at most {len(kinds)} numbers, got {arguments!r} after {problem.name}")
    return function(problem, *values)


_STEPS: dict[str, tuple[Callable[..., Problem], tuple[Callable[[str], float], ...]]] = {
    "rotated": (rotated, (int,)),
    "turned": (turned, (int,)),
    "shifted": (shifted, (int, float)),
    "moved": (moved, (int, float)),
    "scaled": (scaled, (float,)),
}


def _generator(seed: int) -> np.random.Generator:
    if seed < 0:
        raise BadValue(f"seed must be at least 0, got {seed}")
    return np.random.default_rng(seed)


def _rotated_about(centre: Array, problem: Problem, kind: str, seed: int) -> Problem:
    _refuse_box(problem, kind)
    check_range(f"n of a {kind} problem", problem.n, 1, LARGEST_ROTATION)
    turn, back = (np.ascontiguousarray(Q) for Q in _rotation(problem.n, seed))
    x0 = centre + turn @ (problem.x0 - centre)
    x0.setflags(write=False)
    return replace(
        problem,
        name=f"{problem.name}~{kind}={seed}",
        x0=x0,
        values=partial(_rotated_values, problem.values, centre, turn),
        gradients=partial(_rotated_gradients, problem.gradients, centre, turn, back),
    )


def _refuse_box(problem: Problem, kind: str) -> None:
    """The best value in a box is not the best value in the box of the derived problem."""
    if problem.bounds is not None:
        raise BadValue(f"{problem.name} has a box and cannot be {kind}")


def _rotation(n: int, seed: int) -> tuple[Array, Array]:
    """Q' and Q. The signs of R's diagonal make the distribution uniform (Mezzadri 2007)."""
    Q, R = np.linalg.qr(_generator(seed).standard_normal((n, n)))
    Q = Q * np.where(np.diag(R) < 0.0, -1.0, 1.0)
    return Q.T, Q


def _rotated_values(values: Kernel, centre: Array, turn: Array, x: Array) -> Array:
    return values(centre + row_matmul(x - centre, turn))


def _rotated_gradients(gradients: Kernel, centre: Array, turn: Array, back: Array, x: Array) -> Array:
    return row_matmul(gradients(centre + row_matmul(x - centre, turn)), back)


def _moved(kernel: Kernel, way: Array, x: Array) -> Array:
    return kernel(x - way)


def _scaled_values(values: Kernel, x0: Array, stretch: Array, x: Array) -> Array:
    return values(x0 + stretch * (x - x0))


def _scaled_gradients(gradients: Kernel, x0: Array, stretch: Array, x: Array) -> Array:
    return stretch * gradients(x0 + stretch * (x - x0))
